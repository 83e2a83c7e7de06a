// @ts-check
/** The picture of the set-up: live or frozen, with marks over it, and points to drag with a magnifier. */

import { drawGrips } from "../board/grips.js";
import { byId, svg } from "../common/dom.js";
import { LivePicture } from "../common/live_picture.js";

const MAGNIFICATION = 5; // screen pixels for a pixel of the picture, in a magnifier of usual size

/** @typedef {{x: number, y: number}} Place */
/** @typedef {import("../board/grips.js").Grip} Grip */

export class PictureView extends LivePicture {
  constructor() {
    super(byId("live"), "/setup/frame.jpg");
    this.marks = byId("marks");
    this.loupe = byId("loupe");
    this.width = 1280;
    this.height = 720;
  }

  /** @param {[number, number] | undefined} size of the camera's picture in its own pixels */
  setSize(size) {
    if (!size) return;
    [this.width, this.height] = size;
    this.marks.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
  }

  thaw() {
    this.isStill = false;
    this.marks.replaceChildren();
  }

  /** Scale of marks: pixels of the picture for one unit of a mark. */
  get unit() {
    return this.width / 1280;
  }

  /** Draw the detected board. @param {number[][]} points @param {number[][]} [edges] */
  showPoints(points, edges = []) {
    const lines = edges.map(([a, b]) => svg("line", { class: "edge", x1: points[a][0], y1: points[a][1], x2: points[b][0], y2: points[b][1] }));
    this.marks.replaceChildren(...lines, ...points.map(([cx, cy]) => svg("circle", { class: "point", cx, cy, r: 9 * this.unit })));
  }

  /** Draw which parts of the picture the target has covered, and where it is now. @param {any} lens */
  showCover({ cover, corners, taken }) {
    const width = this.width / cover[0].length, height = this.height / cover.length;
    const cells = cover.flatMap((/** @type {number[]} */ row, /** @type {number} */ r) => row.map((seen, c) =>
      svg("rect", { class: seen ? "cell seen" : "cell", x: c * width, y: r * height, width, height })));
    const dots = corners.map((/** @type {number[]} */ [cx, cy]) => svg("circle", { class: "corner", cx, cy, r: 5 * this.unit }));
    const flash = taken.length ? [svg("rect", { class: "flash", x: 0, y: 0, width: this.width, height: this.height })] : [];
    this.marks.replaceChildren(...cells, ...dots, ...flash);
  }

  /** Draw the stones in the colours of their players. @param {any} seen */
  showStones({ points, tops, colours }) {
    this.marks.replaceChildren(...points.flatMap((/** @type {number[]} */ [x, y], /** @type {number} */ k) => {
      const who = tops[k], at = { cx: x, cy: y };
      if (!who) return [svg("circle", { class: "point", ...at, r: 5 * this.unit, opacity: 0.6 })];
      return [svg("circle", { class: "stone", ...at, r: 24 * this.unit, stroke: colours[who] || "#fff" }),
        svg("text", { class: "who", x, y: y - 30 * this.unit, "font-size": 26 * this.unit }, String(who))];
    }));
  }

  /** Show grips that can be dragged. @param {Grip[]} grips @param {Parameters<typeof drawGrips>[3]} how */
  drag(grips, how) {
    drawGrips(this.marks, grips, this, { ...how, held: (grip) => this.showLoupe(grip) });
  }

  /** Show the picture around a place in the magnifier; null hides it. @param {Place | null} place */
  showLoupe(place) {
    const { loupe, canvas } = this, paper = loupe.getContext("2d");
    loupe.hidden = !place;
    if (!place || !paper) return;
    const { x, y } = place, side = loupe.width, shown = canvas.width / this.width;
    const reach = (side / MAGNIFICATION / 2) * (this.unit || 1);
    paper.fillStyle = "#15120f";
    paper.fillRect(0, 0, side, side);
    paper.imageSmoothingEnabled = true;
    paper.drawImage(canvas, (x - reach) * shown, (y - reach) * shown, 2 * reach * shown, 2 * reach * shown, 0, 0, side, side);
    for (const [colour, width] of /** @type {[string, number][]} */ ([["#000a", 6], ["#ffd97a", 2.5]])) {
      paper.strokeStyle = colour;
      paper.lineWidth = width;
      paper.beginPath();
      paper.arc(side / 2, side / 2, side * 0.09, 0, 7);
      for (const [a, b] of [[0.2, 0.41], [0.59, 0.8]]) {
        paper.moveTo(side * a, side / 2); paper.lineTo(side * b, side / 2);
        paper.moveTo(side / 2, side * a); paper.lineTo(side / 2, side * b);
      }
      paper.stroke();
    }
    const box = this.marks.getBoundingClientRect();
    const px = (x / this.width) * box.width, py = (y / this.height) * box.height, own = loupe.offsetWidth;
    const left = px > box.width / 2 ? px - own - 40 : px + 40; // beside the finger, not under it
    const top = py > box.height / 2 ? py - own - 20 : py + 20;
    loupe.style.left = `${Math.max(4, Math.min(box.width - own - 4, left))}px`;
    loupe.style.top = `${Math.max(4, Math.min(box.height - own - 4, top))}px`;
  }
}
