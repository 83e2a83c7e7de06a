// @ts-check
/** Helpers to create and find elements. Text is always inserted as text, never as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/** @import {Ids} from "./ids.js" */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes those without a value are left out */

/** The element with this id, where the page has it. @template {keyof Ids} I @param {I} id @returns {Ids[I] | null} */
export function seek(id) {
  return /** @type {any} */ (document.getElementById(id));
}

/** The element with this id, which is part of the page. @template {keyof Ids} I @param {I} id */
export function byId(id) {
  const element = seek(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/** The element inside another one that a selector finds. @param {ParentNode} inside @param {string} what @returns {any} */
export function part(inside, what) {
  return inside.querySelector(what);
}

/** What the server has put into the page as JSON. @param {keyof Ids} id @returns {any} */
export function embedded(id) {
  return JSON.parse(byId(id).textContent ?? "");
}

/** A field of a form. @param {HTMLFormElement} form @param {string} name @returns {any} */
export function field(form, name) {
  return form.elements.namedItem(name);
}

/** Create an HTML element. @template {keyof HTMLElementTagNameMap} N @param {N} name @param {Attributes} [attributes] @param {...(Node | string)} children */
export function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Create an SVG element. @param {string} name @param {Attributes} [attributes] @param {...(Node | string)} children */
export function svg(name, attributes = {}, ...children) {
  return fill(/** @type {SVGElement} */ (document.createElementNS(SVG, name)), attributes, children);
}

/** Create a button. @param {Attributes} attributes @param {() => void} onClick @param {...(Node | string)} children */
export function button(attributes, onClick, ...children) {
  const element = html("button", { type: "button", ...attributes }, ...children);
  element.addEventListener("click", onClick);
  return element;
}

/** Mark the one of several that is shown now. @param {Element} element @param {boolean} isNow @param {"true" | "step"} [kind] */
export function markCurrent(element, isNow, kind = "true") {
  if (isNow) element.setAttribute("aria-current", kind);
  else element.removeAttribute("aria-current");
}

/** Lines with a grade. @param {HTMLElement} list @param {{grade: string, text: string}[]} lines */
export function showLines(list, lines) {
  list.replaceChildren(...lines.map(({ grade, text }) => html("li", { "data-grade": grade }, text)));
}

/** A drawing on a button. @param {string} path */
export function icon(path) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
}

/** @template {Element} E @param {E} made @param {Attributes} attributes @param {(Node | string)[]} children */
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** What is done upon a click. @param {keyof Ids} id @param {() => unknown} act */
export function onClick(id, act) {
  seek(id)?.addEventListener("click", act);
}

/** What is done with a form instead of sending it. @param {HTMLFormElement} form @param {(data: FormData) => unknown} act */
export function onSubmit(form, act) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(new FormData(form));
  });
}

/** Start now or once this page is looked at, and stop whenever it is not. @param {() => unknown} start @param {() => void} stop */
export function whileVisible(start, stop) {
  const follow = () => { if (document.hidden) stop(); else start(); };
  document.addEventListener("visibilitychange", follow);
  addEventListener("pagehide", stop);
  addEventListener("pageshow", follow);
  follow();
}
