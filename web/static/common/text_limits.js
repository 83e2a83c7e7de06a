// @ts-check
/** Says beside a field that it is full: a browser cuts what is longer without a word. */

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
