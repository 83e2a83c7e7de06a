// @ts-check
/** Grips on the corners of a field in a picture: each is dragged or moved by keys, or four taps set one after the other. */

import { svg } from "../common/dom.js";
import { words } from "../common/words.js";
import { fromUnitSquare } from "./homography.js";

const STEP_PX = 4; // movement by an arrow key; ten times as far with Shift
const TAP_PX = 6; // a finger that moves less has tapped

/** @typedef {{x: number, y: number}} Place */
/** @typedef {{width: number, height: number}} Size of the picture in its own pixels */

/** Where corners may lie as long as nobody knows. @param {Size} size */
export function usualCorners({ width, height }) {
  return [[0.28, 0.2], [0.72, 0.2], [0.78, 0.82], [0.22, 0.82]].map(([x, y]) => ({ x: x * width, y: y * height }));
}

/**
 * Draw the grips; what is done with them changes `corners`.
 * @param {SVGSVGElement} overlay over the picture
 * @param {Place[]} corners clockwise from the upper left one of the board
 * @param {Size} size
 * @param {Iterable<Place>} places of the board's points, in thousandths of its side: a round board has no corners to compare with
 */
export function drawGrips(overlay, corners, { width, height }, places) {
  const rim = svg("polygon", { class: "rim" }), unit = width / 1280;
  const guesses = [...places].map((place) => ({ place, ring: svg("circle", { class: "guess", r: 9 * unit }) }));
  const draw = () => {
    rim.setAttribute("points", corners.map(({ x, y }) => `${x},${y}`).join(" "));
    const seen = fromUnitSquare(corners);
    for (const { place, ring } of guesses) {
      const { x, y } = seen(place.x / 1000, place.y / 1000);
      ring.setAttribute("cx", String(x));
      ring.setAttribute("cy", String(y));
    }
  };
  const grips = corners.map((_, k) => svg("g", { class: "grip", tabindex: 0, role: "button" },
    svg("circle", { class: "reach", r: 60 * unit }), svg("circle", { class: "dot", r: 20 * unit }), svg("circle", { class: "eye", r: 4 * unit }),
    svg("text", { y: -34 * unit }, String(k + 1))));
  /** @param {number} k @param {Place} to */
  const move = (k, to) => {
    const corner = corners[k];
    corner.x = Math.max(0, Math.min(width, to.x));
    corner.y = Math.max(0, Math.min(height, to.y));
    grips[k].setAttribute("transform", `translate(${corner.x} ${corner.y})`);
    grips[k].setAttribute("aria-label", words("label", { name: words(`corner.${k + 1}`), text: `${Math.round(corner.x)}, ${Math.round(corner.y)}` }));
    draw();
  };
  const all = svg("g", {}, svg("rect", { width, height, fill: "#0000" }), rim, ...guesses.map(({ ring }) => ring), ...grips);
  let pressed = { x: 0, y: 0, grip: -1, isDragged: false }, next = 0;
  all.addEventListener("pointerdown", (event) => {
    const grip = grips.findIndex((one) => one.contains(/** @type {Node} */ (event.target)));
    pressed = { x: event.clientX, y: event.clientY, grip, isDragged: false };
    all.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  /** @param {PointerEvent} event */
  const placeOf = ({ clientX, clientY }) => new DOMPoint(clientX, clientY).matrixTransform(overlay.getScreenCTM()?.inverse());
  all.addEventListener("pointermove", (event) => {
    if (!all.hasPointerCapture(event.pointerId)) return;
    pressed.isDragged ||= Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > TAP_PX;
    if (pressed.isDragged && pressed.grip >= 0) move(pressed.grip, placeOf(event));
  });
  all.addEventListener("pointerup", (event) => {
    if (!pressed.isDragged) move(next++ % corners.length, placeOf(event));
  });
  grips.forEach((grip, k) => {
    grip.addEventListener("keydown", (event) => {
      const step = STEP_PX * (event.shiftKey ? 10 : 1), { x, y } = corners[k];
      /** @type {Record<string, Place>} */
      const ways = { ArrowLeft: { x: x - step, y }, ArrowRight: { x: x + step, y }, ArrowUp: { x, y: y - step }, ArrowDown: { x, y: y + step } };
      if (!ways[event.key]) return;
      event.preventDefault();
      move(k, ways[event.key]);
    });
    move(k, corners[k]);
  });
  overlay.replaceChildren(all);
}
