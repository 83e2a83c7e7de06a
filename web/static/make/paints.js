// @ts-check
/** Colours that can be told apart: every change is judged at once, and better paints can be taken with a click. */

import { byId, html } from "../common/dom.js";
import { asking, complain, game, query, showLines } from "./making.js";
import { sendPicture } from "../common/picture_sender.js";

const form = /** @type {HTMLFormElement} */ (byId("paints"));
const photograph = /** @type {HTMLInputElement | null} */ (document.getElementById("cloth-photo")); // the referee's
const wrong = byId("paints-error");

const judge = asking(() => `/api/make/paints?game=${game}&${query(form)}`, show, wrong);

/** @param {{grade: string, summary: string, pairs: any[], proposals: any[]}} told */
function show(told) {
  byId("paints-summary").textContent = told.summary;
  byId("paints-summary").dataset.grade = told.grade;
  showLines(byId("pairs"), told.pairs);
  byId("better").hidden = told.proposals.length === 0;
  byId("proposals").replaceChildren(...told.proposals.map(proposal));
}

/** @param {{paint: string, colour: string, text: string}} better */
function proposal(better) {
  const pot = html("i", { "aria-hidden": "true" });
  pot.style.setProperty("--paint", better.colour);
  const take = html("button", { type: "button", class: "plain" }, pot, html("span", {}, better.text));
  take.addEventListener("click", () => fill({ [better.paint]: better.colour }));
  return html("li", {}, take);
}

/**
 * Put colours into their pots; pebbles that get a colour are bare no longer.
 * @param {Record<string, string>} colours
 */
function fill(colours) {
  for (const [name, colour] of Object.entries(colours)) {
    const pot = /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));
    const bare = /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name.replace("paint", "bare")));
    if (pot) pot.value = colour;
    if (bare && bare !== pot) bare.checked = false;
  }
  judge();
}

form.addEventListener("input", (event) => {
  if (event.target !== photograph) judge();
});
photograph?.addEventListener("change", async () => {
  const file = photograph.files?.[0];
  if (!file) return;
  const failed = byId("colours-error");
  complain(failed, "");
  photograph.disabled = true;
  try {
    fill(await sendPicture(`/api/make/colours?game=${game}`, file));
  } catch (why) {
    complain(failed, /** @type {Error} */ (why).message);
  }
  photograph.disabled = false;
  photograph.value = "";
});
judge();
