// @ts-check
/** A turn that was played beside a better one, both drawn on the position before them. */

import { svg } from "../common/dom.js";

/**
 * @typedef {import("../common/types.js").Action} Action
 * @typedef {import("../common/types.js").Told} Told
 */

/**
 * Draw the better turn as the last turn is drawn, and the played one dashed where it was another.
 * @param {import("../board/board.js").Board} board
 * @param {import("../common/types.js").GameView} game the game before both
 * @param {Told} told
 */
export function drawBetterMove(board, game, told) {
  const last = { player: told.player, moves: told.best, mills: [], taken: {} };
  board.number = -1; // no stone has moved yet
  return board.show({ ...game, last, acts: null }).then(() => {
    const under = board.drawing.querySelector(".marks-under"), over = board.drawing.querySelector(".marks-over");
    const same = new Set(told.best.map((move) => JSON.stringify(move)));
    for (const move of told.played) {
      if (same.has(JSON.stringify(move))) continue;
      if (move.act === "place") under?.append(board.circleAt(move.to, "foul-ring", 1.3));
      if (move.act === "move") over?.append(svg("path", { class: "foul-arrow", d: board.arrowPath(move.from, move.to) }));
      if (move.act === "capture") under?.append(board.circleAt(move.at, "foul-ring", 1.3));
    }
  });
}
