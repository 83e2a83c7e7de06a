// @ts-check
/** The dialog that starts a game: the game and its rules, the players, the source of the pictures. */

import { areSure, ask, attempt } from "../common/ask.js";
import { byId, field, html, markCurrent, onClick, onSubmit } from "../common/dom.js";
import { FilmUpload } from "../common/film_upload.js";
import { words } from "../common/words.js";
import { send } from "./commands.js";
import { HouseRules } from "./house_rules.js";
import { PlayerSetup } from "./player_setup.js";

const STEPS = ["game", "people", "source"];
/** @type {Record<string, string>} */
const TITLES = { game: words("which_game"), people: words("who_plays"), source: words("which_source") };

/**
 * Whether a new game may begin: at once where nothing is lost, else as the players answer. A film can be seen again and is
 * never asked about.
 * @param {import("../common/types.js").Snapshot | null} state
 */
export async function mayBeginAnew(state) {
  const isFilm = ["film", "photographs"].includes(state?.source.medium ?? "");
  return !state || isFilm || state.game.outcome || state.game.ply === 0 || areSure(byId("sure"));
}

export class NewGameDialog {
  constructor() {
    this.dialog = byId("chooser");
    this.form = byId("chooser-form");
    this.error = byId("chooser-error");
    this.step = "game";
    /** @type {import("../common/types.js").Snapshot | null} */
    this.state = null;
    this.players = new PlayerSetup(this.form);
    this.rules = new HouseRules(this.form, (n) => this.players.setCount(n));
    this.film = new FilmUpload({ onPicked: () => { // a film may be dropped anywhere on the page
      if (!this.dialog.open) this.open("source");
      this.go("source");
      this.choose("source", "film");
    }, asked: () => ({ game: this.field("game"), board: this.rules.offer?.board ?? "" }) });
    onClick("choose", () => this.open());
    onClick("own-table", () => this.open());
    window.addEventListener("hashchange", () => this.openAsAsked());
    onClick("chooser-close", () => this.dialog.close());
    onClick("chooser-source", () => attempt(this.error, () => this.useSource()));
    onClick("chooser-next", () => this.go(STEPS[STEPS.indexOf(this.step) + 1]));
    onClick("chooser-back", () => this.go(STEPS[STEPS.indexOf(this.step) - 1]));
    for (const button of byId("chooser-steps").querySelectorAll("button")) button.addEventListener("click", () => this.go(String(button.dataset.step)));
    this.form.addEventListener("change", ({ target }) => {
      if (["source", "camera"].includes(/** @type {HTMLInputElement} */ (target).name)) this.showCameras().catch((why) => console.error(why));
    });
    onSubmit(this.form, () => {
      if (this.step === "source") attempt(this.error, () => this.begin());
      else this.go(STEPS[STEPS.indexOf(this.step) + 1]); // Enter in a field goes to the next step
    });
    for (const name of ["camera", "other"]) { // focus alone, by the Tab key, does not select a source
      for (const kind of ["pointerdown", "input"]) field(this.form, name).addEventListener(kind, () => { this.choose("source", name); });
    }
  }

  /** @param {string} [step] @param {boolean} [isForPartner] whether Millchen is to play: then people want to play, too */
  open(step = "game", isForPartner = false) {
    const { state } = this;
    if (state) {
      const { game, options } = state.last; // a demo has other rules and players than the house
      this.choose("game", game);
      const { kind, name } = state.source;
      if (kind === "demo" || (isForPartner && state.source.medium !== "hand" && kind !== "phone")) this.chooseOwnTable().catch((why) => console.error(why));
      else this.choose("source", ["camera", "phone", "hand"].includes(kind) ? kind : name.startsWith("upload:") ? "film" : "other");
      if (name.startsWith("upload:")) this.film.source = name; // the same film once more
      else if (!["demo", "camera", "phone", "hand"].includes(kind)) field(this.form, "other").value = name;
      this.players.read(state);
      this.players.chooseAnew();
      if (isForPartner) this.players.inviteMillchen();
      this.rules.show(options);
    }
    this.error.hidden = true;
    this.go(step);
    this.dialog.showModal();
  }

  /** Open the dialog as the address asks: "#partner" with Millchen as a player, "#by-hand" without a camera. */
  openAsAsked() {
    const name = location.hash.slice(1);
    if (!["partner", "by-hand"].includes(name)) return;
    history.replaceState(null, "", location.pathname); // so that the same way leads here again
    if (document.documentElement.dataset.role !== "referee") return;
    this.open("game", name === "partner");
    if (name === "by-hand") this.choose("source", "hand");
  }

  /** Choose this computer's camera, or playing by hand where it has none. */
  async chooseOwnTable() {
    this.choose("source", "camera");
    await this.showCameras();
    if (!byId("no-camera").hidden && this.field("source") === "camera") this.choose("source", "hand");
  }

  /** @param {string} step */
  go(step) {
    this.step = step;
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (this.form.querySelectorAll(".step"))) part.hidden = part.dataset.step !== step;
    for (const button of byId("chooser-steps").querySelectorAll("button")) markCurrent(button, button.dataset.step === step, "step");
    byId("chooser-title").textContent = TITLES[step];
    byId("setup-way").hidden = step !== "source";
    byId("chooser-back").hidden = step === STEPS[0];
    byId("chooser-next").hidden = step === "source";
    byId("chooser-source").hidden = byId("chooser-new").hidden = step !== "source";
    if (step === "source") this.showCameras().catch((why) => console.error(why));
    this.dialog.scrollTop = 0;
  }

  /** List the cameras of this computer, and show a picture of the chosen one unless the table uses it already. */
  async showCameras() {
    const box = /** @type {HTMLSelectElement} */ (field(this.form, "camera")), { source } = this.state ?? {};
    const now = source?.kind === "camera" ? source.name : "";
    if (!box.dataset.known) {
      box.dataset.known = "true";
      const { cameras } = await ask("/api/setup/cameras").catch(() => ({ cameras: [] }));
      byId("no-camera").hidden = cameras.length > 0;
      box.hidden = cameras.length === 0 && !now;
      if (cameras.length) box.replaceChildren(...cameras.map((/** @type {any} */ { number, name }) => html("option", { value: number }, name)));
      if (now && ![...box.options].some((option) => option.value === now)) box.append(html("option", { value: now }, now));
      box.value = now || box.options[0].value;
    }
    const shot = byId("camera-shot");
    shot.hidden = true;
    if (this.field("source") !== "camera" || box.value === now || !byId("no-camera").hidden) return;
    shot.onload = () => { shot.hidden = false; };
    shot.src = `/setup/camera/${box.value}.jpg?${Date.now()}`;
  }

  /** @param {string} name */
  field(name) {
    return String(new FormData(this.form).get(name) ?? "");
  }

  source() {
    const kind = this.field("source");
    if (kind === "camera") return this.field("camera") || "0";
    if (kind === "film") return this.film.chosen();
    if (kind === "other") return this.field("other").trim();
    if (kind !== "demo") return kind;
    const offer = this.rules.offer;
    return offer?.demo ? `demo:${offer.name}` : "demo";
  }

  /** @param {string} name @param {string} value */
  choose(name, value) {
    field(this.form, name).value = value;
  }

  async useSource() {
    const source = this.source(), isFilm = !/^(camera|phone|hand)$/.test(this.field("source")) && !source.includes("://");
    if (isFilm && !(await mayBeginAnew(this.state))) return; // a film begins its own game
    await send("/api/source", { source });
    this.dialog.close();
  }

  async begin() {
    const source = this.source(); // a film that is missing is said before the question
    if (!(await mayBeginAnew(this.state))) return;
    await send("/api/game", { game: this.field("game"), options: this.rules.chosen(), source });
    if (!source.startsWith("demo")) await this.players.sendSettings(); // the players of the demo are known
    this.dialog.close();
  }
}
