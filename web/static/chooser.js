// @ts-check
/** The window in which people choose game and source. */

import { byId, send } from "./dom.js";

export class Chooser {
  constructor() {
    this.dialog = byId("chooser");
    this.form = byId("chooser-form");
    this.error = byId("chooser-error");
    /** @type {import("./types.js").State | null} */
    this.state = null;
    byId("choose").addEventListener("click", () => this.open());
    byId("chooser-close").addEventListener("click", () => this.dialog.close());
    byId("chooser-source").addEventListener("click", () => this.run(async () => send("/api/source", { source: this.source() })));
    this.form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.run(() => send("/api/game", { game: this.field("game"), source: this.source() }));
    });
    for (const name of ["camera", "other"]) {
      this.form.elements[name].addEventListener("focus", () => { this.choose("source", name); });
    }
  }

  open() {
    const { state } = this;
    if (state) {
      this.choose("game", state.game.name);
      const { kind, name } = state.source;
      this.choose("source", kind === "demo" || kind === "camera" ? kind : "other");
      if (kind === "camera") this.form.elements.camera.value = name;
      else if (kind !== "demo") this.form.elements.other.value = name;
    }
    this.error.hidden = true;
    this.dialog.showModal();
  }

  /** @param {string} name */
  field(name) {
    return String(new FormData(this.form).get(name) ?? "");
  }

  source() {
    const kind = this.field("source");
    if (kind === "camera") return this.field("camera") || "0";
    return kind === "other" ? this.field("other").trim() : "demo";
  }

  /** @param {string} name @param {string} value */
  choose(name, value) {
    for (const box of this.form.querySelectorAll(`input[type="radio"][name="${name}"]`)) box.checked = box.value === value;
  }

  /** @param {() => Promise<void>} act */
  async run(act) {
    try {
      await act();
      this.dialog.close();
    } catch (why) {
      this.error.textContent = why instanceof Error ? why.message : String(why);
      this.error.hidden = false;
    }
  }
}
