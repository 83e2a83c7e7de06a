// @ts-check
/** What is seen, without flicker: something else is shown only once it has lasted a moment. */

const LASTS_MS = 450;

export class Steady {
  /** @param {(seen: string) => void} changed is told what is to be shown from now on */
  constructor(changed) {
    this.changed = changed;
    this.shown = "";
    this.newest = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {string} seen */
  see(seen) {
    if (seen === this.newest) return;
    this.newest = seen;
    clearTimeout(this.timer);
    if (!this.shown || ["opening", "searching"].includes(this.shown)) this.shown = seen; // good news at once
    else if (seen !== this.shown) {
      this.timer = setTimeout(() => {
        this.shown = seen;
        this.changed(seen);
      }, LASTS_MS);
    }
  }
}
