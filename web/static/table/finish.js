// @ts-check
/** The end of a game: who has won, its replay one tap away, and the next game; a demo begins once more by itself. */

import { pebbleIcon } from "../board/pebble.js";
import { byId, html, onClick } from "../common/dom.js";
import { language } from "../common/words.js";
import { order } from "./commands.js";

const LOOP_KEY = "millchen.demo_loop"; // whether demos begin again by themselves, on this device
const LOOP_MS = 12_000; // so long the end of a demo stands
const N_CONFETTI = 14;

export class Finish {
  constructor() {
    /** @type {import("../common/types.js").Snapshot | null} */
    this.state = null;
    this.celebrated = 0; // number of the game whose win was celebrated last
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.waiting = null;
    this.loop = byId("finish-loop");
    this.loop.checked = localStorage.getItem(LOOP_KEY) === "on";
    this.loop.addEventListener("change", () => {
      localStorage.setItem(LOOP_KEY, this.loop.checked ? "on" : "off");
      this.schedule();
    });
    onClick("finish-again", () => this.again({}));
    onClick("finish-swap", () => this.again({ swap: true }));
  }

  /** @param {import("../common/types.js").Snapshot} next */
  show(next) {
    this.state = next;
    const { outcome, id, names } = next.game, isDemo = next.source.kind === "demo";
    byId("finish").hidden = byId("finish-confetti").hidden = !outcome;
    byId("finish-loop-line").hidden = !isDemo;
    byId("finish-swap").hidden = isDemo || !names.some(Boolean);
    byId("finish-see").href = `/games/${id}`;
    if (outcome) byId("finish-words").textContent = outcome.texts[language];
    const isOfPeople = !next.game.partners.some(({ player }) => player === outcome?.winner);
    if (outcome?.winner && this.celebrated !== id) this.celebrate(isOfPeople ? outcome.winner : null);
    this.celebrated = outcome ? id : 0;
    this.schedule();
  }

  /** Let stones of the winner rain once; where Millchen has won, none. @param {number | null} winner */
  celebrate(winner) {
    byId("finish-confetti").replaceChildren(...Array.from({ length: winner ? N_CONFETTI : 0 }, (_, k) => {
      const falling = html("span", {}, pebbleIcon(winner ?? 0, k));
      falling.style.setProperty("--left", `${4 + 13.7 * ((5 * k) % 7) + (k < 7 ? 0 : 6)}%`);
      falling.style.setProperty("--delay", `${(k % 7) * 0.13 + (k < 7 ? 0.1 : 0.3)}s`);
      return falling;
    }));
  }

  /** Begin the demo once more after a while, if that is wanted. */
  schedule() {
    const { state } = this;
    const isOver = Boolean(state?.game.outcome) || state?.source.state === "ended";
    const isWanted = state?.source.kind === "demo" && isOver && this.loop.checked && document.documentElement.dataset.role === "referee";
    if (isWanted && !this.waiting) this.waiting = setTimeout(() => this.again({}), LOOP_MS);
    if (!isWanted && this.waiting) this.stop();
  }

  stop() {
    if (this.waiting) clearTimeout(this.waiting);
    this.waiting = null;
  }

  /** @param {{swap?: boolean}} how */
  again(how) {
    this.stop();
    // With its number, a second page that asks at the same time begins no second game.
    if (this.state) order("/api/again", { ...how, game: this.state.game.id });
  }
}
