// @ts-check
/** The template: preview, sheets, sliders and links to the steps follow the form; another game has its own page. */

import { byId, field, part } from "../common/dom.js";
import { asking, query } from "./making.js";

const form = byId("template");

/** What nobody has moved is what suits the board, however large it becomes. @type {Set<string>} */
const untouched = new Set(["line", "marks"]);

const refresh = asking(() => `/api/make/template?${query(form, untouched)}`, (told) => {
  byId("n-sheets").textContent = told.sheets;
  const picture = new DOMParser().parseFromString(told.preview, "image/svg+xml").documentElement;
  byId("preview").replaceChildren(document.importNode(picture, true));
  told.sliders.forEach(followBoard);
}, byId("template-error"));

/** @param {{name: string, most: string, value: string, said: string}} slider how it stands for this board */
function followBoard(slider) {
  const moved = field(form, slider.name), shown = part(moved.parentElement, "output");
  moved.max = slider.most;
  if (slider.name === "line" || slider.name === "marks") moved.value = slider.value;
  if (shown) shown.value = slider.said;
}

form.addEventListener("input", (event) => {
  const moved = /** @type {HTMLInputElement} */ (event.target);
  untouched.delete(moved.name);
  leadToSteps();
  refresh();
});
part(document, ".which").addEventListener("change", () => part(document, ".which").requestSubmit());

/** The steps tell the size that is chosen here, and of discs the number of holes. */
function leadToSteps() {
  const filled = new FormData(form);
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".ways-to-make a[href*='way=']"))) {
    const way = new URL(link.href);
    for (const name of ["size", "holes"]) {
      if (filled.has(name)) way.searchParams.set(name, String(filled.get(name)));
    }
    link.href = way.pathname + way.search;
  }
}
