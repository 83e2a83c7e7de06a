// @ts-check
/** Grips on a picture, dragged or moved by keys: the corners of a field, which four taps set one after the other, too, or its points. */

import { svg } from "../common/dom.js";
import { words } from "../common/words.js";
import { fromUnitSquare } from "./homography.js";

const CORNER = { stepPx: 4, tapPx: 6, reach: 60, dot: 20, inset: 0 }; // a finger that moves less than tapPx has tapped
const POINT = { stepPx: 1, tapPx: 0, reach: 26, dot: 11, inset: 1 };
const FAR = 10; // so many steps at once with Shift

/** @typedef {{x: number, y: number}} Place */
/** @typedef {Place & {name: string}} Grip */
/** @typedef {{width: number, height: number}} Size of the picture in its own pixels */

/** The corners of a board, clockwise from its upper left one. @param {Size} size @param {Place[] | null} [known] else where they may lie @returns {Grip[]} */
export function cornerGrips({ width, height }, known) {
  const usual = [[0.28, 0.2], [0.72, 0.2], [0.78, 0.82], [0.22, 0.82]].map(([x, y]) => ({ x: x * width, y: y * height }));
  return (known ?? usual).map(({ x, y }, k) => ({ x, y, name: String(k + 1) }));
}

/**
 * Draw grips; what is done with them changes their places.
 * @param {SVGSVGElement} overlay over the picture
 * @param {Grip[]} grips
 * @param {Size} size
 * @param {{edges?: number[][], places?: Iterable<Place>, isFine?: boolean, held?: (grip: Grip | null) => void, done?: (grip: Grip) => void}} how
 *   pairs of grips that are joined; places of the board's points, in thousandths of its side, that show where the corners
 *   take them; whether the grips are points; what is called while one is held, and when it was moved
 */
export function drawGrips(overlay, grips, { width, height }, { edges, places = [], isFine = false, held = () => {}, done = () => {} }) {
  const unit = width / 1280, { stepPx, tapPx, reach, dot, inset } = isFine ? POINT : CORNER;
  const lines = (edges ?? grips.map((_, k) => [k, (k + 1) % grips.length])).map(([a, b]) => ({ a: grips[a], b: grips[b], line: svg("line", { class: "edge" }) }));
  const guesses = [...places].map((place) => ({ place, ring: svg("circle", { class: "guess", r: 9 * unit }) }));
  const groups = grips.map(({ name }) => svg("g", { class: isFine ? "grip fine" : "grip", tabindex: 0, role: "button" },
    svg("circle", { class: "reach", r: reach * unit }), svg("circle", { class: "dot", r: dot * unit }),
    ...(isFine ? [] : [svg("circle", { class: "eye", r: 4 * unit }), svg("text", { y: -34 * unit }, name)])));
  /** @param {number} k @param {Place} to */
  const move = (k, { x, y }) => {
    const grip = grips[k], place = { x: Math.max(0, Math.min(width - inset, x)), y: Math.max(0, Math.min(height - inset, y)) };
    Object.assign(grip, place);
    const shown = { x: Math.round(grip.x), y: Math.round(grip.y) }, corner = words(`corner.${grip.name}`);
    groups[k].setAttribute("transform", `translate(${grip.x} ${grip.y})`);
    groups[k].setAttribute("aria-label", isFine ? words("wizard.point", { name: grip.name, ...shown }) : words("label", { name: corner, text: `${shown.x}, ${shown.y}` }));
    for (const { a, b, line } of lines) set(line, { x1: a.x, y1: a.y, x2: b.x, y2: b.y });
    const guess = guesses.length ? fromUnitSquare(grips) : null;
    for (const { place: { x: u, y: v }, ring } of guess ? guesses : []) {
      const at = /** @type {NonNullable<typeof guess>} */ (guess)(u / 1000, v / 1000);
      set(ring, { cx: at.x, cy: at.y });
    }
  };
  const all = svg("g", {}, ...(isFine ? [] : [svg("rect", { width, height, fill: "#0000" })]),
    ...lines.map(({ line }) => line), ...guesses.map(({ ring }) => ring), ...groups);
  let pressed = { x: 0, y: 0, k: -1, isDragged: false }, next = 0;
  /** @param {PointerEvent} event */
  const placeOf = ({ clientX, clientY }) => new DOMPoint(clientX, clientY).matrixTransform(overlay.getScreenCTM()?.inverse());
  all.addEventListener("pointerdown", (event) => {
    const k = groups.findIndex((one) => one.contains(/** @type {Node} */ (event.target)));
    pressed = { x: event.clientX, y: event.clientY, k, isDragged: false };
    all.setPointerCapture(event.pointerId);
    event.preventDefault();
    groups[k]?.focus({ preventScroll: true });
    held(grips[k] ?? null);
  });
  all.addEventListener("pointermove", (event) => {
    if (!all.hasPointerCapture(event.pointerId) || pressed.k < 0) return;
    pressed.isDragged ||= Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > tapPx;
    if (pressed.isDragged) move(pressed.k, placeOf(event));
    held(grips[pressed.k]);
  });
  all.addEventListener("pointerup", (event) => {
    if (pressed.isDragged) done(grips[pressed.k]);
    else if (!isFine) move(next++ % grips.length, placeOf(event));
    held(null);
  });
  all.addEventListener("pointercancel", () => held(null));
  groups.forEach((group, k) => {
    group.addEventListener("keydown", (event) => {
      const step = stepPx * (event.shiftKey ? FAR : 1), { x, y } = grips[k];
      /** @type {Record<string, Place>} */
      const ways = { ArrowLeft: { x: x - step, y }, ArrowRight: { x: x + step, y }, ArrowUp: { x, y: y - step }, ArrowDown: { x, y: y + step } };
      if (!ways[event.key]) return;
      event.preventDefault();
      move(k, ways[event.key]);
      held(grips[k]);
      done(grips[k]);
    });
    group.addEventListener("focus", () => { if (group.matches(":focus-visible")) held(grips[k]); });
    group.addEventListener("blur", () => held(null));
    move(k, grips[k]);
  });
  overlay.replaceChildren(all);
}

/** @param {SVGElement} element @param {Record<string, number>} numbers */
function set(element, numbers) {
  for (const [name, value] of Object.entries(numbers)) element.setAttribute(name, String(value));
}
