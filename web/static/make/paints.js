// @ts-check
/** Colours that can be told apart: every change is judged at once, and better paints can be taken with a click. */

import { ask, attempt } from "../common/ask.js";
import { button, byId, field, html, seek, showLines } from "../common/dom.js";
import { asJpeg } from "../common/jpeg.js";
import { asking, game, onPhotograph, query } from "./making.js";

const form = byId("paints");
const judge = asking(() => `/api/make/paints?game=${game}&${query(form)}`, show, byId("paints-error"));

/** @param {{grade: string, summary: string, pairs: any[], proposals: {paint: string, colour: string, text: string}[]}} told */
function show(told) {
  byId("paints-summary").textContent = told.summary;
  byId("paints-summary").dataset.grade = told.grade;
  showLines(byId("pairs"), told.pairs);
  byId("better").hidden = told.proposals.length === 0;
  byId("proposals").replaceChildren(...told.proposals.map(({ paint, colour, text }) => {
    const pot = html("i", { "aria-hidden": "true" });
    pot.style.setProperty("--paint", colour);
    return html("li", {}, button({ class: "plain" }, () => fill({ [paint]: colour }), pot, html("span", {}, text)));
  }));
}

/** Put colours into their pots; pebbles that get a colour are bare no longer. @param {Record<string, string>} colours */
function fill(colours) {
  for (const [name, colour] of Object.entries(colours)) {
    const pot = field(form, name), bare = field(form, name.replace("paint", "bare"));
    if (pot) pot.value = colour;
    if (bare && bare !== pot) bare.checked = false;
  }
  judge();
}

form.addEventListener("input", (event) => {
  if (event.target !== seek("cloth-photo")) judge();
});
onPhotograph(seek("cloth-photo"), (file) => attempt(byId("colours-error"), async () => fill(await ask(`/api/make/colours?game=${game}`, await asJpeg(file)))));
judge();
