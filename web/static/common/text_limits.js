// @ts-check
/** What a field takes: it says when it is full, where a browser cuts without a word, and drops what nobody sees. */

import { html } from "./dom.js";
import { words } from "./words.js";

const LONGEST = 100; // longer fields hold addresses and remarks, which nobody fills to the end

document.addEventListener("input", (event) => {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.maxLength < 1 || field.maxLength > LONGEST) return;
  const warning = field.parentElement?.querySelector(".field-full");
  if (field.value.length < field.maxLength) warning?.remove();
  else if (!warning) field.after(html("small", { class: "field-full", role: "alert" }, words("field_full", { n: field.maxLength })));
});
document.addEventListener("change", ({ target: field }) => { // no record takes spaces that do not break, nor what joins the parts of an emoji
  const isText = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === "text");
  if (isText) field.value = field.value.replace(/\p{Zs}/gu, " ").replace(/[^\P{C}\n]/gu, "");
}, true);
