// @ts-check
/** Which lessons have been solved with this browser; it keeps that by itself, the server is told nothing. */

const KEY = "millchen.lessons";

/** @returns {Record<string, number[]>} the numbers of the solved lessons, by game */
function read() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return stored && typeof stored === "object" && !Array.isArray(stored) ? stored : {};
  } catch {
    return {}; // nothing can be kept here, or somebody wrote something else
  }
}

/** @param {string} game */
export function solvedOf(game) {
  const results = read()[game];
  return new Set(Array.isArray(results) ? results.filter(Number.isInteger) : []);
}

/** @param {string} game @param {number} number */
export function keepSolved(game, number) {
  const numbers = [...solvedOf(game).add(number)].sort((one, other) => one - other);
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...read(), [game]: numbers }));
  } catch { /* a browser that keeps nothing */ }
}

/** Mark the solved ones among the links to the lessons of a game. @param {Element} frame @param {string} game */
export function markSolved(frame, game) {
  const solved = solvedOf(game);
  for (const link of frame.querySelectorAll("[data-lesson]")) {
    link.classList.toggle("solved", solved.has(Number(/** @type {HTMLElement} */ (link).dataset.lesson)));
  }
  return solved.size;
}
