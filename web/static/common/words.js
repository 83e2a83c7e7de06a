// @ts-check
/** The words of the page, as the server put them there in the chosen language. */

/** @type {Record<string, string>} */
const catalogue = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("words")).textContent ?? "{}");

export const language = document.documentElement.lang;

/**
 * The words for a key, with `{name}` replaced by the values given.
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
