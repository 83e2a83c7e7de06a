// @ts-check
/**
 * The drawn board. It is given points, stones, the last turn and highlights, and knows no rule.
 * The server sends the drawing of the board with its points; the stones are drawn here.
 */

import { svg } from "../common/dom.js";
import { pointName } from "../common/words.js";
import { placeInView, rememberedView, shadowInView, viewTransform } from "./board_view.js";
import { PEBBLE_RADIUS, pebble } from "./pebble.js";
import { rimLabels, sideLabels } from "./point_names.js";

/**
 * @typedef {import("../common/types.js").GameView} Game
 * @typedef {{x: number, y: number}} Place
 * @typedef {{paint: number, owner: number, group: SVGElement}} Stone
 */

const STACK_SHIFT = 0.5; // how much higher each stone of a stack is drawn, as a share of its radius
const RIM_SIZE = 50; // size of the letters and numbers in the hem, in units of the drawing
const NAME_SIZES = [30, 42]; // least and greatest size of a name beside its point
const PIECE = 40; // length of the pieces in which drawn lines are looked at
const POINTED_REACH = 1.12; // how near the pointer is to the point that it means, in radii of a stone

export class Board {
  /** @param {HTMLElement} frame the element that holds the board's SVG */
  constructor(frame) {
    this.frame = frame;
    /** Radius of a stone, in units of the drawing. */
    this.radius = 0;
    this.name = "";
    /** How this device turns and names the board. */
    this.view = rememberedView();
    /** Each point as it is shown, turned and mirrored, in units of the drawing. @type {Map<string, Place>} */
    this.places = new Map();
    /** Each point as it was drawn, in thousandths of the board's side. @type {Map<string, Place>} */
    this.drawnPlaces = new Map();
    /** The middle of the rings, as it is shown. @type {Place} */
    this.middle = { x: 500, y: 500 };
    /** Where the name of each point is written, when it is not in the hem. @type {Map<string, Place>} */
    this.labelPlaces = new Map();
    /** @type {Map<string, Stone[]>} for each point its stones, bottom first */
    this.stones = new Map();
    /** The points of each rotating ring, clockwise. @type {string[][]} */
    this.rings = [];
    /** The game that is shown, its number of turns, and the turn whose rotation has been drawn already. */
    this.number = -1;
    this.ply = -1;
    this.rotatedPly = -1;
    /** The drawing without stones and marks, from which a turned one is made. @type {Node} */
    this.blank = this.frame.querySelector("svg.board")?.cloneNode(true) ?? this.frame;
    this.drawing = this.adopt();
    frame.addEventListener("pointermove", (event) => this.point(this.nameAt(event)));
    frame.addEventListener("pointerleave", () => this.point(""));
    frame.addEventListener("focusin", (event) => this.point(this.nameOf(/** @type {Element} */ (event.target))));
    frame.addEventListener("focusout", () => this.point(""));
  }

  /** Read points and rings of the SVG in the frame, and turn it as this device shows it. */
  adopt() {
    const drawing = /** @type {SVGSVGElement} */ (this.frame.querySelector("svg.board"));
    this.name = drawing.dataset.board ?? "";
    this.radius = Number(drawing.dataset.stone);
    const { x: left, y: top, width, height } = drawing.viewBox.baseVal;
    const centre = { x: left + width / 2, y: top + height / 2 };
    this.places = new Map();
    this.drawnPlaces = new Map();
    for (const point of drawing.querySelectorAll(".point")) {
      const { name, x, y } = /** @type {SVGElement} */ (point).dataset;
      const place = { x: Number(x), y: Number(y) };
      this.drawnPlaces.set(String(name), place);
      this.places.set(String(name), placeInView(this.view, centre, place));
    }
    this.middle = placeInView(this.view, centre, { x: 500, y: 500 });
    const turned = /** @type {SVGElement} */ (drawing.querySelector(".turned"));
    const shadow = shadowInView(this.view);
    turned.setAttribute("transform", viewTransform(this.view, centre));
    turned.style.setProperty("--fall-x", String(shadow.x));
    turned.style.setProperty("--fall-y", String(shadow.y));
    this.writeNames(drawing, { left, bottom: top + height });
    this.rings = (drawing.dataset.rings ?? "").split("|").filter(Boolean).map((ring) => ring.split(" "));
    this.stones = new Map();
    this.number = -1;
    return drawing;
  }

  /** Fetch the drawing of the present board. */
  async loadDrawing() {
    const answer = await fetch("/board.svg");
    const text = await answer.text();
    const parsed = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
    if (!parsed) return;
    this.blank = document.adoptNode(parsed);
    this.drawAgain();
  }

  /** Begin with a fresh drawing; whoever has laid something over the old one sees that it is another. */
  drawAgain() {
    this.frame.replaceChildren(this.blank.cloneNode(true));
    this.drawing = this.adopt();
  }

  /** Turn, mirror or name the board otherwise; `show` then draws the stones. @param {import("./board_view.js").BoardView} view */
  setView(view) {
    this.view = view;
    this.drawAgain();
  }

  /**
   * Write the names of the points: in the hem, else beside each point.
   * @param {SVGSVGElement} drawing
   * @param {{left: number, bottom: number}} edge
   */
  writeNames(drawing, edge) {
    const rim = rimLabels(this.places, edge);
    const rings = (drawing.dataset.rings ?? "").split("|").filter(Boolean).map((ring) => ring.split(" "));
    const around = rings.flatMap((ring) => ring.map((name, k) => /** @type {[Place, Place]} */ ([this.places.get(ring.at(k - 1) ?? ""), this.places.get(name)])));
    const lines = rings.length ? around : this.drawnLines(drawing); // a ring's mills are written across its holes
    const size = rim.length ? RIM_SIZE : Math.max(NAME_SIZES[0], Math.min(NAME_SIZES[1], this.radius * 0.62));
    const beside = rim.length ? [] : sideLabels(this.places, lines, this.radius, size);
    this.labelPlaces = new Map(beside.map(({ text, x, y }) => [text, { x, y }]));
    const written = this.view.names ? [...rim, ...beside] : [];
    drawing.querySelector(".names")?.replaceChildren(...written.map(({ text, x, y }) => svg("text", { x, y, "font-size": size }, rim.length ? text : pointName(text))));
  }

  /** The lines as they are shown, in short pieces. @param {SVGSVGElement} drawing @returns {[Place, Place][]} */
  drawnLines(drawing) {
    const { x, y, width, height } = drawing.viewBox.baseVal, centre = { x: x + width / 2, y: y + height / 2 };
    return [.../** @type {NodeListOf<SVGPathElement>} */ (drawing.querySelectorAll("path.yarn, .yarn path"))].flatMap((path) => {
      const n = Math.ceil(path.getTotalLength() / PIECE);
      const spots = Array.from({ length: n + 1 }, (_, k) => placeInView(this.view, centre, path.getPointAtLength(k * PIECE)));
      const pieces = spots.slice(1).map((spot, k) => /** @type {[Place, Place]} */ ([spots[k], spot]));
      return pieces.filter(([from, to]) => Math.hypot(from.x - to.x, from.y - to.y) < 2 * PIECE); // no leap to the next line
    });
  }

  /** The point under the pointer, "" for none. @param {PointerEvent} event */
  nameAt(event) {
    const matrix = this.drawing.getScreenCTM();
    return matrix ? this.nearest(new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse())) : "";
  }

  /** The point over which an element of the drawing lies, "" for none. @param {Element} element */
  nameOf(element) {
    if (!(element instanceof SVGCircleElement)) return "";
    return this.nearest({ x: element.cx.baseVal.value, y: element.cy.baseVal.value });
  }

  /** @param {Place} at */
  nearest(at) {
    for (const [name, { x, y }] of this.places) if (Math.hypot(x - at.x, y - at.y) < this.radius * POINTED_REACH) return name;
    return "";
  }

  /** Show the name of the point that is pointed at or has the focus; "" for none. @param {string} name */
  point(name) {
    const pointed = this.part("pointed");
    if (pointed.dataset.name === name) return;
    pointed.dataset.name = name;
    pointed.replaceChildren(...(name ? [this.nameTag(name)] : []));
  }

  /** The name of a point, large and above it. @param {string} name */
  nameTag(name) {
    const { x, y } = this.centreOf(name, Math.max(0, (this.stones.get(name) ?? []).length - 1));
    return svg("text", { class: "name-tag", x, y: y - this.radius - RIM_SIZE * 0.62, "font-size": RIM_SIZE * 1.2 }, pointName(name));
  }

  /** @param {Game} game */
  async show(game) {
    if (game.board !== this.name || game.points.length !== this.places.size) await this.loadDrawing();
    const isFirst = game.id !== this.number;
    if (isFirst) {
      this.part("stones").replaceChildren();
      this.stones.clear();
    }
    else this.moveStonesWithRing(game);
    this.layStones(game, isFirst);
    this.number = game.id;
    this.ply = game.ply;
    this.lightMills(game);
    this.markLastTurn(game);
    this.markOwners();
  }

  /** A ring in the owner's colour around each stone that is painted for somebody else. */
  markOwners() {
    const over = this.part("marks-over");
    for (const [name, stones] of this.stones) {
      stones.forEach(({ paint, owner }, level) => {
        if (paint === owner) return;
        const { x, y } = this.centreOf(name, level);
        over.append(svg("circle", { class: `owner-ring paint-${owner}`, cx: x, cy: y, r: this.radius * 1.02, "data-owner": owner }));
      });
    }
  }

  /** @param {string} name */
  part(name) {
    return /** @type {SVGElement} */ (this.drawing.querySelector(`.${name}`));
  }

  /**
   * Draw the stones. A stone that only moved keeps its element, so that CSS shows the movement.
   * @param {Game} game
   * @param {boolean} isFirst
   */
  layStones(game, isFirst) {
    /** @type {Map<string, Stone[]>} */
    const next = new Map();
    /** @type {Stone[]} */
    const loose = [];
    /** @type {[string, number, {paint: number, owner: number}][]} */
    const missing = [];
    for (const name of this.places.keys()) {
      const have = this.stones.get(name) ?? [];
      const want = game.stacks[name] ?? [];
      let same = 0;
      while (same < have.length && same < want.length && have[same].paint === want[same][0]) same += 1;
      const kept = have.slice(0, same);
      kept.forEach((stone, level) => { stone.owner = want[level][1]; });
      loose.push(...have.slice(same));
      next.set(name, kept);
      want.slice(same).forEach(([paint, owner], k) => missing.push([name, same + k, { paint, owner }]));
    }
    for (const [name, level, { paint, owner }] of missing) {
      const found = loose.findIndex((stone) => stone.paint === paint);
      const stone = found >= 0 ? loose.splice(found, 1)[0] : this.addStone(paint, game.ply + level, name, level, isFirst);
      stone.owner = owner;
      next.get(name)?.push({ ...stone, owner });
      this.placeStone(stone.group, name, level);
    }
    for (const stone of loose) this.removeStone(stone.group);
    this.stones = next;
  }

  /** Move the stones of a ring that was rotated. @param {Game} game */
  moveStonesWithRing(game) {
    const turn = game.ply + (game.owed > 0 ? 1 : 0);
    const rotated = game.last?.moves.find((move) => move.act === "rotate" && move.ring !== null);
    if (!rotated || turn !== this.ply + 1 || turn === this.rotatedPly) return;
    this.rotatedPly = turn;
    const ring = this.rings[rotated.ring] ?? [];
    const stood = ring.map((name) => this.stones.get(name) ?? []);
    stood.forEach((stones, k) => {
      const to = ring[(k + rotated.steps + ring.length) % ring.length];
      this.stones.set(to, stones);
      stones.forEach((stone, level) => this.placeStone(stone.group, to, level));
    });
  }

  /**
   * @param {number} paint
   * @param {number} seed
   * @param {string} name
   * @param {number} level
   * @param {boolean} isFirst
   */
  addStone(paint, seed, name, level, isFirst) {
    const group = svg("g", { class: isFirst ? "pebble" : "pebble coming" });
    const size = this.radius / PEBBLE_RADIUS;
    const lift = svg("g", { class: "lift" }, svg("g", { transform: `scale(${size})` }, pebble(paint, seed + this.stoneSeed(name))));
    group.append(lift);
    this.placeStone(group, name, level);
    this.part("stones").append(group);
    if (!isFirst) requestAnimationFrame(() => requestAnimationFrame(() => group.classList.remove("coming")));
    return { paint, owner: paint, group };
  }

  /** @param {string} name */
  stoneSeed(name) {
    return [...name].reduce((sum, letter) => sum * 7 + letter.charCodeAt(0), 0);
  }

  /**
   * @param {SVGElement} group
   * @param {string} name
   * @param {number} level
   */
  placeStone(group, name, level) {
    const { x, y } = this.centreOf(name, level);
    group.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** @param {SVGElement} group */
  removeStone(group) {
    group.classList.add("going");
    setTimeout(() => group.remove(), 700);
  }

  /**
   * @param {string} name
   * @param {number} [level]
   */
  centreOf(name, level = 0) {
    const place = this.places.get(name) ?? { x: 0, y: 0 };
    return { x: place.x + level * this.radius * 0.1, y: place.y - level * this.radius * STACK_SHIFT };
  }

  /** @param {Game} game */
  lightMills(game) {
    const standing = new Set(game.mills.map((line) => [...line].sort().join(" ")));
    const fresh = new Set((game.last?.mills ?? []).map((line) => [...line].sort().join(" ")));
    for (const mill of this.drawing.querySelectorAll(".mill")) {
      const key = (/** @type {SVGElement} */ (mill).dataset.line ?? "").split(" ").sort().join(" ");
      mill.classList.toggle("lit", standing.has(key));
      mill.classList.toggle("fresh", standing.has(key) && fresh.has(key));
    }
  }

  /** @param {Game} game */
  markLastTurn(game) {
    const under = this.part("marks-under");
    const over = this.part("marks-over");
    under.replaceChildren();
    over.replaceChildren();
    const r = this.radius;
    if (game.foul) {
      this.markFoul(game.foul, under, over);
      return;
    }
    for (const move of game.last?.moves ?? []) {
      if (move.act === "place") under.append(this.circleAt(move.to, "last-ring", 1.24));
      if (move.act === "move") {
        under.append(this.circleAt(move.from, "last-ghost", 0.8), this.circleAt(move.to, "last-ring", 1.24));
        over.append(svg("path", { class: "last-arrow", d: this.arrowPath(move.from, move.to) }));
      }
      if (move.act === "rotate" && move.ring !== null) over.append(...this.rotationArrows(move.ring, move.steps));
      if (move.act === "capture") {
        const { x, y } = this.centreOf(move.at);
        const a = r * 0.42;
        const paint = game.last?.taken?.[move.at];
        if (paint) under.append(svg("g", { class: "pebble taken-stone", transform: `translate(${x} ${y}) scale(${r / PEBBLE_RADIUS})` }, pebble(paint, this.stoneSeed(move.at))));
        under.append(svg("path", { class: "taken", d: `M${x - a} ${y - a}L${x + a} ${y + a}M${x + a} ${y - a}L${x - a} ${y + a}` }));
      }
    }
  }

  /**
   * Mark what is wrong and what has to be put right.
   * @param {import("../common/types.js").FoulView} foul
   * @param {SVGElement} under
   * @param {SVGElement} over
   */
  markFoul(foul, under, over) {
    const marked = new Set(foul.points);
    for (const step of foul.steps) {
      if (step.to) marked.add(step.to);
      if (step.from) marked.add(step.from);
      if (step.from) {
        const { x, y } = this.centreOf(step.from, (this.stones.get(step.from) ?? []).length);
        const wrong = svg("g", { class: "pebble wrong", transform: `translate(${x} ${y}) scale(${this.radius / PEBBLE_RADIUS})` }, pebble(step.paint, this.stoneSeed(step.from)));
        over.append(wrong);
      }
      if (step.from && step.to) over.append(svg("path", { class: "foul-arrow", d: this.arrowPath(step.from, step.to) }));
      else if (step.from) {
        const { x, y } = this.centreOf(step.from);
        const a = this.radius * 0.5;
        over.append(svg("path", { class: "foul-cross", d: `M${x - a} ${y - a}L${x + a} ${y + a}M${x + a} ${y - a}L${x - a} ${y + a}` }));
      }
    }
    for (const name of marked) under.append(this.circleAt(name, "foul-ring", 1.3));
    over.append(...foul.steps.flatMap(({ from, to }) => [from, to]).filter((name) => name !== null).map((name) => this.nameTag(name)));
  }

  /**
   * Arrows around a ring that was rotated, or is to be (`kind` "meant-arrow"): one for each stone, or three where it has none.
   * @param {number} index
   * @param {number} steps
   */
  rotationArrows(index, steps, kind = "last-arrow") {
    const ring = this.rings[index] ?? [];
    const n = ring.length, { middle } = this, way = this.view.isMirrored ? -steps : steps;
    const ends = ring.map((_, k) => k);
    const back = kind === "last-arrow" ? 0 : steps; // stones that are still to be carried lie where the arrows begin
    const carried = ends.filter((k) => (this.stones.get(ring[(k - back + n) % n]) ?? []).length > 0);
    const thirds = [0, 1, 2].map((third) => Math.round((third * n) / 3) % n);
    return (carried.length ? carried : thirds).map((k) => {
      const from = this.centreOf(ring[(k - steps + n) % n]), to = this.centreOf(ring[k]);
      const far = Math.hypot(to.x - middle.x, to.y - middle.y);
      const along = (/** @type {Place} */ place, /** @type {number} */ more) => {
        const angle = Math.atan2(place.y - middle.y, place.x - middle.x) + (way * more * this.radius) / far;
        return `${middle.x + far * Math.cos(angle)} ${middle.y + far * Math.sin(angle)}`;
      };
      return svg("path", { class: kind, d: `M${along(from, 0.4)}A${far} ${far} 0 0 ${way > 0 ? 1 : 0} ${along(to, -1)}` });
    });
  }

  /**
   * @param {string} name
   * @param {string} kind
   * @param {number} share
   */
  circleAt(name, kind, share) {
    const { x, y } = this.centreOf(name);
    return svg("circle", { class: kind, cx: x, cy: y, r: this.radius * share });
  }

  /**
   * The path of a curved arrow between two points; it leaves both stones free.
   * @param {string} from
   * @param {string} to
   */
  arrowPath(from, to) {
    return curvedPath(this.centreOf(from), this.centreOf(to), this.radius * 0.5, this.radius * 0.95);
  }
}

/**
 * The SVG path of a curve from a to b.
 * @param {Place} a
 * @param {Place} b
 * @param {number} leave distance from a at which it starts
 * @param {number} arrive distance from b at which it ends
 */
export function curvedPath(a, b, leave, arrive) {
  const dx = b.x - a.x, dy = b.y - a.y;
  const length = Math.hypot(dx, dy) || 1;
  const start = { x: a.x + (dx / length) * leave, y: a.y + (dy / length) * leave };
  const end = { x: b.x - (dx / length) * arrive, y: b.y - (dy / length) * arrive };
  const bend = Math.min(0.12 * length, 60);
  const middle = { x: (start.x + end.x) / 2 - (dy / length) * bend, y: (start.y + end.y) / 2 + (dx / length) * bend };
  return `M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
}
