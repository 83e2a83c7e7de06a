// @ts-check
/** Two small boards side by side: the stones as they are seen and as they are written, the differing points marked. */

import { Board } from "../board/board.js";
import { ring } from "../board/marks.js";
import { byId, html } from "../common/dom.js";

/** @import {GameView} from "../common/types.js" */

const RING = 1.34; // radius of the mark around a differing point, in radii of a stone

export class PairOfBoards {
  /** @param {Board} board the large board, whose drawing is copied */
  constructor(board) {
    this.board = board;
    this.shown = "";
  }

  /** @param {GameView} game @param {number[]} tops the stone on top of each point, 0 for none @param {string[]} points those that differ */
  show(game, tops, points) {
    const key = JSON.stringify([game.id, game.board, game.stacks, tops, this.board.view]);
    if (key === this.shown || game.board !== this.board.name) return; // the large board still loads its drawing
    this.shown = key;
    const stacks = points.map((name) => [name, [tops[game.points.indexOf(name)]].filter(Boolean).map((top) => [top, top])]);
    this.draw("seen-now", { ...game, stacks: { ...game.stacks, ...Object.fromEntries(stacks) } }, points);
    this.draw("seen-written", game, points);
  }

  /** @param {"seen-now" | "seen-written"} id @param {GameView} game @param {string[]} points */
  draw(id, game, points) {
    const frame = html("div", { "aria-hidden": "true" }, this.board.blank.cloneNode(true));
    byId(id).replaceChildren(frame);
    new Board(frame).show({ ...game, mills: [] }, { under: points.map((name) => ring("differs", name, RING)), over: [] });
  }
}
