// @ts-check
/** The button that prints the page. */

import { onClick } from "./dom.js";

onClick("print", () => print());
