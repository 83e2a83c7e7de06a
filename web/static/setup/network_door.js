// @ts-check
/** The button that lets phones in, and the one that closes the door again: on the page of the links and in the chooser. */

import { byId, send } from "../common/dom.js";

for (const button of document.querySelectorAll("button[data-door]")) {
  button.addEventListener("click", () => change(/** @type {HTMLButtonElement} */ (button)));
}

/** @param {HTMLButtonElement} button */
async function change(button) {
  const error = byId("door-error"), ways = button.closest(".door-ways");
  error.hidden = true;
  button.disabled = true;
  try {
    await send("/api/network", { open: button.dataset.door === "open" });
    if (!ways) location.reload();
    else for (const part of ways.children) /** @type {HTMLElement} */ (part).hidden = part === button;
  } catch (why) {
    error.textContent = /** @type {Error} */ (why).message;
    error.hidden = false;
  }
  button.disabled = false;
}
