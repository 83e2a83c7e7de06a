// @ts-check
/** The score sheet: a button that prints it. */

import { byId } from "./dom.js";
import { writeTimes } from "./times.js";

writeTimes("long");
byId("print").addEventListener("click", () => print());
