// @ts-check
/** The score sheet: writes the dates, and prints on a button. */

import "../common/print_button.js";
import { writeTimes } from "../common/date_times.js";

writeTimes("long");
