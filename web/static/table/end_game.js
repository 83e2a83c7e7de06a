// @ts-check
/** The dialog that ends a game without a move: the players give up or agree, or the referee decides. */

import { playerName } from "../board/players.js";
import { attempt } from "../common/ask.js";
import { byId, field, html, onClick, onSubmit } from "../common/dom.js";
import { words } from "../common/words.js";
import { send } from "./commands.js";

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
    onClick("end", () => this.open());
    onClick("end-cancel", () => this.dialog.close());
    this.form.addEventListener("change", () => this.choose());
    onSubmit(this.form, () => this.send());
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
    field(this.form, "decider").value = localStorage.getItem(DECIDER_KEY) ?? "";
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
    return this.endings.get(field(this.form, "ending").value);
  }

  choose() {
    const how = this.chosen()?.how;
    byId("end-yes").disabled = !how;
    byId("end-decider").hidden = how !== "decided" && how !== "abandoned";
  }

  async send() {
    const ending = this.chosen();
    if (!ending) return;
    const decider = byId("end-decider").hidden ? "" : field(this.form, "decider").value.trim();
    if (decider) localStorage.setItem(DECIDER_KEY, decider);
    const isDone = await attempt(byId("end-error"), () => send("/api/end", decider ? { ...ending, decider } : ending));
    if (isDone) this.dialog.close();
  }
}
