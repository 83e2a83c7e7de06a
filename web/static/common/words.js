// @ts-check
/** The texts of the page in its language; they stand in the page, or a file that the browser keeps brings them there. */

/** @type {Record<string, string>} */
const catalogue = Object.assign({}, ...[...document.querySelectorAll("script.words")].map((script) => JSON.parse(script.textContent || "{}")));

const POINTS = new Set(["point", "from", "to"]); // values that are names of points

export const language = document.documentElement.lang;

/** The text of a key, with each `{name}` replaced by its value. @param {string} key @param {Record<string, string | number>} [values] */
export function words(key, values = {}) {
  const text = catalogue[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String((POINTS.has(name) && catalogue[`wind.${values[name]}`]) || (values[name] ?? whole)));
}

/** The name of a point, to be read: the winds have the letters of the language. @param {string} name */
export function pointName(name) {
  return catalogue[`wind.${name}`] ?? name;
}

/**
 * The text of a key as it fits a lesson or what the pictures come from ("camera", "film", "photographs", "hand"), else
 * the one for all.
 * @param {string} key @param {import("./types.js").Snapshot} state
 */
export function fittingWords(key, { game, source }) {
  const fitting = [game.lesson ? "lesson" : "", source.medium].map((name) => `${key}.${name}`).find(hasWords);
  return words(fitting ?? key);
}

/** @param {string} key */
export function hasWords(key) {
  return key in catalogue;
}
