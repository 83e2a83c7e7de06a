// @ts-check
/** The three small buttons beside the board: names of the points, a quarter turn, the mirror. */

import { byId } from "../common/dom.js";
import { rememberView } from "./board_view.js";

export class BoardTools {
  /**
   * @param {import("./board.js").Board} board
   * @param {() => void} redraw shows the present state again
   */
  constructor(board, redraw) {
    this.board = board;
    this.redraw = redraw;
    byId("names-shown").addEventListener("click", () => this.change({ names: !board.view.names }));
    byId("turn-board").addEventListener("click", () => this.change({ quarters: (board.view.quarters + 1) % 4 }));
    byId("mirror-board").addEventListener("click", () => this.change({ isMirrored: !board.view.isMirrored }));
    this.show();
  }

  /** @param {Partial<import("./board_view.js").BoardView>} wanted */
  change(wanted) {
    this.board.setView({ ...this.board.view, ...wanted });
    rememberView(this.board.view);
    this.show();
    this.redraw();
  }

  show() {
    const { names, isMirrored } = this.board.view;
    byId("names-shown").setAttribute("aria-pressed", String(names));
    byId("mirror-board").setAttribute("aria-pressed", String(isMirrored));
  }
}
