// @ts-check
/** The dialog that ends a game without a move: the players give up or agree, or the referee decides. */

import { byId, html } from "../common/dom.js";
import { send } from "./commands.js";
import { playerName } from "../board/players.js";
import { words } from "../common/words.js";

const DECIDER_KEY = "millchen.decider"; // the name that the referee gave last, on this device

/** @typedef {{how: string, player?: number}} Ending */

export class EndGame {
  constructor() {
    this.dialog = byId("end-game");
    this.form = byId("end-game-form");
    /** @type {string[]} */
    this.names = [];
    /** @type {Map<string, Ending>} */
    this.endings = new Map();
    byId("end").addEventListener("click", () => this.open());
    byId("end-cancel").addEventListener("click", () => this.dialog.close());
    this.form.addEventListener("change", () => this.choose());
    this.form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.send();
    });
  }

  /** @param {import("../common/types.js").Snapshot} state */
  show(state) {
    const { game } = state;
    byId("end").hidden = Boolean(game.outcome);
    if (game.outcome && this.dialog.open) this.dialog.close();
    this.names = Array.from({ length: game.players }, (_, k) => playerName(state, k + 1));
  }

  open() {
    this.endings.clear();
    byId("end-players").replaceChildren(
      ...this.names.map((player, k) => this.chip(words("give_up", { player }), { how: "resigned", player: k + 1 })),
      this.chip(words("agree_draw"), { how: "agreed" }));
    byId("end-arbiter").replaceChildren(
      ...this.names.map((player, k) => this.chip(words("end.wins", { player }), { how: "decided", player: k + 1 })),
      this.chip(words("end.draw"), { how: "decided" }),
      this.chip(words("end.abandoned"), { how: "abandoned" }));
    this.form.elements.decider.value = localStorage.getItem(DECIDER_KEY) ?? "";
    byId("end-error").hidden = true;
    this.choose();
    this.dialog.showModal();
  }

  /** One ending to choose. @param {string} text @param {Ending} ending */
  chip(text, ending) {
    const value = `${ending.how} ${ending.player ?? ""}`.trim();
    this.endings.set(value, ending);
    return html("label", { class: "chip" }, html("input", { type: "radio", name: "ending", value }), text);
  }

  /** @returns {Ending | undefined} */
  chosen() {
    return this.endings.get(this.form.elements.ending.value);
  }

  choose() {
    const how = this.chosen()?.how;
    byId("end-yes").disabled = !how;
    byId("end-decider").hidden = how !== "decided" && how !== "abandoned";
  }

  async send() {
    const ending = this.chosen();
    if (!ending) return;
    const decider = byId("end-decider").hidden ? "" : this.form.elements.decider.value.trim();
    if (decider) localStorage.setItem(DECIDER_KEY, decider);
    try {
      await send("/api/end", decider ? { ...ending, decider } : ending);
      this.dialog.close();
    } catch (why) {
      byId("end-error").textContent = /** @type {Error} */ (why).message;
      byId("end-error").hidden = false;
    }
  }
}
