// @ts-check
/** The list of games: times as people write them, and a search that looks while one types. */

import { byId } from "../common/dom.js";
import { writeTimes } from "../common/date_times.js";

const WAIT_MS = 350;

writeTimes("medium");

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;
const box = byId("search");
box.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => box.form.requestSubmit(), WAIT_MS);
});
if (box.value !== box.defaultValue) box.dispatchEvent(new Event("input")); // somebody was faster than this script
if (box.value) {
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
}
