// @ts-check
/** Goes on with an unfinished game at the table; where another one is being played there, people are asked first. */

import { byId, send } from "../common/dom.js";
import { words } from "../common/words.js";

const dialog = byId("go-on"), error = byId("go-on-error"), yes = byId("go-on-yes");
let number = 0;

async function goOn() {
  try {
    await send("/api/go-on", { game: number });
    location.assign("/");
  } catch (why) {
    error.textContent = /** @type {Error} */ (why).message;
    error.hidden = false;
    yes.hidden = byId("go-on-help").hidden = true;
    if (!dialog.open) dialog.showModal();
  }
}

document.addEventListener("click", ({ target }) => { // a search replaces the buttons
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-go-on]"));
  if (!button) return;
  number = Number(button.dataset.goOn);
  byId("go-on-words").textContent = words("go_on.title", { n: number });
  error.hidden = true;
  yes.hidden = false;
  byId("go-on-help").hidden = !("asks" in dialog.dataset);
  if ("asks" in dialog.dataset) dialog.showModal();
  else goOn();
});
yes.addEventListener("click", (/** @type {Event} */ event) => {
  event.preventDefault(); // what is refused is said here
  goOn();
});
