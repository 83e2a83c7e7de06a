// @ts-check
/** The texts of the page in its language: in the page itself, or in a file that the browser keeps. */

export const language = document.documentElement.lang;

const inPage = document.getElementById("words")?.textContent;

/** @type {Record<string, string>} */
const catalogue = inPage ? JSON.parse(inPage) : await (await fetch(`/words/${language}.json`)).json();

/**
 * The text of a key, with each `{name}` replaced by its value.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function words(key, values = {}) {
  const text = catalogue[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * The text of a key as it fits a lesson or what the pictures come from ("camera", "film", "photographs", "hand"), else
 * the one for all.
 * @param {string} key
 * @param {import("./types.js").Snapshot} state
 */
export function fittingWords(key, { game, source }) {
  const fitting = [game.lesson ? "lesson" : "", source.medium].map((name) => `${key}.${name}`).find(hasWords);
  return words(fitting ?? key);
}

/** @param {string} key */
export function hasWords(key) {
  return key in catalogue;
}
