// @ts-check
/** The buttons that let phones in and close the door again, in the chooser too; links that are made and taken back. */

import { attempt, send } from "../common/ask.js";
import "../common/date_times.js";
import { byId, onSubmit, seek } from "../common/dom.js";

/** Do something, and show the page as it is then. @param {() => Promise<unknown>} act */
async function change(act) {
  if (await attempt(byId("door-error"), act)) location.reload();
}

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-door]"))) {
  const ways = button.closest(".door-ways"); // in the chooser, which stays open
  const act = () => send("/api/network", { open: button.dataset.door === "open" });
  button.addEventListener("click", async () => {
    button.disabled = true;
    if (!ways) await change(act);
    else if (await attempt(byId("door-error"), act)) for (const part of ways.children) /** @type {HTMLElement} */ (part).hidden = part === button;
    button.disabled = false;
  });
}
for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-link]"))) {
  button.addEventListener("click", () => change(() => send("/api/links/remove", { link: String(button.dataset.link) })));
}
const form = seek("new-link");
if (form) onSubmit(form, (data) => change(() => send("/api/links/add", { name: String(data.get("name")), role: String(data.get("role")), days: Number(data.get("days")) })));
