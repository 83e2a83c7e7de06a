// @ts-check
/**
 * The drawn board. It is given points, stones and marks, and knows no rule. The server sends the drawing of the board
 * with its points; the stones and marks are drawn here.
 */

import { part, svg } from "../common/dom.js";
import { pointName } from "../common/words.js";
import { rememberedView, shadowInView, viewTransform } from "./board_view.js";
import { Geometry, RIM_SIZE } from "./geometry.js";
import { draw, marks, millKey, mills } from "./marks.js";
import { Stones } from "./stones.js";

/** @import {GameView} from "../common/types.js" */
/** @import {Mark, Marks} from "./marks.js" */

export class Board {
  /** @param {HTMLElement} frame the element that holds the board's SVG */
  constructor(frame) {
    this.frame = frame;
    /** How this device turns and names the board. */
    this.view = rememberedView();
    /** The drawing without stones and marks, from which a turned one is made. @type {Node} */
    this.blank = part(frame, "svg.board").cloneNode(true);
    /** @type {SVGSVGElement} */
    this.drawing = part(frame, "svg.board");
    this.geometry = new Geometry(this.drawing, this.view);
    this.stones = new Stones(this.part("stones"), this.geometry);
    this.turn();
    frame.addEventListener("pointermove", (event) => this.point(this.nameAt(event)));
    frame.addEventListener("pointerleave", () => this.point(""));
    frame.addEventListener("focusin", ({ target }) => this.point(target instanceof SVGCircleElement ? this.geometry.nearest({ x: target.cx.baseVal.value, y: target.cy.baseVal.value }) : ""));
    frame.addEventListener("focusout", () => this.point(""));
  }

  /** Turn the drawing as this device shows it, and write the names of its points. */
  turn() {
    const turned = this.part("turned"), shadow = shadowInView(this.view);
    turned.setAttribute("transform", viewTransform(this.view, this.geometry.centre));
    turned.style.setProperty("--fall-x", String(shadow.x));
    turned.style.setProperty("--fall-y", String(shadow.y));
    const { isRim, size, labels } = this.geometry.labels(this.drawing);
    const shownLabels = this.view.names ? labels : [];
    this.part("names").replaceChildren(...shownLabels.map(({ text, x, y }) => svg("text", { x, y, "font-size": size }, isRim ? text : pointName(text))));
  }

  get name() {
    return this.drawing.dataset.board ?? "";
  }

  /** Fetch the drawing of the present board. */
  async loadDrawing() {
    const answer = await fetch("/board.svg");
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("svg");
    if (!parsed) return;
    this.blank = document.adoptNode(parsed);
    this.drawAgain();
  }

  /** Begin with a fresh drawing; whoever has laid something over the old one sees that it is another. */
  drawAgain() {
    this.frame.replaceChildren(this.blank.cloneNode(true));
    this.drawing = part(this.frame, "svg.board");
    this.geometry = new Geometry(this.drawing, this.view);
    this.stones = new Stones(this.part("stones"), this.geometry);
    this.turn();
  }

  /** Turn, mirror or name the board otherwise; `show` then draws the stones. @param {import("./board_view.js").BoardView} view */
  setView(view) {
    this.view = view;
    this.drawAgain();
  }

  /** @param {string} name @returns {SVGElement} */
  part(name) {
    return part(this.drawing, `.${name}`);
  }

  /** The point under the pointer, "" for none. @param {PointerEvent} event */
  nameAt(event) {
    return this.geometry.nearest(this.placeOf(event));
  }

  /** Where the pointer is, in units of the drawing. @param {PointerEvent} event */
  placeOf({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.drawing.getScreenCTM()?.inverse());
  }

  /** Show the name of the point that is pointed at or has the focus; "" for none. @param {string} name */
  point(name) {
    const pointed = this.part("pointed");
    if (pointed.dataset.name === name) return;
    pointed.dataset.name = name;
    const level = Math.max(0, (this.stones.lying.get(name) ?? []).length - 1);
    pointed.replaceChildren(...(name ? [this.draw({ shape: "name", kind: "name-tag", at: name, size: 1, level })] : []));
  }

  /** Show a position and its marks. @param {GameView} game @param {Marks} [marked] else those of the last turn */
  async show(game, marked) {
    if (game.board !== this.name || game.points.length !== this.geometry.places.size) await this.loadDrawing();
    this.stones.show(game);
    const { under, over } = marked ?? marks(game, this.geometry.rings);
    const standing = new Map(mills(game).map(({ key, isFresh }) => [key, isFresh]));
    for (const mill of /** @type {NodeListOf<SVGElement>} */ (this.drawing.querySelectorAll(".mill"))) {
      const isFresh = standing.get(millKey((mill.dataset.line ?? "").split(" ")));
      mill.classList.toggle("lit", isFresh !== undefined);
      mill.classList.toggle("fresh", isFresh === true);
    }
    this.part("marks-under").replaceChildren(...under.map((mark) => this.draw(mark)));
    this.part("marks-over").replaceChildren(...over.map((mark) => this.draw(mark)), ...this.ownerRings());
  }

  /** Show marks in a layer of their own, above all stones; what has not changed keeps its place in the animation. @param {string} name @param {Mark[]} shown */
  lay(name, shown) {
    const key = JSON.stringify(shown), before = this.part(name);
    if (before?.dataset.told === key) return;
    before?.remove();
    if (!shown.length) return;
    const layer = svg("g", { class: name, "aria-hidden": "true", "data-told": key }, ...shown.map((mark) => this.draw(mark)));
    this.part("pointed").before(layer);
  }

  /** A mark as it is drawn on the board. @param {Mark} mark */
  draw(mark) {
    if (mark.shape !== "name") return draw(mark, this.geometry);
    const { x, y } = this.geometry.centreOf(mark.at, mark.level);
    return svg("text", { class: mark.kind, x, y: y - this.geometry.radius - RIM_SIZE * 0.62, "font-size": RIM_SIZE * 1.2 }, pointName(mark.at));
  }

  /** A ring in the owner's colour around each stone that is painted for somebody else. */
  ownerRings() {
    return [...this.stones.lying].flatMap(([name, stones]) => stones.flatMap(({ paint, owner }, level) => {
      if (paint === owner) return [];
      const { x, y } = this.geometry.centreOf(name, level);
      return [svg("circle", { class: `owner-ring paint-${owner}`, cx: x, cy: y, r: this.geometry.radius * 1.02, "data-owner": owner })];
    }));
  }
}
