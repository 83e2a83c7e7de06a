// @ts-check
/**
 * Where the names of the points stand: letters and numbers in the hem where the points form files and ranks, else a
 * small name beside each point, on the side that is freest of stones and lines.
 */

/**
 * @typedef {{x: number, y: number}} Place
 * @typedef {{text: string, x: number, y: number}} Label
 */

const N_SIDES = 24;
const HEM_INSET = 64; // from the edge of the drawing to the hem, see web/drawing/board_svg.py
const PEBBLE_REACH = 1.3; // of an odd pebble and of the ring around it, in radii; where boards are too narrow, one
const LINE_HALF_WIDTH = 11;
/** Half the height and the width of a letter, in sizes of the writing. */
const HALF_LETTER = 0.36, LETTER_WIDTH = 0.6;

/**
 * Letters and numbers at the lower and the left rim; empty where the names are no files and ranks.
 * @param {Map<string, Place>} places as they are shown
 * @param {{left: number, bottom: number}} edge of the drawing
 * @returns {Label[]}
 */
export function rimLabels(places, edge) {
  /** @type {Map<string, Place[]>[]} */
  const [files, ranks] = [new Map(), new Map()];
  for (const [name, place] of places) {
    const parts = /^([a-z])(\d+)$/.exec(name);
    if (!parts) return [];
    files.set(parts[1], [...(files.get(parts[1]) ?? []), place]);
    ranks.set(parts[2], [...(ranks.get(parts[2]) ?? []), place]);
  }
  const below = isStraight(files, "x") && isStraight(ranks, "y") ? files : isStraight(files, "y") && isStraight(ranks, "x") ? ranks : null;
  if (!below) return [];
  const beside = below === files ? ranks : files;
  return [
    ...[...below].map(([text, [{ x }]]) => ({ text, x, y: edge.bottom - HEM_INSET })),
    ...[...beside].map(([text, [{ y }]]) => ({ text, x: edge.left + HEM_INSET, y })),
  ];
}

/** Whether the points of each group lie one above the other (x) or beside each other (y). @param {Map<string, Place[]>} groups @param {"x" | "y"} axis */
function isStraight(groups, axis) {
  return [...groups.values()].every((places) => places.every((place) => Math.abs(place[axis] - places[0][axis]) < 1));
}

/**
 * A name beside each point, where most room is.
 * @param {Map<string, Place>} places as they are shown
 * @param {[Place, Place][]} segments pieces of the drawn lines
 * @param {number} radius of a stone
 * @param {number} size of the writing
 * @returns {Label[]}
 */
export function sideLabels(places, segments, radius, size) {
  /** @type {Label[]} */
  const set = [];
  for (const [name, place] of places) {
    const half = Math.max(HALF_LETTER, (name.length * LETTER_WIDTH) / 2) * size;
    const room = (/** @type {Place} */ at) => Math.min(
      ...[...places.values()].filter((other) => other !== place).map((other) => distance(at, other) - radius - half),
      ...segments.map(([from, to]) => distanceToSegment(at, from, to) - LINE_HALF_WIDTH - half),
      ...set.map((other) => distance(at, other) - 2 * half),
    );
    let best = { x: place.x, y: place.y }, most = -Infinity;
    for (let k = 0; k < 2 * N_SIDES; k += 1) {
      const angle = (2 * Math.PI * k) / N_SIDES, far = radius * (k < N_SIDES ? PEBBLE_REACH : 1) + half;
      const at = { x: place.x + far * Math.cos(angle), y: place.y + far * Math.sin(angle) };
      const free = Math.min(room(at), size / 2); // all sides with room enough are as good: the first one is taken, for order
      if (free > most + 1e-6) { most = free; best = at; }
    }
    set.push({ text: name, ...best });
  }
  return set;
}

/** @param {Place} a @param {Place} b */
function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** @param {Place} at @param {Place} from @param {Place} to */
function distanceToSegment(at, from, to) {
  const dx = to.x - from.x, dy = to.y - from.y;
  const share = Math.max(0, Math.min(1, ((at.x - from.x) * dx + (at.y - from.y) * dy) / (dx * dx + dy * dy || 1)));
  return distance(at, { x: from.x + share * dx, y: from.y + share * dy });
}
