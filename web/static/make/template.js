// @ts-check
/** The template: its preview and its number of sheets follow the sliders; another game opens its own page. */

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
  refresh();
});
chosen.addEventListener("change", () => chosen.form?.requestSubmit());
