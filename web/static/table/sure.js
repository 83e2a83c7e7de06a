// @ts-check
/** Asks before a game that is being played is ended by a new one. */

import { byId } from "../common/dom.js";

/**
 * Whether a new game may begin: at once where nothing is lost, else as the players answer. A film can be seen again and is
 * never asked about.
 * @param {import("../common/types.js").State | null} state
 * @returns {Promise<boolean>}
 */
export function mayBeginAnew(state) {
  const isFilm = ["film", "photographs"].includes(state?.source.medium ?? "");
  if (!state || isFilm || state.game.outcome || state.game.ply === 0) return Promise.resolve(true);
  const dialog = byId("sure");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((answer) => dialog.addEventListener("close", () => answer(dialog.returnValue === "yes"), { once: true }));
}
