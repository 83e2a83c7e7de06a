// @ts-check
/** The players' clocks. A tap ends one's turn. */

import { timeNow } from "../board/clock_times.js";
import { playerName } from "../board/players.js";
import { byId, onClick } from "../common/dom.js";
import { words } from "../common/words.js";
import { order } from "./commands.js";

/** @import {Snapshot} from "../common/types.js" */

const TICK_MS = 200;
const SCARCE_S = 30;

export class Clocks {
  constructor() {
    /** @type {Snapshot | null} */
    this.state = null;
    this.receivedAt = 0;
    const act = (/** @type {string} */ what) => order("/api/clock", { act: what });
    byId("players").addEventListener("click", ({ target }) => {
      if (/** @type {Element} */ (target).closest(".time")) act("press");
    });
    onClick("pause", () => act(this.state?.game.clock.running ? "pause" : "start"));
    onClick("time-lost", () => {
      const player = this.expiredPlayer();
      if (player) order("/api/end", { how: "timed_out", player });
    });
    setInterval(() => this.tick(), TICK_MS);
  }

  /** @param {Snapshot} state */
  show(state) {
    this.state = state;
    this.receivedAt = performance.now();
    const { clock, outcome } = state.game;
    byId("pause").hidden = clock.kind === "off" || Boolean(outcome);
    byId("pause").textContent = clock.running ? words("pause") : words("go_on");
    this.tick();
  }

  /** The player whose time is up, 0 for none. */
  expiredPlayer() {
    const { clock, outcome } = this.state?.game ?? {};
    if (clock?.kind !== "down" || outcome) return 0;
    return clock.seconds.findIndex((_, k) => timeNow(clock, k + 1, this.receivedAt).seconds <= 0) + 1;
  }

  tick() {
    const { state } = this;
    if (!state || state.game.clock.kind === "off") return;
    const { clock } = state.game;
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".time"))) {
      const player = Number(button.dataset.player), { seconds, text: time } = timeNow(clock, player, this.receivedAt);
      button.classList.toggle("scarce", clock.kind === "down" && seconds < SCARCE_S);
      button.classList.toggle("runs", clock.running === player);
      if (button.textContent === time) continue;
      button.textContent = time;
      button.setAttribute("aria-label", words("time_of", { player: playerName(state, player), time }));
    }
    const player = this.expiredPlayer();
    byId("flagged").hidden = !player;
    if (player) byId("flagged-words").textContent = words("time_up", { player: playerName(state, player) });
  }
}
