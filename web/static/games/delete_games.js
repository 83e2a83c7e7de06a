// @ts-check
/** Deletes a game from its own page, or those that are chosen in the list, after a question. */

import { byId, send } from "../common/dom.js";
import { words } from "../common/words.js";

const dialog = byId("delete-games"), error = byId("delete-error"), bar = document.getElementById("delete-bar");
/** @type {number[]} */
let asked = [];

/** @param {number[]} numbers */
function ask(numbers) {
  asked = numbers;
  byId("delete-words").textContent = words(numbers.length === 1 ? "delete.one" : "delete.many", { n: numbers.length });
  error.hidden = true;
  dialog.showModal();
}

byId("delete-yes").addEventListener("click", async (/** @type {Event} */ event) => {
  event.preventDefault(); // what is refused is said here
  try {
    await send("/api/games/delete", { games: asked });
    if (bar) location.reload();
    else location.assign("/games");
  } catch (why) {
    error.textContent = /** @type {Error} */ (why).message;
    error.hidden = false;
  }
});

document.getElementById("delete-game")?.addEventListener("click", () => ask([Number(byId("delete-game").dataset.game)]));

/** @returns {HTMLInputElement[]} */
const boxes = () => [...document.querySelectorAll("#found .pick input")].map((one) => /** @type {HTMLInputElement} */ (one));

function count() {
  byId("delete-chosen").disabled = !boxes().some((one) => one.checked);
  byId("delete-all").checked = boxes().length > 0 && boxes().every((one) => one.checked);
}

if (bar) {
  byId("delete-choose").addEventListener("click", () => {
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
  byId("delete-chosen").addEventListener("click", () => ask(boxes().filter((one) => one.checked).map((one) => Number(one.value))));
  byId("found").addEventListener("change", count);
  new MutationObserver(count).observe(byId("found"), { childList: true }); // a search replaces the list
}
