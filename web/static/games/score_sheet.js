// @ts-check
/** The score sheet: writes the dates, and prints on a button. */

import "../common/print_button.js";
import "../common/date_times.js";
