// @ts-check
/** Dates and times in the form of the page's language, in the browser's time zone. */

import { language } from "./words.js";

/** Write the text of every `<time>` element. @param {"medium" | "long"} style of the date */
export function writeTimes(style) {
  const locales = (document.documentElement.dataset.locales || language).split(" "); // few browsers know Luxembourgish
  const format = new Intl.DateTimeFormat(locales, { dateStyle: style, timeStyle: "short" });
  for (const time of document.querySelectorAll("time")) time.textContent = format.format(new Date(time.dateTime));
}
