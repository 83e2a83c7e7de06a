// @ts-check
/** The texts of the set-up in the language of the page; the server puts them into the page. */

/** @type {Record<string, string>} */
const catalogue = JSON.parse(document.getElementById("says")?.textContent ?? "{}");

/**
 * The text of a key, with each `{name}` replaced by its value.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function say(key, values = {}) {
  return (catalogue[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
