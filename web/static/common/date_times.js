// @ts-check
/** Times as people write them in the language of the page, in their own time zone. */

import { language } from "./words.js";

/** @param {"medium" | "long"} style of the date */
export function writeTimes(style) {
  const locales = (document.documentElement.dataset.locales || language).split(" "); // few browsers know Luxembourgish
  const format = new Intl.DateTimeFormat(locales, { dateStyle: style, timeStyle: "short" });
  for (const time of document.querySelectorAll("time")) time.textContent = format.format(new Date(time.dateTime));
}
