// @ts-check
/** What was found in the journals at the start: said once in this browser, until it is closed. */

import { byId } from "../common/dom.js";

const READ = "findings-read";

const notice = byId("findings"), said = notice.querySelector("div").textContent;
notice.hidden = localStorage.getItem(READ) === said;
byId("findings-close").addEventListener("click", () => {
  localStorage.setItem(READ, said);
  notice.hidden = true;
});
