// @ts-check
/** The players, who begins, and the clock. The browser draws lots; the server only gets the result. */

import { button, byId, field, html, onClick, part } from "../common/dom.js";
import { send } from "./commands.js";
import { partnerSelect, sendPartners, strengthsOf } from "./partner_fields.js";
import { pebbleIcon } from "../board/pebble.js";
import { partnerName } from "../board/players.js";
import { words } from "../common/words.js";

const SPIN_MS = 110, SPINS = 11;

export class PlayerSetup {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    /** @type {string[]} */
    this.names = ["", ""];
    /** How well Millchen plays at each place, "" for a person; and how it played before. @type {string[]} */
    this.strengths = ["", ""];
    /** @type {import("./partner_fields.js").Partner[]} */
    this.before = [];
    this.areHintsChosen = false;
    this.players = 2;
    onClick("begin-lot", () => this.drawLots());
    onClick("begin-coin", () => this.drawLots());
    onClick("begin-youngest", () => this.askYoungest());
    form.addEventListener("change", (event) => {
      const { name } = /** @type {HTMLInputElement} */ (event.target);
      if (name === "clock") this.showClock();
      if (name === "hints") this.areHintsChosen = true;
    });
  }

  /** Take over the settings of the present game. @param {import("../common/types.js").Snapshot} state */
  read({ game, last, partner }) {
    this.names = [...last.names]; // of those who played last: in a demo others play
    this.before = game.partners;
    this.strengths = strengthsOf(game.partners, game.players);
    this.areHintsChosen = false;
    field(this.form, "clock").value = game.clock.kind;
    if (game.clock.kind === "down") field(this.form, "minutes").value = String(game.clock.minutes);
    if (game.clock.kind !== "off") field(this.form, "increment").value = String(game.clock.increment);
    field(this.form, "photographs").checked = game.photographs;
    field(this.form, "explain").checked = game.partners.some(({ explain }) => explain);
    field(this.form, "laid_by_people").checked = game.partners.some((one) => one.laid_by_people);
    field(this.form, "hints").checked = partner.hints;
    byId("drawn").textContent = "";
    this.showClock();
    this.setCount(game.players);
  }

  /** People play, until somebody says otherwise: that Millchen played the last game is easily overlooked. */
  chooseAnew() {
    this.strengths = this.strengths.map(() => "");
    this.setCount(this.players);
  }

  /** Let Millchen play last. */
  inviteMillchen() {
    this.strengths[this.players - 1] = "medium";
    this.names[this.players - 1] = "";
    this.setCount(this.players);
  }

  /** Show fields for this many players. Existing fields stay: somebody may be typing in one. @param {number} players */
  setCount(players) {
    this.players = players;
    const party = byId("party");
    while (party.children.length > players) party.lastElementChild?.remove();
    for (let k = party.children.length; k < players; k += 1) party.append(this.fieldFor(k));
    for (const [k, name] of party.querySelectorAll("input").entries()) if (name.value !== (this.names[k] ?? "")) name.value = this.names[k] ?? "";
    for (const [k, select] of party.querySelectorAll("select").entries()) select.value = this.strengths[k] ?? "";
    this.showPartners();
    for (const place of party.children) place.classList.remove("lucky");
    byId("begin-coin").hidden = players !== 2;
    byId("youngest").hidden = true;
  }

  /** @param {number} k */
  fieldFor(k) {
    const name = html("input", { type: "text", name: "player", maxlength: 40, autocomplete: "off", placeholder: words(`player.${k + 1}`), "aria-label": words("name_of", { n: k + 1 }) });
    name.addEventListener("input", () => { this.names[k] = name.value; byId("youngest").hidden = true; });
    const select = partnerSelect(k, this.strengths[k] ?? "");
    select.addEventListener("change", () => { this.strengths[k] = select.value; this.showPartners(); });
    return html("li", {}, pebbleIcon(k + 1, k * 5 + 6), name, select);
  }

  /** Say what Millchen is called where nobody gives it a name; hints are allowed where it plays, unless people say otherwise. */
  showPartners() {
    const strengths = Array.from({ length: this.players }, (_, k) => this.strengths[k] ?? "");
    for (const [k, name] of byId("party").querySelectorAll("input").entries()) name.placeholder = strengths[k] ? partnerName(strengths[k]) : words(`player.${k + 1}`);
    byId("partner-choices").hidden = !strengths.some(Boolean);
    if (!this.areHintsChosen) field(this.form, "hints").checked = strengths.some(Boolean);
  }

  /** @param {number} k */
  labelOf(k) {
    return (this.names[k] ?? "").trim() || (this.strengths[k] ? partnerName(this.strengths[k]) : words(`player.${k + 1}`));
  }

  /** Draw who begins, with a light that goes round the fields and stops. */
  async drawLots() {
    byId("youngest").hidden = true;
    const winner = crypto.getRandomValues(new Uint32Array(1))[0] % this.players;
    const places = [...byId("party").children];
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const spins = isStill ? 0 : SPINS + ((winner - SPINS) % this.players + this.players) % this.players;
    byId("drawn").textContent = "";
    for (let k = 0; k <= spins; k += 1) {
      places.forEach((place, n) => place.classList.toggle("lucky", n === k % this.players));
      await new Promise((done) => setTimeout(done, isStill ? 0 : SPIN_MS + k * 12));
    }
    this.begin(winner);
  }

  askYoungest() {
    const box = byId("youngest");
    box.hidden = !box.hidden;
    byId("begin-youngest").setAttribute("aria-expanded", String(!box.hidden));
    part(box, ".chips").replaceChildren(...Array.from({ length: this.players }, (_, k) => button({ class: "plain" }, () => {
      box.hidden = true;
      this.begin(k);
    }, this.labelOf(k))));
  }

  /** Make a player the first one; the others follow in their order. @param {number} first */
  begin(first) {
    const label = this.labelOf(first);
    const names = Array.from({ length: this.players }, (_, k) => this.names[k] ?? "");
    this.names = [...names.slice(first), ...names.slice(0, first)];
    const strengths = names.map((_, k) => this.strengths[k] ?? "");
    this.strengths = [...strengths.slice(first), ...strengths.slice(0, first)];
    const isNamed = Boolean(this.names[0].trim() || this.strengths[0]);
    this.setCount(this.players);
    byId("drawn").textContent = words("begins", { player: isNamed ? label : words(`player.${first + 1}`) });
    byId("party").firstElementChild?.classList.add("lucky");
  }

  showClock() {
    const kind = String(new FormData(this.form).get("clock"));
    byId("clock-numbers").hidden = kind !== "down";
  }

  /** Send names, photographs and clock to the server. */
  async sendSettings() {
    const data = new FormData(this.form);
    const names = Array.from({ length: this.players }, (_, k) => (this.names[k] ?? "").trim());
    await send("/api/names", { names });
    await this.sendPartners(data);
    await send("/api/photographs", { on: data.get("photographs") === "on" });
    const kind = String(data.get("clock"));
    const isDown = kind === "down";
    await send("/api/clock", { act: "set", kind, minutes: isDown ? Number(data.get("minutes")) : 0, increment: isDown ? Number(data.get("increment")) : 0 });
  }

  /** @param {FormData} data */
  async sendPartners(data) {
    const isSameParty = this.before.every(({ player }) => player <= this.players);
    const strengths = Array.from({ length: this.players }, (_, k) => this.strengths[k] ?? "");
    await sendPartners(isSameParty ? this.before : [], strengths, { explain: data.get("explain") === "on", laid_by_people: data.get("laid_by_people") === "on" });
    if (this.areHintsChosen) await send("/api/hints", { on: data.get("hints") === "on" });
  }
}
