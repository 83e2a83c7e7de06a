// @ts-check
/** The cases: whether they are kept, and throwing some away. */

import { byId, send } from "../common/dom.js";

const switches = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#keep-cases, #keep-rooms")); // on the list alone
for (const one of switches) {
  one.addEventListener("change", () => {
    const [on, rooms] = [...switches].map((each) => each.checked);
    attempt("/api/cases", { on, rooms }, () => { one.checked = !one.checked; });
  });
}

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-delete]"))) {
  const forget = async () => {
    const numbers = String(button.dataset.delete).trim().split(" ").map(Number);
    if (await attempt("/api/cases/delete", { numbers })) location.assign("/cases");
  };
  const sure = /** @type {HTMLDialogElement | null} */ (document.getElementById("sure-delete")); // on the list alone
  button.addEventListener("click", () => { if (sure) sure.showModal(); else forget(); });
  sure?.addEventListener("close", () => { if (sure.returnValue === "yes") forget(); });
}

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-table]"))) {
  button.addEventListener("click", async () => {
    button.disabled = true; // all cases are read again, which takes a while
    const wanted = { table: String(button.dataset.table), learn: button.dataset.learn === "yes" };
    const answer = await attempt("/api/cases/habits", wanted);
    button.disabled = false;
    if (answer?.changed) location.reload();
    else if (answer) byId("habits-said").textContent = answer.text;
  });
}

/**
 * Send a command, and show why it is refused.
 * @template {keyof import("../common/types.js").Commands} P
 * @param {P} path @param {import("../common/types.js").Commands[P]} body @param {() => void} [undo]
 */
async function attempt(path, body, undo) {
  byId("cases-error").hidden = true;
  try {
    return await send(path, body);
  } catch (why) {
    undo?.();
    byId("cases-error").textContent = /** @type {Error} */ (why).message;
    byId("cases-error").hidden = false;
    return null;
  }
}
