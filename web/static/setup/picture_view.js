// @ts-check
/** The picture of the set-up: live or frozen, with marks over it, and points to drag with a magnifier. */

import { byId, svg } from "../common/dom.js";
import { say } from "./setup_words.js";

const MAGNIFICATION = 5; // screen pixels for a pixel of the picture, in a magnifier of usual size
const STEP_PX = 1; // movement by an arrow key; ten times as far with Shift

/** @typedef {{x: number, y: number}} Place */

export class PictureView {
  constructor() {
    this.canvas = /** @type {HTMLCanvasElement} */ (byId("live"));
    this.marks = /** @type {SVGSVGElement} */ (byId("marks"));
    this.loupe = /** @type {HTMLCanvasElement} */ (byId("loupe"));
    this.screen = this.canvas.parentElement;
    this.isStill = false;
    this.number = -1;
    this.width = 1280;
    this.height = 720;
  }

  /** @param {[number, number] | undefined} size of the camera's picture in its own pixels */
  setSize(size) {
    if (!size) return;
    [this.width, this.height] = size;
    this.marks.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
  }

  /** Show pictures as they come, until `stop` aborts. @param {AbortSignal} stop */
  async run(stop) {
    while (!stop.aborted) {
      try {
        const answer = await fetch(`/setup/frame.jpg?after=${this.number}`, { signal: stop });
        if (answer.status === 200) {
          this.number = Number(answer.headers.get("X-Frame-Number"));
          const image = await createImageBitmap(await answer.blob());
          if (!this.isStill) this.draw(image);
          image.close();
        } else if (!answer.ok) await pause(800);
      } catch {
        if (!stop.aborted) await pause(800);
      }
      await pause(60);
    }
  }

  /** @param {ImageBitmap} image */
  draw(image) {
    if (this.canvas.width !== image.width || this.canvas.height !== image.height) {
      this.canvas.width = image.width;
      this.canvas.height = image.height;
    }
    this.canvas.getContext("2d")?.drawImage(image, 0, 0);
    this.canvas.dataset.number = String(this.number);
  }

  /** Show one picture and keep it. @param {string} path */
  async freeze(path) {
    this.isStill = true;
    const answer = await fetch(path);
    if (!answer.ok) return;
    const image = await createImageBitmap(await answer.blob());
    this.draw(image);
    image.close();
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
    const rings = points.map(([x, y]) => svg("circle", { class: "point", cx: x, cy: y, r: 9 * this.unit }));
    this.marks.replaceChildren(...lines, ...rings);
  }

  /** Draw which parts of the picture the target has covered, and where it is now. @param {any} lens */
  showCover(lens) {
    const rows = lens.cover.length, columns = lens.cover[0].length;
    const w = this.width / columns, h = this.height / rows;
    /** @type {SVGElement[]} */
    const drawn = [];
    lens.cover.forEach((/** @type {number[]} */ row, /** @type {number} */ r) => row.forEach((seen, c) => {
      drawn.push(svg("rect", { class: seen ? "cell seen" : "cell", x: c * w, y: r * h, width: w, height: h }));
    }));
    for (const [x, y] of lens.corners) drawn.push(svg("circle", { class: "corner", cx: x, cy: y, r: 5 * this.unit }));
    if (lens.taken.length) drawn.push(svg("rect", { class: "flash", x: 0, y: 0, width: this.width, height: this.height }));
    this.marks.replaceChildren(...drawn);
  }

  /** Draw the stones in the colours of their players. @param {any} seen */
  showStones(seen) {
    /** @type {SVGElement[]} */
    const drawn = [];
    seen.points.forEach((/** @type {number[]} */ [x, y], /** @type {number} */ k) => {
      const who = seen.tops[k];
      if (!who) return void drawn.push(svg("circle", { class: "point", cx: x, cy: y, r: 5 * this.unit, opacity: 0.6 }));
      drawn.push(svg("circle", { class: "stone", cx: x, cy: y, r: 24 * this.unit, stroke: seen.colours[who] || "#fff" }));
      drawn.push(svg("text", { class: "who", x, y: y - 30 * this.unit, "font-size": 26 * this.unit }, String(who)));
    });
    this.marks.replaceChildren(...drawn);
  }

  /**
   * Show points that can be dragged.
   * @param {{x: number, y: number, name: string, label: string, big?: boolean}[]} picks
   * @param {number[][]} edges pairs of points that are joined by a line
   * @param {(name: string, place: Place) => void} done called when a point was released
   */
  drag(picks, edges, done) {
    const lines = edges.map(([a, b]) => ({ a, b, line: svg("line", { class: "edge" }) }));
    const join = () => lines.forEach(({ a, b, line }) => {
      line.setAttribute("x1", String(picks[a].x)); line.setAttribute("y1", String(picks[a].y));
      line.setAttribute("x2", String(picks[b].x)); line.setAttribute("y2", String(picks[b].y));
    });
    const made = picks.map((pick) => {
      const size = this.unit * (pick.big ? 1.6 : 1);
      const group = svg("g", { class: "pick", tabindex: 0, role: "button" },
        svg("circle", { class: "reach", r: 26 * size }), svg("circle", { class: "point", r: 11 * size }));
      if (pick.big) group.append(svg("text", { class: "who", y: -22 * size }, pick.name));
      const move = (/** @type {number} */ x, /** @type {number} */ y) => {
        pick.x = Math.max(0, Math.min(this.width - 1, x));
        pick.y = Math.max(0, Math.min(this.height - 1, y));
        group.setAttribute("transform", `translate(${pick.x} ${pick.y})`);
        group.setAttribute("aria-label", say(pick.label, { name: pick.name, k: pick.name, x: Math.round(pick.x), y: Math.round(pick.y) }));
        join();
      };
      let isMoved = false;
      group.addEventListener("pointerdown", (event) => {
        const pointer = /** @type {PointerEvent} */ (event);
        group.setPointerCapture(pointer.pointerId);
        group.classList.add("held");
        this.screen?.classList.add("dragging");
        event.preventDefault();
        /** @type {any} */ (group).focus({ preventScroll: true });
        isMoved = false;
        this.showLoupe(pick);
      });
      group.addEventListener("pointermove", (event) => {
        const pointer = /** @type {PointerEvent} */ (event);
        if (!group.hasPointerCapture(pointer.pointerId)) return;
        const box = this.marks.getBoundingClientRect();
        isMoved = true;
        move(((pointer.clientX - box.left) / box.width) * this.width, ((pointer.clientY - box.top) / box.height) * this.height);
        this.showLoupe(pick);
      });
      const letGo = () => {
        group.classList.remove("held");
        this.screen?.classList.remove("dragging");
        this.loupe.hidden = true;
        if (isMoved) done(pick.name, { x: pick.x, y: pick.y });
        isMoved = false;
      };
      group.addEventListener("pointerup", letGo);
      group.addEventListener("pointercancel", letGo);
      group.addEventListener("focus", () => { if (group.matches(":focus-visible")) this.showLoupe(pick); });
      group.addEventListener("blur", () => { this.loupe.hidden = true; });
      group.addEventListener("keydown", (event) => {
        const { key, shiftKey } = /** @type {KeyboardEvent} */ (event);
        const step = STEP_PX * this.unit * (shiftKey ? 10 : 1);
        /** @type {Record<string, [number, number]>} */
        const ways = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
        const way = ways[key];
        if (!way) return;
        event.preventDefault();
        move(pick.x + way[0], pick.y + way[1]);
        this.showLoupe(pick);
        done(pick.name, { x: pick.x, y: pick.y });
      });
      move(pick.x, pick.y);
      return group;
    });
    join();
    this.marks.replaceChildren(...lines.map(({ line }) => line), ...made);
  }

  /** Show the picture around a place in the magnifier. @param {Place} place */
  showLoupe({ x, y }) {
    const { loupe, canvas } = this;
    loupe.hidden = false;
    const paper = loupe.getContext("2d");
    if (!paper) return;
    const side = loupe.width, shown = this.canvas.width / this.width;
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

/** @param {number} ms */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
