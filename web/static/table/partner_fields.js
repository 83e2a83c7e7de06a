// @ts-check
/** For whom Millchen plays, how well, and what else is chosen with that: in the chooser and in its dialog. */

import { byId, html, onClick } from "../common/dom.js";
import { send, tellRefusal } from "./commands.js";
import { partnerName } from "../board/players.js";
import { words } from "../common/words.js";

/** @typedef {{player: number, strength: string, explain: boolean, laid_by_people: boolean}} Partner */
/** @typedef {{explain: boolean, laid_by_people: boolean}} Manner how it plays, the same at each place */

const STRENGTHS = ["easy", "medium", "strong"]; // as on the command line

/** A choice between a person and Millchen. @param {number} k number of the place, 0 first @param {string} chosen */
export function partnerSelect(k, chosen) {
  const kinds = STRENGTHS.map((name) => html("option", { value: name, selected: name === chosen }, partnerName(name)));
  return html("select", { class: "who-plays", "aria-label": words("partner.who", { n: k + 1 }) },
    html("option", { value: "", selected: chosen === "" }, words("partner.person")), ...kinds);
}

/** The strength of Millchen at each place, "" for a person. @param {Partner[]} partners @param {number} n */
export function strengthsOf(partners, n) {
  return Array.from({ length: n }, (_, k) => partners.find(({ player }) => player === k + 1)?.strength ?? "");
}

/**
 * Send what was chosen, as far as it is another choice than before.
 * @param {Partner[]} before @param {string[]} strengths @param {Manner} manner
 */
export async function sendPartners(before, strengths, manner) {
  for (const [k, strength] of strengths.entries()) {
    const was = before.find(({ player }) => player === k + 1);
    const isSame = was?.explain === manner.explain && was?.laid_by_people === manner.laid_by_people;
    if ((was?.strength ?? "") === strength && (!strength || isSame)) continue;
    await send("/api/partner", { player: k + 1, strength: strength || null, ...(strength ? manner : {}) });
  }
}

/** The dialog in which that is changed during a game. */
export class PartnerDialog {
  constructor() {
    this.dialog = byId("partner-dialog");
    /** @type {import("../common/types.js").Snapshot | null} */
    this.state = null;
    onClick("partners", () => this.open());
    onClick("partner-cancel", () => this.dialog.close());
    byId("partner-form").addEventListener("submit", () => this.save().catch(tellRefusal));
  }

  open() {
    const { state } = this;
    if (!state) return;
    const { game } = state;
    byId("partner-places").replaceChildren(...strengthsOf(game.partners, game.players).map((strength, k) => html("label", { class: "field" }, html("span", {}, words(`player.${k + 1}`)), partnerSelect(k, strength))));
    byId("partner-explain").checked = game.partners.some(({ explain }) => explain);
    byId("partner-by-people").checked = game.partners.some((one) => one.laid_by_people);
    byId("partner-hints").checked = state.partner.hints;
    this.dialog.showModal();
  }

  async save() {
    const { state } = this;
    if (!state) return;
    const strengths = [...byId("partner-places").querySelectorAll("select")].map((select) => select.value);
    const hints = byId("partner-hints").checked;
    await sendPartners(state.game.partners, strengths, { explain: byId("partner-explain").checked, laid_by_people: byId("partner-by-people").checked });
    if (hints !== state.partner.hints) await send("/api/hints", { on: hints });
  }
}
