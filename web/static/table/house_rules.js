// @ts-check
/** The rules of a game in a paragraph, and what a table may choose of them. The sentences come from the referee. */

import { byId, html } from "../common/dom.js";
import { hasWords, words } from "../common/words.js";

/** @typedef {{name: string, board: string, players: number, demo: boolean, choices: {name: string, values: string[], default: string, kind: string}[]}} Offer */

export class HouseRules {
  /**
   * @param {HTMLFormElement} form
   * @param {(players: number) => void} seat is told how many play
   */
  constructor(form, seat) {
    this.form = form;
    this.seat = seat;
    /** @type {Map<string, Offer>} */
    this.offers = new Map(JSON.parse(byId("offers").textContent).map((/** @type {Offer} */ offer) => [offer.name, offer]));
    this.asked = 0;
    form.addEventListener("change", (event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      if (field.name === "game") this.show();
      else if (field.name.startsWith("option-")) this.explain();
    });
  }

  get offer() {
    return this.offers.get(String(new FormData(this.form).get("game"))) ?? null;
  }

  /** Show the game that is chosen, as it is usually played. */
  show() {
    const { offer } = this;
    if (!offer) return;
    byId("rules-title").textContent = words(`game.${offer.name}`);
    byId("options").replaceChildren(...offer.choices.map((choice) => {
      const select = html("select", { name: `option-${choice.name}` },
        ...choice.values.map((value) => html("option", { value, selected: value === choice.default }, this.word(choice, value))));
      return html("label", { class: "field" }, html("span", {}, words(`option.${choice.name}`)), select);
    }));
    byId("house").hidden = offer.choices.length === 0;
    this.explain();
  }

  /** @param {Offer["choices"][number]} choice @param {string} value */
  word(choice, value) {
    if (choice.kind === "numbers") return value;
    if (choice.kind === "yes_no") return value === "true" ? words("yes") : words("no");
    const own = `option.${choice.name}.${value}`;
    return hasWords(own) ? words(own) : words(`option.${value}`);
  }

  /** What differs from the usual. @returns {Record<string, string>} */
  chosen() {
    const { offer } = this;
    /** @type {Record<string, string>} */
    const chosen = {};
    for (const choice of offer?.choices ?? []) {
      const value = String(new FormData(this.form).get(`option-${choice.name}`) ?? choice.default);
      if (value !== choice.default) chosen[choice.name] = value;
    }
    return chosen;
  }

  async explain() {
    const { offer } = this;
    if (!offer) return;
    this.asked += 1;
    const mine = this.asked;
    const answer = await fetch(`/api/rules/${offer.name}?${new URLSearchParams(this.chosen())}`);
    const told = await answer.json();
    if (mine !== this.asked) return; // something else was chosen meanwhile
    byId("rules").dataset.game = offer.name;
    const said = answer.ok ? told.sentences : [told.error.text];
    byId("rules").replaceChildren(...said.flatMap((/** @type {string} */ sentence) => [html("span", {}, sentence), " "]));
    this.seat(told.players ?? offer.players);
  }
}
