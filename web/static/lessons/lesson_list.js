// @ts-check
/** The list of lessons: how many of each game have been solved with this browser. */

import { embedded } from "../common/dom.js";
import { markSolved } from "./progress.js";

/** @type {string} */
const text = embedded("solved-text");

for (const row of document.querySelectorAll("[data-game]")) {
  const { game, n } = /** @type {HTMLElement} */ (row).dataset;
  const count = markSolved(row, String(game));
  const label = row.querySelector("[data-count]");
  if (label) label.textContent = text.replace("{n}", String(count)).replace("{of}", String(n));
}
