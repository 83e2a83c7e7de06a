// @ts-check
/** The rules of a game in one paragraph, and its options. The server makes the sentences. */

import { ask } from "../common/ask.js";
import { byId, embedded, html } from "../common/dom.js";
import { hasWords, words } from "../common/words.js";

/** @typedef {{name: string, board: string, players: number, demo: boolean, story: boolean, choices: {name: string, values: string[], default: string, kind: string, help: string}[]}} Offer */

const MOST_LISTED = 30; // numbers of an option that are listed; more are typed

export class HouseRules {
  /**
   * @param {HTMLFormElement} form
   * @param {(players: number) => void} setCount called with the number of players
   */
  constructor(form, setCount) {
    this.form = form;
    this.setCount = setCount;
    /** @type {Map<string, Offer>} */
    this.offers = new Map(embedded("offers").map((/** @type {Offer} */ offer) => [offer.name, offer]));
    this.lastRequest = 0;
    form.addEventListener("change", (event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      if (field.name === "game") this.show();
      else if (field.name.startsWith("option-")) this.explain();
    });
  }

  get offer() {
    return this.offers.get(String(new FormData(this.form).get("game"))) ?? null;
  }

  /** Show the chosen game with its usual options, or those that were chosen last. @param {Record<string, unknown>} [chosen] */
  show(chosen = {}) {
    const { offer } = this;
    if (!offer) return;
    byId("rules-title").textContent = words(`game.${offer.name}`);
    byId("options").replaceChildren(...offer.choices.map((choice) => {
      return html("label", { class: "field", title: choice.help }, html("span", {}, words(`option.${choice.name}`)), this.field(choice, String(chosen[choice.name] ?? choice.default)));
    }));
    byId("house").hidden = offer.choices.length === 0;
    byId("make-board").href = `/make?game=${offer.name}`;
    byId("comes-from").hidden = !offer.story;
    byId("comes-from").href = `/story/${offer.name}`;
    this.explain();
  }

  /** @param {Offer["choices"][number]} choice @param {string} chosen */
  field({ name, kind, values, ...more }, chosen) {
    const [least, most] = values.map(Number), isRange = kind === "numbers";
    if (isRange && most - least >= MOST_LISTED) return html("input", { type: "number", name: `option-${name}`, value: chosen }); // the rules say what is wrong with it
    const listed = isRange ? Array.from({ length: most - least + 1 }, (_, n) => String(least + n)) : values;
    return html("select", { name: `option-${name}` }, ...listed.map((value) => html("option", { value, selected: value === chosen }, this.word({ name, kind, values, ...more }, value))));
  }

  /** @param {Offer["choices"][number]} choice @param {string} value */
  word(choice, value) {
    if (choice.kind === "numbers") return value;
    if (choice.kind === "yes_no") return value === "true" ? words("yes") : words("no");
    const own = `option.${choice.name}.${value}`;
    return hasWords(own) ? words(own) : words(`option.${value}`);
  }

  /** The options that differ from the usual ones. @returns {Record<string, string>} */
  chosen() {
    const { offer } = this;
    /** @type {Record<string, string>} */
    const options = {};
    for (const choice of offer?.choices ?? []) {
      const value = String(new FormData(this.form).get(`option-${choice.name}`) ?? choice.default);
      if (value !== choice.default) options[choice.name] = value;
    }
    return options;
  }

  async explain() {
    const { offer } = this;
    if (!offer) return;
    this.lastRequest += 1;
    const request = this.lastRequest;
    const answered = await ask(`/api/rules/${offer.name}?${new URLSearchParams(this.chosen())}`).catch((why) => ({ sentences: [why.message] }));
    if (request !== this.lastRequest) return; // another game or option was chosen meanwhile
    byId("rules-sheet").href = `/rules/${offer.name}?${new URLSearchParams(this.chosen())}`;
    byId("rules").dataset.game = offer.name;
    byId("rules").replaceChildren(...answered.sentences.flatMap((/** @type {string} */ sentence) => [html("span", {}, sentence), " "]));
    this.setCount(answered.players ?? offer.players);
  }
}
