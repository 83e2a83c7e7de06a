// @ts-check
/**
 * How this device shows the board: turned by quarters and mirrored as its player sits, with or without the names of the
 * points. The choice is remembered on the device.
 *
 * The drawing of the board is turned as a whole; stones, marks and names are drawn upright at the turned places. So the
 * light falls on every stone from the same side, and no letter lies on its back.
 */

/**
 * @typedef {{x: number, y: number}} Place
 * @typedef {{names: boolean, quarters: number, isMirrored: boolean}} BoardView quarters clockwise, then mirrored left to right
 */

const VIEW_KEY = "millchen.board";
/** From where the light falls on the cloth: the shadow's way, in screen directions. */
const SHADOW_WAY = { x: 0.5, y: 1 };

/** @returns {BoardView} */
export function rememberedView() {
  let previous = null;
  try { previous = JSON.parse(localStorage.getItem(VIEW_KEY) ?? "null"); }
  catch { previous = null; } // a file that is opened from the disk may have no storage, and people can write anything into it
  const quarters = Number(previous?.quarters);
  return { names: previous?.names !== false, quarters: Number.isInteger(quarters) ? ((quarters % 4) + 4) % 4 : 0, isMirrored: previous?.isMirrored === true };
}

/** @param {BoardView} view */
export function rememberView(view) {
  try { localStorage.setItem(VIEW_KEY, JSON.stringify(view)); }
  catch (why) { console.warn(`the view of the board is not remembered: ${why}`); }
}

/** The linear part of the view, as an SVG matrix has it. @param {BoardView} view */
function axes({ quarters, isMirrored }) {
  const c = [1, 0, -1, 0][quarters], s = [0, 1, 0, -1][quarters], side = isMirrored ? -1 : 1;
  return { a: side * c + 0, b: s, c: -side * s + 0, d: c }; // + 0: no "-0" in the drawing
}

/**
 * Where a place of the drawing lies in the view.
 * @param {BoardView} view
 * @param {Place} middle the middle of the drawing, which stays
 * @param {Place} place
 * @returns {Place}
 */
export function placeInView(view, middle, place) {
  const { a, b, c, d } = axes(view), x = place.x - middle.x, y = place.y - middle.y;
  return { x: middle.x + a * x + c * y, y: middle.y + b * x + d * y };
}

/** The SVG transform of the view. @param {BoardView} view @param {Place} middle */
export function viewTransform(view, middle) {
  const { a, b, c, d } = axes(view);
  return `matrix(${a} ${b} ${c} ${d} ${middle.x - a * middle.x - c * middle.y} ${middle.y - b * middle.x - d * middle.y})`;
}

/** The way of a shadow within the turned drawing, so that it falls as before on the screen. @param {BoardView} view */
export function shadowInView(view) {
  const { a, b, c, d } = axes(view);
  return { x: a * SHADOW_WAY.x + b * SHADOW_WAY.y, y: c * SHADOW_WAY.x + d * SHADOW_WAY.y };
}
