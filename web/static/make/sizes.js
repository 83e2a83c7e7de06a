// @ts-check
/** Size and place: what the chosen camera needs for a board of the size on the slider. */

import { byId } from "../common/dom.js";
import { asking, game, query, showLines } from "./making.js";

const form = /** @type {HTMLFormElement} */ (byId("sizes"));
const template = /** @type {HTMLFormElement} */ (byId("template"));

const refresh = asking(() => {
  const size = /** @type {HTMLInputElement} */ (template.elements.namedItem("size")).value;
  return `/api/make/sizes?game=${game}&size=${size}&${query(form)}`;
}, (told) => showLines(byId("size-lines"), told.lines), byId("sizes-error"));

form.addEventListener("input", refresh);
template.addEventListener("input", refresh);
refresh();
