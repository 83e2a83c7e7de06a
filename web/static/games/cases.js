// @ts-check
/** The cases: whether they are kept, and throwing some away. */

import { byId, send } from "../common/dom.js";

const keeps = /** @type {HTMLInputElement | null} */ (document.getElementById("keep-cases")); // on the list alone
keeps?.addEventListener("change", () => attempt("/api/cases", { on: keeps.checked }, () => { keeps.checked = !keeps.checked; }));

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-delete]"))) {
  const forget = async () => {
    const numbers = String(button.dataset.delete).trim().split(" ").map(Number);
    if (await attempt("/api/cases/delete", { numbers })) location.assign("/cases");
  };
  const sure = /** @type {HTMLDialogElement | null} */ (document.getElementById("sure-delete")); // on the list alone
  button.addEventListener("click", () => { if (sure) sure.showModal(); else forget(); });
  sure?.addEventListener("close", () => { if (sure.returnValue === "yes") forget(); });
}

/** @param {string} path @param {object} body @param {() => void} [undo] */
async function attempt(path, body, undo) {
  byId("cases-error").hidden = true;
  try {
    await send(path, body);
    return true;
  } catch (why) {
    undo?.();
    byId("cases-error").textContent = /** @type {Error} */ (why).message;
    byId("cases-error").hidden = false;
    return false;
  }
}
