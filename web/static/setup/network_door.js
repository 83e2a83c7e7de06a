// @ts-check
/** The buttons that let phones in and close the door again, in the chooser too; links that are made and taken back. */

import { writeTimes } from "../common/date_times.js";
import { byId, send } from "../common/dom.js";

writeTimes("long");

for (const button of document.querySelectorAll("button[data-door]")) {
  button.addEventListener("click", () => change(/** @type {HTMLButtonElement} */ (button)));
}

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-link]"))) {
  button.addEventListener("click", () => ask("/api/links/remove", { link: String(button.dataset.link) }));
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("new-link"));
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, role, days } = Object.fromEntries(new FormData(form));
  ask("/api/links/add", { name: String(name), role: String(role), days: Number(days) });
});

/**
 * @template {keyof import("../common/types.js").Commands} P
 * @param {P} path @param {import("../common/types.js").Commands[P]} body
 */
async function ask(path, body) {
  try {
    await send(path, body);
    location.reload();
  } catch (why) {
    byId("door-error").textContent = /** @type {Error} */ (why).message;
    byId("door-error").hidden = false;
  }
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
