// @ts-check
/** Asks before a game that is being played is ended by a new one. */

import { byId } from "../common/dom.js";

/**
 * Whether a new game may begin: at once where nothing is lost, else as the players answer. A film can be seen again and is
 * never asked about.
 * @param {import("../common/types.js").Snapshot | null} state
 * @returns {Promise<boolean>}
 */
export function mayBeginAnew(state) {
  const isFilm = ["film", "photographs"].includes(state?.source.medium ?? "");
  return !state || isFilm || state.game.outcome || state.game.ply === 0 ? Promise.resolve(true) : areSure();
}

/** @returns {Promise<boolean>} what people answer to the dialog of the page */
export function areSure() {
  const dialog = byId("sure");
  dialog.showModal();
  return new Promise((answer) => { // told by the press: "close" comes later, when the next question may be open already
    dialog.onsubmit = (/** @type {SubmitEvent} */ { submitter }) => answer(/** @type {HTMLButtonElement} */ (submitter).value === "yes");
    dialog.oncancel = () => answer(false);
  });
}
