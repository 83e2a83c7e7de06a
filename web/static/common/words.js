// @ts-check
/** The texts of the page in its language; the server puts them into the page. */

/** @type {Record<string, string>} */
const catalogue = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("words")).textContent ?? "{}");

export const language = document.documentElement.lang;

/**
 * The text of a key, with each `{name}` replaced by its value.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function words(key, values = {}) {
  const text = catalogue[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** @param {string} key */
export function hasWords(key) {
  return key in catalogue;
}
