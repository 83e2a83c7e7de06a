// @ts-check
/** What was found in the journals at the start: said once in this browser, until it is closed. */

import { byId, onClick, part } from "../common/dom.js";

const READ = "findings-read";

const notice = byId("findings"), said = part(notice, "div").textContent;
notice.hidden = localStorage.getItem(READ) === said;
onClick("findings-close", () => {
  localStorage.setItem(READ, said);
  notice.hidden = true;
});
