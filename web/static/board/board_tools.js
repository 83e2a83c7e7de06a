// @ts-check
/** The three small buttons beside the board: names of the points, a quarter turn, the mirror. */

import { byId, onClick } from "../common/dom.js";
import { rememberView } from "./board_view.js";

/** @param {import("./board.js").Board} board @param {() => void} redraw shows the present state again */
export function offerBoardTools(board, redraw) {
  const show = () => {
    byId("names-shown").setAttribute("aria-pressed", String(board.view.names));
    byId("mirror-board").setAttribute("aria-pressed", String(board.view.isMirrored));
  };
  /** @param {Partial<import("./board_view.js").BoardView>} wanted */
  const change = (wanted) => {
    board.setView({ ...board.view, ...wanted });
    rememberView(board.view);
    show();
    redraw();
  };
  onClick("names-shown", () => change({ names: !board.view.names }));
  onClick("turn-board", () => change({ quarters: (board.view.quarters + 1) % 4 }));
  onClick("mirror-board", () => change({ isMirrored: !board.view.isMirrored }));
  show();
}
