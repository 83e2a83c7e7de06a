// @ts-check
/** The button that prints the page. */

import { byId } from "./dom.js";

byId("print").addEventListener("click", () => print());
