// @ts-check
/** What the parts of the page share: the game (and for how many), questions to the server, and lines with a grade. */

import { ask, attempt } from "../common/ask.js";

export const game = /** @type {HTMLElement} */ (document.querySelector("[data-game]")).dataset.game ?? "";

/** So long nothing may change before the server is asked: a slider sends many values on its way. */
const WAIT_MS = 150;

/**
 * Ask once a form has rested; only the newest answer is shown; beside a refusal, what was shown before turns pale.
 * @param {() => string} path
 * @param {(answer: any) => void} show
 * @param {HTMLElement} wrong where a refusal is said
 * @returns {() => void} to be called upon every change
 */
export function asking(path, show, wrong) {
  let timer = 0, newest = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const mine = ++newest;
      const isShown = await attempt(wrong, async () => {
        const answer = await ask(path());
        if (mine === newest) show(answer);
      });
      if (mine === newest) wrong.closest("section")?.classList.toggle("out-of-date", !isShown);
    }, WAIT_MS);
  };
}

/** @param {HTMLFormElement} form @param {Set<string>} [without] names that are left out */
export function query(form, without = new Set()) {
  const filled = [...new FormData(form)].filter(([name]) => !without.has(name)).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(filled).toString();
}

/** What is done with a photograph that is chosen, of a referee. @param {HTMLInputElement | null} input @param {(file: File) => Promise<unknown>} act */
export function onPhotograph(input, act) {
  input?.addEventListener("change", async () => {
    const file = input.files?.[0];
    input.disabled = true;
    if (file) await act(file);
    input.disabled = false;
    input.value = "";
  });
}
