// @ts-check
/** The players' clocks. The server sends the times and whose clock runs; between its messages they count here. A tap ends one's turn. */

import { byId } from "../common/dom.js";
import { send } from "./commands.js";
import { playerName } from "../board/players.js";
import { words } from "../common/words.js";

const TICK_MS = 200;

export class Clocks {
  /** @param {(why: Error) => void} showError */
  constructor(showError) {
    this.showError = showError;
    /** @type {import("../common/types.js").Snapshot | null} */
    this.state = null;
    this.receivedAt = 0;
    byId("players").addEventListener("click", (/** @type {Event} */ event) => {
      if (/** @type {Element} */ (event.target).closest(".time")) this.act("press");
    });
    byId("pause").addEventListener("click", () => this.act(this.state?.game.clock.running ? "pause" : "start"));
    byId("time-lost").addEventListener("click", () => {
      const player = this.expiredPlayer();
      if (player) send("/api/end", { how: "timed_out", player }).catch(this.showError);
    });
    setInterval(() => this.tick(), TICK_MS);
  }

  /** @param {string} act */
  act(act) {
    send("/api/clock", { act }).catch(this.showError);
  }

  /** @param {import("../common/types.js").Snapshot} state */
  show(state) {
    this.state = state;
    this.receivedAt = performance.now();
    const { clock, outcome } = state.game;
    byId("pause").hidden = clock.kind === "off" || Boolean(outcome);
    byId("pause").textContent = clock.running ? words("pause") : words("go_on");
    this.tick();
  }

  /** The seconds that a player has left or, counting up, has used. @param {number} player */
  seconds(player) {
    if (!this.state) return 0;
    const { clock } = this.state.game;
    const gone = clock.running === player ? (performance.now() - this.receivedAt) / 1000 : 0;
    return clock.seconds[player - 1] + (clock.kind === "up" ? gone : -gone);
  }

  /** The player whose time is up, 0 for none. */
  expiredPlayer() {
    const { state } = this;
    if (!state || state.game.clock.kind !== "down" || state.game.outcome) return 0;
    return state.game.clock.seconds.findIndex((_, k) => this.seconds(k + 1) <= 0) + 1;
  }

  tick() {
    const { state } = this;
    if (!state || state.game.clock.kind === "off") return;
    for (const button of document.querySelectorAll(".time")) {
      const player = Number(/** @type {HTMLElement} */ (button).dataset.player);
      const left = this.seconds(player), time = formatClock(left, state.game.clock.kind === "down");
      button.classList.toggle("scarce", state.game.clock.kind === "down" && left < 30);
      button.classList.toggle("runs", state.game.clock.running === player);
      if (button.textContent === time) continue;
      button.textContent = time;
      button.setAttribute("aria-label", words("time_of", { player: playerName(state, player), time }));
    }
    const player = this.expiredPlayer();
    byId("flagged").hidden = !player;
    if (player) byId("flagged-words").textContent = words("time_up", { player: playerName(state, player) });
  }
}

/** A time as "1:02:03" or "2:03"; a clock that counts down is rounded up. @param {number} seconds @param {boolean} isDown */
export function formatClock(seconds, isDown) {
  const whole = Math.max(0, isDown ? Math.ceil(seconds) : Math.floor(seconds));
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
