// @ts-check
/** A value without flicker: a change is shown only when it has lasted a moment. */

const MIN_DURATION_MS = 450;

export class SteadyValue {
  /** @param {(value: string) => void} changed called with each value that is to be shown */
  constructor(changed) {
    this.changed = changed;
    this.shown = "";
    this.newest = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {string} value */
  set(value) {
    if (value === this.newest) return;
    this.newest = value;
    clearTimeout(this.timer);
    if (!this.shown || ["opening", "searching"].includes(this.shown)) this.shown = value; // good news at once
    else if (value !== this.shown) {
      this.timer = setTimeout(() => {
        this.shown = value;
        this.changed(value);
      }, MIN_DURATION_MS);
    }
  }
}
