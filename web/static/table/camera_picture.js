// @ts-check
/**
 * The camera's picture with the detected board, stones and last turn drawn over it. Pictures are single JPEGs; each is
 * requested when the one before has been shown. People can drag the four corners when the board was not found.
 */

import { curvedPath } from "../board/board.js";
import { byId, svg } from "../common/dom.js";
import { send } from "./commands.js";
import { drawGrips, usualCorners } from "../board/corner_grips.js";
import { pointName } from "../common/words.js";

const MIN_INTERVAL_MS = 80;
const NAME_SHARE = 0.017; // least size of the points' names, as a share of the picture's width

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class CameraPicture {
  /** @param {import("../board/board.js").Board} board its points (in thousandths of its side) and rings */
  constructor(board) {
    this.board = board;
    const frame = byId("picture");
    this.canvas = /** @type {HTMLCanvasElement} */ (frame.querySelector("canvas"));
    this.overlay = /** @type {SVGSVGElement} */ (frame.querySelector(".overlay"));
    this.number = -1;
    /** Size of the camera's picture in pixels; the picture that is shown may be smaller. */
    this.width = 1280;
    this.height = 720;
    this.isAdjusting = false;
    this.isFetching = false;
    /** @type {{x: number, y: number}[]} */
    this.corners = [];
    /** @type {import("../common/types.js").Snapshot | null} */
    this.state = null;
    byId("corners").addEventListener("click", () => this.startAdjusting());
    byId("blind-corners").addEventListener("click", () => this.startAdjusting());
    byId("corners-cancel").addEventListener("click", () => this.stopAdjusting());
    byId("corners-done").addEventListener("click", () => this.sendCorners());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.fetchPictures(); });
    this.fetchPictures();
  }

  /** Fetch pictures one after the other while the page is visible. */
  async fetchPictures() {
    if (this.isFetching) return;
    this.isFetching = true;
    while (!document.hidden) {
      const began = performance.now();
      const isNew = await this.fetchPicture().catch(() => null);
      if (isNew === null) await pause(1500);
      await pause(Math.max(0, MIN_INTERVAL_MS - (performance.now() - began)));
    }
    this.isFetching = false;
  }

  async fetchPicture() {
    const answer = await fetch(`/frame.jpg?after=${this.number}`, { signal: AbortSignal.timeout(8000) });
    if (!answer.ok) throw new Error(answer.statusText);
    if (answer.status === 204) {
      await pause(250);
      return false;
    }
    const number = Number(answer.headers.get("X-Frame-Number"));
    const image = await createImageBitmap(await answer.blob());
    this.number = number;
    if (this.isAdjusting) { // the picture is frozen while corners are dragged
      image.close();
      return true;
    }
    if (this.canvas.width !== image.width || this.canvas.height !== image.height) {
      this.canvas.width = image.width;
      this.canvas.height = image.height;
      byId("picture").style.setProperty("--aspect", String(image.width / image.height));
      if (this.state) this.show(this.state);
    }
    this.canvas.getContext("2d")?.drawImage(image, 0, 0);
    image.close();
    this.canvas.dataset.number = String(number);
    return true;
  }

  /** @param {import("../common/types.js").Snapshot} state */
  show(state) {
    this.state = state;
    if (this.isAdjusting) return;
    const { sight, game } = state;
    [this.width, this.height] = sight.size ?? [this.canvas.width, this.canvas.height];
    this.overlay.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    const drawn = [];
    if (sight.points.length === game.points.length) {
      const spots = new Map(game.points.map((name, k) => [name, { x: sight.points[k][0], y: sight.points[k][1] }]));
      const radius = spotRadius([...spots.values()]);
      game.points.forEach((name, k) => {
        const { x, y } = /** @type {{x: number, y: number}} */ (spots.get(name));
        const top = game.stacks[name]?.at(-1);
        const kind = `${sight.hidden[k] ? " hidden" : ""}${top ? ` taken-by paint-${top[0]}` : ""}`;
        const r = top ? radius * 1.25 : radius * 0.42;
        drawn.push(svg("circle", { class: "halo", cx: x, cy: y, r }), svg("circle", { class: `spot${kind}`, cx: x, cy: y, r }));
      });
      drawn.unshift(...this.millLines(game, spots, radius));
      drawn.push(...(game.foul ? this.foulMarks(game.foul, spots, radius) : this.lastTurnMarks(game, spots, radius)));
      const told = game.foul || game.outcome ? null : state.proposal ?? state.hint;
      if (told) drawn.push(...this.meantMarks(told, spots, radius));
      if (this.board.view.names) drawn.push(...nameLabels(spots, radius, this.width * NAME_SHARE));
    }
    this.overlay.replaceChildren(...drawn);
  }

  /**
   * Lines along the mills.
   * @param {import("../common/types.js").GameView} game
   * @param {Map<string, {x: number, y: number}>} spots
   * @param {number} radius
   */
  millLines(game, spots, radius) {
    const fresh = new Set((game.last?.mills ?? []).map((line) => [...line].sort().join(" ")));
    return game.mills.map((line) => {
      const way = line.map((name) => spots.get(name)).filter((spot) => spot !== undefined);
      const kind = fresh.has([...line].sort().join(" ")) ? "mill-line fresh" : "mill-line";
      return svg("polyline", { class: kind, points: way.map(({ x, y }) => `${x},${y}`).join(" "), "stroke-width": radius * 0.55 });
    });
  }

  /**
   * Marks for what is wrong, and arrows to where it belongs.
   * @param {import("../common/types.js").FoulView} foul
   * @param {Map<string, {x: number, y: number}>} spots
   * @param {number} radius
   */
  foulMarks(foul, spots, radius) {
    const drawn = [];
    for (const name of foul.points) {
      const spot = spots.get(name);
      if (spot) drawn.push(svg("circle", { class: "foul-ring", cx: spot.x, cy: spot.y, r: radius * 1.9 }));
    }
    for (const step of foul.steps) {
      const from = step.from && spots.get(step.from), to = step.to && spots.get(step.to);
      if (from && to) drawn.push(svg("path", { class: "foul-arrow", d: curvedPath(from, to, radius * 0.6, radius * 1.7) }));
    }
    return drawn;
  }

  /**
   * Marks for the last turn.
   * @param {import("../common/types.js").GameView} game
   * @param {Map<string, {x: number, y: number}>} spots
   * @param {number} radius
   */
  lastTurnMarks(game, spots, radius) {
    const drawn = [];
    for (const move of game.last?.moves ?? []) {
      if (move.act === "move") {
        const from = spots.get(move.from), to = spots.get(move.to);
        if (from && to) drawn.push(svg("path", { class: "last-arrow", d: curvedPath(from, to, radius * 0.6, radius * 1.7) }));
      } else if (move.act === "place") {
        const to = spots.get(move.to);
        if (to) drawn.push(svg("circle", { class: "last-ring", cx: to.x, cy: to.y, r: radius * 1.75 }));
      } else if (move.act === "rotate" && move.ring !== null) {
        const ring = this.board.rings[move.ring] ?? [], n = ring.length;
        for (const k of [0, 1, 2].map((third) => Math.round((third * n) / 3) % n)) {
          const from = spots.get(ring[(k - move.steps + n) % n]), to = spots.get(ring[k]);
          if (from && to) drawn.push(svg("path", { class: "last-arrow", d: curvedPath(from, to, 0, 0) }));
        }
      }
    }
    return drawn;
  }

  /**
   * Marks for a turn that is still to be made.
   * @param {import("../common/types.js").Proposed} told
   * @param {Map<string, {x: number, y: number}>} spots
   * @param {number} radius
   */
  meantMarks(told, spots, radius) {
    const drawn = [];
    const circle = (/** @type {string} */ name, kind = "meant-ring") => {
      const spot = spots.get(name);
      if (spot) drawn.push(svg("circle", { class: kind, cx: spot.x, cy: spot.y, r: radius * 1.75 }));
    };
    for (const move of told.moves) {
      if (move.act === "place") circle(move.to, "meant-ring goal-ring");
      else if (move.act === "capture") {
        circle(move.at, "meant-ring taking");
        const spot = spots.get(move.at), a = radius * 1.1;
        if (spot) drawn.push(svg("path", { class: "meant-cross", d: `M${spot.x - a} ${spot.y - a}l${2 * a} ${2 * a}M${spot.x + a} ${spot.y - a}l${-2 * a} ${2 * a}` }));
      } else if (move.act === "move") {
        circle(move.from);
        const from = spots.get(move.from), to = spots.get(move.to);
        if (from && to) drawn.push(svg("path", { class: "meant-arrow", d: curvedPath(from, to, radius * 0.6, radius * 1.2) }));
      } else if (move.act === "rotate" && move.ring !== null) {
        const ring = this.board.rings[move.ring] ?? [], n = ring.length;
        for (const k of [0, 1, 2].map((third) => Math.round((third * n) / 3) % n)) {
          const from = spots.get(ring[k]), to = spots.get(ring[(k + move.steps + n) % n]);
          if (from && to) drawn.push(svg("path", { class: "meant-arrow", d: curvedPath(from, to, 0, 0) }));
        }
      }
    }
    return drawn;
  }

  /** Let people drag the corners of the field. */
  startAdjusting() {
    if (!this.canvas.dataset.number) return; // there is no picture yet
    this.isAdjusting = true;
    const { width, height } = this;
    this.corners = (this.state && this.knownCorners(this.state)) ?? usualCorners({ width, height });
    this.overlay.removeAttribute("aria-hidden");
    byId("corner-tools").hidden = false;
    byId("under-picture").hidden = true;
    byId("blind").hidden = true;
    drawGrips(this.overlay, this.corners, { width, height }, this.board.drawnPlaces.values());
    /** @type {any} */ (this.overlay.querySelector(".grip"))?.focus();
  }

  stopAdjusting() {
    this.isAdjusting = false;
    this.overlay.setAttribute("aria-hidden", "true");
    byId("corner-tools").hidden = true;
    byId("under-picture").hidden = false;
    if (this.state) this.show(this.state);
  }

  async sendCorners() {
    const corners = this.corners.map(({ x, y }) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
    await send("/api/corners", { corners }).catch(() => null);
    this.stopAdjusting();
  }

  /**
   * The four outermost points in the picture, clockwise from the upper left one of the board; null where unknown.
   * @param {import("../common/types.js").Snapshot} state
   */
  knownCorners({ sight, game }) {
    if (sight.points.length !== game.points.length) return null;
    const names = game.points;
    const files = names.map((name) => name[0]), ranks = names.map((name) => name.slice(1));
    if (!names.every((name) => /^[a-g]\d$/.test(name))) return null;
    const a = files.reduce((x, y) => (x < y ? x : y)), g = files.reduce((x, y) => (x > y ? x : y));
    const one = ranks.reduce((x, y) => (x < y ? x : y)), seven = ranks.reduce((x, y) => (x > y ? x : y));
    const spots = [a + seven, g + seven, g + one, a + one].map((name) => sight.points[names.indexOf(name)]);
    return spots.every(Boolean) ? spots.map(([x, y]) => ({ x, y })) : null;
  }
}

/** The name of each point, beside it. @param {Map<string, {x: number, y: number}>} spots @param {number} radius @param {number} least size of the writing */
function nameLabels(spots, radius, least) {
  const size = Math.max(least, radius * 1.05);
  return [...spots].map(([name, { x, y }]) => svg("text", { class: "spot-name", x: x + radius * 0.95, y: y - radius * 0.95, "font-size": size }, pointName(name)));
}

/** @param {{x: number, y: number}[]} spots */
function spotRadius(spots) {
  let nearest = Infinity;
  spots.forEach((a, i) => spots.slice(i + 1).forEach((b) => { nearest = Math.min(nearest, Math.hypot(a.x - b.x, a.y - b.y)); }));
  return Math.max(5, nearest * 0.34);
}
