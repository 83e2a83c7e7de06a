// @ts-check
/** Where the points of a drawn board lie as this device shows it, turned and mirrored, and where their names stand. */

import { placeInView } from "./board_view.js";
import { rimLabels, sideLabels } from "./point_names.js";

/** @typedef {{x: number, y: number}} Place */

const STACK_SHIFT = 0.5; // how much higher each stone of a stack is drawn, as a share of its radius
export const RIM_SIZE = 50; // size of the letters and numbers in the hem, in units of the drawing
const NAME_SIZES = [30, 42]; // least and greatest size of a name beside its point
const PIECE = 40; // length of the pieces in which drawn lines are looked at
const POINTED_REACH = 1.12; // how near the pointer is to the point that it means, in radii of a stone

export class Geometry {
  /** @param {SVGSVGElement} drawing @param {import("./board_view.js").BoardView} view */
  constructor(drawing, view) {
    const { x: left, y: top, width, height } = drawing.viewBox.baseVal;
    const centre = { x: left + width / 2, y: top + height / 2 };
    this.view = view;
    this.centre = centre;
    this.edge = { left, bottom: top + height };
    /** Radius of a stone, in units of the drawing. */
    this.radius = Number(drawing.dataset.stone);
    /** The points of each rotating ring, clockwise. */
    this.rings = (drawing.dataset.rings ?? "").split("|").filter(Boolean).map((ring) => ring.split(" "));
    /** Each point as it was drawn, in thousandths of the board's side. @type {Map<string, Place>} */
    this.drawnPlaces = new Map([.../** @type {NodeListOf<SVGElement>} */ (drawing.querySelectorAll(".point"))].map(({ dataset }) => [String(dataset.name), { x: Number(dataset.x), y: Number(dataset.y) }]));
    /** Each point as it is shown, in units of the drawing. */
    this.places = new Map([...this.drawnPlaces].map(([name, place]) => [name, placeInView(view, centre, place)]));
    /** The middle of the rings, as it is shown. */
    this.middle = placeInView(view, centre, { x: 500, y: 500 });
  }

  /** The centre of a stone on a point. @param {string} name */
  centreOf(name, level = 0) {
    const { x, y } = this.places.get(name) ?? { x: 0, y: 0 };
    return { x: x + level * this.radius * 0.1, y: y - level * this.radius * STACK_SHIFT };
  }

  /** The point at a place, "" for none. @param {Place} at */
  nearest(at) {
    for (const [name, { x, y }] of this.places) if (Math.hypot(x - at.x, y - at.y) < this.radius * POINTED_REACH) return name;
    return "";
  }

  /** The path of an arrow along a ring. @param {string} from @param {string} to @param {number} steps */
  along(from, to, steps) {
    const { middle } = this, way = this.view.isMirrored ? -steps : steps, end = this.centreOf(to);
    const far = Math.hypot(end.x - middle.x, end.y - middle.y);
    const at = (/** @type {Place} */ place, /** @type {number} */ more) => {
      const angle = Math.atan2(place.y - middle.y, place.x - middle.x) + (way * more * this.radius) / far;
      return `${middle.x + far * Math.cos(angle)} ${middle.y + far * Math.sin(angle)}`;
    };
    return `M${at(this.centreOf(from), 0.4)}A${far} ${far} 0 0 ${way > 0 ? 1 : 0} ${at(end, -1)}`;
  }

  /** The names of the points: in the hem, else beside each point. @param {SVGSVGElement} drawing */
  labels(drawing) {
    const rim = rimLabels(this.places, this.edge);
    if (rim.length) return { isRim: true, size: RIM_SIZE, labels: rim };
    const around = this.rings.flatMap((ring) => ring.map((name, k) => /** @type {[Place, Place]} */ ([this.places.get(ring.at(k - 1) ?? ""), this.places.get(name)])));
    const lines = this.rings.length ? around : this.drawnLines(drawing); // a ring's mills are written across its holes
    const size = Math.max(NAME_SIZES[0], Math.min(NAME_SIZES[1], this.radius * 0.62));
    return { isRim: false, size, labels: sideLabels(this.places, lines, this.radius, size) };
  }

  /** The lines as they are shown, in short pieces. @param {SVGSVGElement} drawing @returns {[Place, Place][]} */
  drawnLines(drawing) {
    return [.../** @type {NodeListOf<SVGPathElement>} */ (drawing.querySelectorAll("path.yarn, .yarn path"))].flatMap((path) => {
      const n = Math.ceil(path.getTotalLength() / PIECE);
      const spots = Array.from({ length: n + 1 }, (_, k) => placeInView(this.view, this.centre, path.getPointAtLength(k * PIECE)));
      const pieces = spots.slice(1).map((spot, k) => /** @type {[Place, Place]} */ ([spots[k], spot]));
      return pieces.filter(([from, to]) => Math.hypot(from.x - to.x, from.y - to.y) < 2 * PIECE); // no leap to the next line
    });
  }
}
