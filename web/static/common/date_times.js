// @ts-check
/** Dates and times in the page's language, as the browser's country writes them, in its time zone: all that a page has when it opens. */

import { language } from "./words.js";

/** The text of a moment, or of a day. @param {string} iso */
export function timeText(iso) {
  const own = navigator.languages.filter((locale) => locale.split("-")[0] === language); // en-GB and en-US differ
  const locales = [...own, ...(document.documentElement.dataset.locales || language).split(" ")]; // few browsers know Luxembourgish
  // a day without an hour is everybody's
  const how = iso.includes("T") ? { timeStyle: /** @type {const} */ ("short") } : { timeZone: "UTC" };
  return new Intl.DateTimeFormat(locales, { dateStyle: "medium", ...how }).format(new Date(iso));
}

/** Write the text of every `<time>` element. */
export function writeTimes() {
  for (const time of document.querySelectorAll("time")) time.textContent = timeText(time.dateTime);
}

writeTimes();
