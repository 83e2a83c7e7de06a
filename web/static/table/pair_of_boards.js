// @ts-check
/** Two small boards side by side: the stones as they are seen and as they are written, the differing points marked. */

import { byId, svg } from "../common/dom.js";
import { PEBBLE_RADIUS, pebble } from "../board/pebble.js";

/** @typedef {import("../common/types.js").GameView} Game */

const RING = 1.34; // radius of the mark around a differing point, in radii of a stone

export class PairOfBoards {
  /** @param {import("../board/board.js").Board} board the large board, whose drawing is copied */
  constructor(board) {
    this.board = board;
    this.shown = "";
  }

  /**
   * @param {Game} game
   * @param {number[]} tops the stone on top of each point, 0 for none
   * @param {string[]} points those that differ
   */
  show(game, tops, points) {
    const key = JSON.stringify([game.id, game.board, game.stacks, tops, this.board.view]);
    if (key === this.shown || game.board !== this.board.name) return; // the large board still loads its drawing
    this.shown = key;
    /** @type {(name: string) => number[]} */
    const written = (name) => (game.stacks[name] ?? []).map(([paint]) => paint);
    /** @type {(name: string, k: number) => number[]} */
    const seen = (name, k) => (points.includes(name) ? [tops[k]].filter(Boolean) : written(name));
    byId("seen-now").replaceChildren(this.draw(game.points.map((name, k) => [name, seen(name, k)]), points));
    byId("seen-written").replaceChildren(this.draw(game.points.map((name) => [name, written(name)]), points));
  }

  /** @param {[string, number[]][]} stacks @param {string[]} points */
  draw(stacks, points) {
    const { board } = this;
    const copy = /** @type {SVGElement} */ (board.drawing.cloneNode(true));
    for (const old of copy.querySelectorAll(".spots, .pointed, .twists, .weave")) old.remove();
    for (const old of copy.querySelectorAll(".stones, .marks-under, .marks-over")) old.replaceChildren();
    for (const mill of copy.querySelectorAll(".mill")) mill.classList.remove("lit", "fresh");
    for (const name of ["role", "aria-labelledby"]) copy.removeAttribute(name);
    copy.setAttribute("aria-hidden", "true");
    const [under, stones] = [".marks-under", ".stones"].map((name) => /** @type {SVGElement} */ (copy.querySelector(name)));
    under.append(...points.map((name) => board.circleAt(name, "differs", RING)));
    for (const [name, stack] of stacks) {
      stack.forEach((paint, level) => {
        const { x, y } = board.centreOf(name, level);
        stones.append(svg("g", { class: "pebble", transform: `translate(${x} ${y}) scale(${board.radius / PEBBLE_RADIUS})` }, pebble(paint, board.stoneSeed(name) + level)));
      });
    }
    return copy;
  }
}
