// @ts-check
/** The list of games: writes the dates, and searches while somebody types; of the page only the list is replaced. */

import { writeTimes } from "../common/date_times.js";
import { byId, html, onSubmit } from "../common/dom.js";
import { words } from "../common/words.js";

const TYPING_PAUSE_MS = 250, RETRY_MS = 3000;

const box = byId("search"), found = byId("found"), form = /** @type {HTMLFormElement} */ (box.form);
let searching = new AbortController();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

async function search() {
  clearTimeout(waiting);
  searching.abort(); // an older search that is answered later shows nothing
  searching = new AbortController();
  const { signal } = searching;
  const fields = [...new FormData(form)].filter(([, value]) => value).map(([name, value]) => [name, String(value)]);
  const address = `${form.getAttribute("action")}?${new URLSearchParams(fields)}`;
  try {
    const answer = await fetch(address, { signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const list = page.getElementById("found");
    if (!list) throw new Error(answer.statusText);
    found.replaceChildren(...list.childNodes);
    writeTimes();
    history.replaceState(null, "", address);
  } catch {
    if (signal.aborted) return;
    found.replaceChildren(html("p", { class: "nothing", role: "alert" }, words("not_connected")));
    waiting = setTimeout(search, RETRY_MS);
  }
}

box.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, TYPING_PAUSE_MS);
});
onSubmit(form, search);
if (box.value !== box.defaultValue) search(); // somebody typed before this script ran
