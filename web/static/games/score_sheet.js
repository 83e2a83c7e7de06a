// @ts-check
/** The score sheet: writes the dates, and prints on a button. */

import { byId } from "../common/dom.js";
import { writeTimes } from "../common/date_times.js";

writeTimes("long");
byId("print").addEventListener("click", () => print());
