// @ts-check
/** Size and place: what the chosen camera needs for the board of the template above. */

import { byId, showLines } from "../common/dom.js";
import { asking, query } from "./making.js";

const form = byId("sizes"), template = byId("template");

/** Words of the template that say nothing of how large things are. */
const OF_PRINT = new Set(["line", "marks", "paper", "cloth", "mirror"]);

const refresh = asking(() => `/api/make/sizes?${query(template, OF_PRINT)}&${query(form)}`,
  (told) => showLines(byId("size-lines"), told.lines), byId("sizes-error"));

form.addEventListener("input", refresh);
template.addEventListener("input", refresh);
refresh();
