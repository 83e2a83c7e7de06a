// @ts-check
/** What the parts of the page share: its texts, the game (and for how many), questions to the server, and lines with a grade. */

import { byId, html } from "../common/dom.js";

/** @type {Record<string, string>} */
const says = JSON.parse(byId("says").textContent);

export const game = /** @type {HTMLElement} */ (document.querySelector("[data-game]")).dataset.game ?? "";

/** So long nothing may change before the server is asked: a slider sends many values on its way. */
const WAIT_MS = 150;

/**
 * The text of a key, with each `{name}` replaced by its value.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function say(key, values = {}) {
  return (says[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * The answer of the server as JSON; a refusal is thrown with its sentence.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function ask(path, options) {
  const answer = await fetch(path, options);
  const told = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(told?.error?.text ?? answer.statusText);
  return told;
}

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
      let said = "";
      try {
        const told = await ask(path());
        if (mine === newest) show(told);
      } catch (why) {
        said = /** @type {Error} */ (why).message;
      }
      if (mine !== newest) return;
      complain(wrong, said);
      wrong.closest("section")?.classList.toggle("out-of-date", said !== "");
    }, WAIT_MS);
  };
}

/**
 * @param {HTMLElement} place
 * @param {string} said empty when nothing is wrong
 */
export function complain(place, said) {
  place.textContent = said;
  place.hidden = !said;
}

/**
 * @param {HTMLElement} list
 * @param {{grade: string, text: string}[]} lines
 */
export function showLines(list, lines) {
  list.replaceChildren(...lines.map((one) => html("li", { "data-grade": one.grade }, html("span", {}, one.text))));
}

/**
 * @param {HTMLFormElement} form
 * @param {Set<string>} [without] names that are left out
 */
export function query(form, without = new Set()) {
  const filled = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (!without.has(name)) filled.append(name, String(value));
  return filled.toString();
}
