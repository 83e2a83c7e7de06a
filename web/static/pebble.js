// @ts-check
/** A pebble: an outline of its own, the paint of a player in light and shade, and veins that tell players apart. */

import { svg } from "./dom.js";

const N_SHAPES = 7;
export const PEBBLE_RADIUS = 100;

/** Veins across a stone: none on the first player's, one on the second's, two on the third's... @type {string[]} */
const VEINS = ["", "M-120 38C-50 2 30 30 120 -34", "M-120 30C-50 -4 30 20 120 -40M-110 66C-40 34 40 52 120 2"];

/**
 * @param {number} paint number of the player whose colour it has, 1 first
 * @param {number} seed chooses the outline and how it lies
 * @returns {SVGElement} a group around the origin, `PEBBLE_RADIUS` in radius
 */
export function pebble(paint, seed) {
  const shape = ((seed % N_SHAPES) + N_SHAPES) % N_SHAPES;
  const group = svg("g", { class: `pebble-body paint-${paint}` });
  group.append(svg("ellipse", { class: "shade", cx: 7, cy: 20, rx: 122, ry: 108 }));
  const marks = svg("g", { transform: `rotate(${(seed * 47) % 360})` });
  for (const [x, y, r] of [[-44, 30, 5], [18, -52, 4], [52, 20, 6], [-8, 62, 4], [-62, -20, 4], [30, 58, 3]]) {
    marks.append(svg("circle", { class: "speck", cx: x, cy: y, r }));
  }
  const veins = VEINS[(paint - 1) % VEINS.length];
  if (veins) marks.append(svg("path", { class: "vein", d: veins }));
  group.append(
    svg("use", { href: `#pebble-${shape}`, class: "body", fill: `url(#paint-${paint})` }), // the light is the same for all
    svg("g", { "clip-path": `url(#pebble-clip-${shape})` }, marks),
    svg("ellipse", { class: "shine", cx: -34, cy: -38, rx: 42, ry: 27, transform: "rotate(-32 -34 -38)" }),
  );
  return group;
}

/**
 * A pebble as a little picture of its own.
 * @param {number} paint
 * @param {number} seed
 * @param {string} [kind]
 */
export function pebbleIcon(paint, seed, kind = "") {
  return svg("svg", { class: `pebble ${kind}`, viewBox: "-110 -110 220 220", "aria-hidden": "true" }, pebble(paint, seed));
}
