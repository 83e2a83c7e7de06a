// @ts-check
/** Deletes a game from its own page, or those that are chosen in the list, after a question. */

import { areSure, send } from "../common/ask.js";
import { byId, onClick, seek } from "../common/dom.js";
import { words } from "../common/words.js";

const bar = seek("delete-bar");

/** @param {number[]} games */
function ask(games) {
  byId("delete-games-title").textContent = words(games.length === 1 ? "delete.one" : "delete.many", { n: games.length });
  areSure(byId("delete-games"), async () => {
    await send("/api/games/delete", { games });
    if (bar) location.reload();
    else location.assign("/games");
  });
}

/** @returns {HTMLInputElement[]} */
const boxes = () => [...document.querySelectorAll("#found .pick input")].map((one) => /** @type {HTMLInputElement} */ (one));

function count() {
  byId("delete-chosen").disabled = !boxes().some((one) => one.checked);
  byId("delete-all").checked = boxes().length > 0 && boxes().every((one) => one.checked);
}

onClick("delete-game", () => ask([Number(byId("delete-game").dataset.game)]));
if (bar) {
  onClick("delete-choose", () => {
    const isOn = document.body.classList.toggle("choosing");
    byId("delete-choose").setAttribute("aria-expanded", String(isOn));
    byId("delete-choose").textContent = words(isOn ? "cancel" : "delete.choose");
    byId("delete-tools").hidden = !isOn;
    count();
  });
  byId("delete-all").addEventListener("change", () => {
    for (const one of boxes()) one.checked = byId("delete-all").checked;
    count();
  });
  onClick("delete-chosen", () => ask(boxes().filter((one) => one.checked).map((one) => Number(one.value))));
  byId("found").addEventListener("change", count);
  new MutationObserver(count).observe(byId("found"), { childList: true }); // a search replaces the list
}
