// @ts-check
/** The template: preview, number of sheets and links to the steps follow the sliders; another game has its own page. */

import { byId } from "../common/dom.js";
import { asking, query } from "./making.js";

const form = /** @type {HTMLFormElement} */ (byId("template"));
const chosen = /** @type {HTMLSelectElement} */ (byId("game"));

const refresh = asking(() => `/api/make/template?${query(form)}`, (told) => {
  byId("n-sheets").textContent = told.sheets;
  const drawn = new DOMParser().parseFromString(told.preview, "image/svg+xml").documentElement;
  byId("preview").replaceChildren(document.importNode(drawn, true));
}, byId("template-error"));

form.addEventListener("input", (event) => {
  const moved = /** @type {HTMLInputElement} */ (event.target);
  const shown = moved.parentElement?.querySelector("output");
  if (shown) shown.value = `${moved.value} ${shown.value.split(" ").slice(1).join(" ")}`;
  if (moved.name === "size") leadToSteps(moved.value);
  refresh();
});
chosen.addEventListener("change", () => chosen.form?.requestSubmit());

/** @param {string} size cm, which the steps are to tell */
function leadToSteps(size) {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".ways-to-make a[href*='way=']"))) {
    const way = new URL(link.href);
    way.searchParams.set("size", size);
    link.href = way.pathname + way.search;
  }
}
