// @ts-check
/** Dates and times in the form of the page's language, in the browser's time zone. */

import { language } from "./words.js";

/** Write the text of every `<time>` element. @param {"medium" | "long"} style of the date */
export function writeTimes(style) {
  const locales = (document.documentElement.dataset.locales || language).split(" "); // few browsers know Luxembourgish
  const moment = new Intl.DateTimeFormat(locales, { dateStyle: style, timeStyle: "short" });
  const day = new Intl.DateTimeFormat(locales, { dateStyle: style, timeZone: "UTC" }); // a day without an hour is everybody's
  for (const time of document.querySelectorAll("time")) {
    time.textContent = (time.dateTime.includes("T") ? moment : day).format(new Date(time.dateTime));
  }
}
