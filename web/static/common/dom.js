// @ts-check
/** Helpers to create and find elements. Text is always inserted as text, never as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} id
 * @returns {any} the element with this id; it is part of the page
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Create an HTML element.
 * @param {string} name
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...(Node | string)} children
 */
export function html(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  fill(made, attributes, children);
  return made;
}

/**
 * Create an SVG element.
 * @param {string} name
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  fill(made, attributes, children);
  return made;
}

/**
 * @param {Element} made
 * @param {Record<string, string | number | boolean | null | undefined>} attributes
 * @param {(Node | string)[]} children
 */
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  made.append(...children);
}

/**
 * Send a command. When it is refused, throw an error with the sentence of the answer.
 * @template {keyof import("./types.js").Commands} P
 * @param {P} path
 * @param {import("./types.js").Commands[P]} body
 * @returns {Promise<any>} the answer
 */
export async function send(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    const said = await answer.json().catch(() => null);
    throw new Error(said?.error?.text ?? answer.statusText);
  }
  return answer.json();
}
