// @ts-check
/**
 * The drawing of a stone: an outline, the shaded colour of its player, and veins, so that colour is not the only
 * difference. The server sends the shapes (templates/pebbles.svg); exported drawings use the same ones.
 */

import { svg } from "../common/dom.js";

const N_SHAPES = 7;
const MOST_PLAYERS = 6;
export const PEBBLE_RADIUS = 100;

const N_VEINS = 3;

/** Give all drawn stones the colours of the real ones. @param {string[]} colours `#rrggbb`; usual where unknown or missing */
export function paintStones(colours) {
  for (let k = 0; k < MOST_PLAYERS; k += 1) {
    if (/^#[0-9a-f]{6}$/i.test(colours[k] ?? "")) document.documentElement.style.setProperty(`--p${k + 1}`, colours[k]);
    else document.documentElement.style.removeProperty(`--p${k + 1}`);
  }
}

/**
 * The drawing of a stone.
 * @param {number} paint the player whose colour it has, from 1
 * @param {number} seed selects outline and rotation
 * @returns {SVGElement} a group around the origin, `PEBBLE_RADIUS` in radius
 */
export function pebble(paint, seed) {
  const shape = ((seed % N_SHAPES) + N_SHAPES) % N_SHAPES;
  const group = svg("g", { class: `pebble-body paint-${paint}` });
  group.append(svg("ellipse", { class: "shade", cx: 7, cy: 20, rx: 122, ry: 108 }));
  const marks = svg("g", { transform: `rotate(${(seed * 47) % 360})` }, svg("use", { href: `#marks-${(paint - 1) % N_VEINS}` }));
  group.append(
    svg("use", { href: `#pebble-${shape}`, class: "body", fill: `url(#paint-${paint})` }), // the gradient is not rotated: the light falls from one side
    svg("g", { "clip-path": `url(#pebble-clip-${shape})` }, marks),
    svg("ellipse", { class: "shine", cx: -34, cy: -38, rx: 42, ry: 27, transform: "rotate(-32 -34 -38)" }),
  );
  return group;
}

/**
 * A stone as a small picture of its own.
 * @param {number} paint
 * @param {number} seed
 * @param {string} [kind]
 */
export function pebbleIcon(paint, seed, kind = "") {
  return svg("svg", { class: `pebble ${kind}`, viewBox: "-110 -110 220 220", "aria-hidden": "true" }, pebble(paint, seed));
}
