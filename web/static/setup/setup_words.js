// @ts-check
/** The wizard's words: what calibration says, as the server put it there in the chosen language. */

/** @type {Record<string, string>} */
const catalogue = JSON.parse(document.getElementById("says")?.textContent ?? "{}");

/**
 * The phrase for a key, with `{name}` replaced by the values given.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function say(key, values = {}) {
  return (catalogue[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
