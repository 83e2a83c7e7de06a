// @ts-check
/** The list of games: writes the dates, and searches while somebody types. */

import { byId } from "../common/dom.js";
import { writeTimes } from "../common/date_times.js";

const TYPING_PAUSE_MS = 350;

writeTimes("medium");

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;
const box = byId("search");
box.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => box.form.requestSubmit(), TYPING_PAUSE_MS);
});
if (box.value !== box.defaultValue) box.dispatchEvent(new Event("input")); // somebody typed before this script ran
if (box.value) {
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
}
