// @ts-check
/** The cases: whether they are kept, and throwing some away. */

import { areSure, attempt, send } from "../common/ask.js";
import "../common/date_times.js";
import { byId, seek } from "../common/dom.js";

const error = byId("cases-error");
const switches = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#keep-cases, #keep-rooms")); // on the list alone
for (const one of switches) {
  one.addEventListener("change", async () => {
    const [on, rooms] = [...switches].map((each) => each.checked);
    if (!(await attempt(error, () => send("/api/cases", { on, rooms })))) one.checked = !one.checked;
  });
}

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-delete]"))) {
  const forget = async () => {
    await send("/api/cases/delete", { numbers: String(button.dataset.delete).trim().split(" ").map(Number) });
    location.assign("/cases");
  };
  const sure = seek("sure-delete"); // on the list alone
  button.addEventListener("click", () => (sure ? areSure(sure, forget) : attempt(error, forget)));
}

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-table]"))) {
  button.addEventListener("click", async () => {
    button.disabled = true; // all cases are read again, which takes a while
    await attempt(error, async () => {
      const { changed, text } = await send("/api/cases/habits", { table: String(button.dataset.table), learn: button.dataset.learn === "yes" });
      if (changed) location.reload();
      else byId("habits-said").textContent = text;
    });
    button.disabled = false;
  });
}
