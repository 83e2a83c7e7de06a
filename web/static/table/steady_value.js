// @ts-check
/** A value without flicker: a change is shown only when it has lasted a moment. */

const MIN_DURATION_MS = 450;
const AT_ONCE = ["", "opening", "searching"]; // what comes after these is good news

export class SteadyValue {
  /**
   * @param {(value: string) => void} changed called with each value that is to be shown
   * @param {number} [durationMs] how long a value must last
   * @param {string} [first] the value before any other
   */
  constructor(changed, durationMs = MIN_DURATION_MS, first = "") {
    this.changed = changed;
    this.durationMs = durationMs;
    this.shown = first;
    this.newest = first;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {string} value */
  set(value) {
    if (value === this.newest) return;
    this.newest = value;
    clearTimeout(this.timer);
    if (AT_ONCE.includes(this.shown)) this.shown = value;
    else if (value !== this.shown) {
      this.timer = setTimeout(() => {
        this.shown = value;
        this.changed(value);
      }, this.durationMs);
    }
  }
}
