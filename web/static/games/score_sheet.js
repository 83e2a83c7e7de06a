// @ts-check
/** The score sheet: a button that prints it. */

import { byId } from "../common/dom.js";
import { writeTimes } from "../common/date_times.js";

writeTimes("long");
byId("print").addEventListener("click", () => print());
