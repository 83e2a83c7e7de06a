// @ts-check
/** A turn that is still to be made, drawn over a board: the stone that is meant, an arrow, and where it goes. */

import { svg } from "../common/dom.js";
import { PEBBLE_RADIUS, pebble } from "./pebble.js";

/** @typedef {import("../common/types.js").Proposed} Meant */

/** What each drawing shows already: what has not changed keeps its place in the animation. @type {WeakMap<Element, string>} */
const drawn = new WeakMap();

/**
 * @param {import("./board.js").Board} board
 * @param {Meant | null} told
 * @param {import("../common/types.js").GameView} game
 */
export function showMeant(board, told, game) {
  const wanted = told?.moves.length ? JSON.stringify([told.player, told.moves, game.stacks]) : "";
  if (drawn.get(board.drawing) === wanted) return;
  drawn.set(board.drawing, wanted);
  board.drawing.querySelector(".meant-marks")?.remove();
  if (!told || !wanted) return;
  const layer = svg("g", { class: "meant-marks", "aria-hidden": "true" });
  for (const move of told.moves) layer.append(...marksOf(board, move, told.player, game));
  board.drawing.insertBefore(layer, board.part("pointed"));
}

/**
 * @param {import("./board.js").Board} board
 * @param {import("../common/types.js").Action} move
 * @param {number} player
 * @param {import("../common/types.js").GameView} game
 */
function marksOf(board, move, player, game) {
  const height = (/** @type {string} */ name) => (game.stacks[name] ?? []).length;
  if (move.act === "place") return [...ghost(board, move.to, player, height(move.to))];
  if (move.act === "move") {
    const paint = game.stacks[move.from]?.at(-1)?.[0] ?? player;
    return [ring(board, move.from, height(move.from) - 1, "meant-ring"), ...ghost(board, move.to, paint, height(move.to)), svg("path", { class: "meant-arrow", d: board.arrowPath(move.from, move.to) })];
  }
  if (move.act === "capture") {
    const { x, y } = board.centreOf(move.at, Math.max(0, height(move.at) - 1)), a = board.radius * 0.62;
    return [ring(board, move.at, height(move.at) - 1, "meant-ring taking"), svg("path", { class: "meant-cross", d: `M${x - a} ${y - a}L${x + a} ${y + a}M${x + a} ${y - a}L${x - a} ${y + a}` })];
  }
  return move.act === "rotate" && move.ring !== null ? board.rotationArrows(move.ring, move.steps, "meant-arrow") : [];
}

/**
 * A stone that is not there yet.
 * @param {import("./board.js").Board} board @param {string} name @param {number} paint @param {number} level
 */
function ghost(board, name, paint, level) {
  const { x, y } = board.centreOf(name, level);
  const stone = svg("g", { class: "pebble meant-stone", transform: `translate(${x} ${y}) scale(${board.radius / PEBBLE_RADIUS})` }, pebble(paint, board.stoneSeed(name)));
  return [stone, ring(board, name, level, "meant-ring goal-ring")];
}

/** @param {import("./board.js").Board} board @param {string} name @param {number} level @param {string} kind */
function ring(board, name, level, kind) {
  const { x, y } = board.centreOf(name, Math.max(0, level));
  return svg("circle", { class: kind, cx: x, cy: y, r: board.radius * 1.2 });
}
