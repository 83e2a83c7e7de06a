// @ts-check
/**
 * A pebble: an outline of its own, the paint of a player in light and shade, and veins that tell players apart.
 * The shapes come from the server (templates/pebbles.svg), one geometry for page and exports.
 */

import { svg } from "../common/dom.js";

const N_SHAPES = 7;
export const PEBBLE_RADIUS = 100;

const N_VEINS = 3;

/** Paint the pebbles of the whole page in the colours that lie on the table. @param {string[]} colours `#rrggbb`, "" unknown */
export function paintStones(colours) {
  colours.forEach((colour, k) => {
    if (/^#[0-9a-f]{6}$/i.test(colour)) document.documentElement.style.setProperty(`--p${k + 1}`, colour);
    else document.documentElement.style.removeProperty(`--p${k + 1}`);
  });
}

/**
 * @param {number} paint number of the player whose colour it has, 1 first
 * @param {number} seed chooses the outline and how it lies
 * @returns {SVGElement} a group around the origin, `PEBBLE_RADIUS` in radius
 */
export function pebble(paint, seed) {
  const shape = ((seed % N_SHAPES) + N_SHAPES) % N_SHAPES;
  const group = svg("g", { class: `pebble-body paint-${paint}` });
  group.append(svg("ellipse", { class: "shade", cx: 7, cy: 20, rx: 122, ry: 108 }));
  const marks = svg("g", { transform: `rotate(${(seed * 47) % 360})` }, svg("use", { href: `#marks-${(paint - 1) % N_VEINS}` }));
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
