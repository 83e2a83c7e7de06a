// @ts-check
/**
 * A target to touch over each point of the board, for referees: a tap, Enter or the space bar choose a point, arrow keys
 * go from point to point, and a right click or a long press asks for its choices.
 */

import { svg } from "../common/dom.js";
import { pointName, words } from "../common/words.js";

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class TouchPoints {
  /** @param {import("./board.js").Board} board @param {boolean} [isForAll] whether who only looks on may touch it, too */
  constructor(board, isForAll = false) {
    this.board = board;
    this.isForAll = isForAll;
    this.label = words("board");
    /** The drawing whose points can be touched. @type {SVGElement | null} */
    this.drawing = null;
    /** @type {Map<string, SVGElement>} */
    this.spots = new Map();
    /** What a tap does, and what a right click or a long press does. @type {(name: string) => void} */
    this.onTap = () => {};
    /** @type {(name: string) => void} */
    this.onMenu = () => {};
    /** @type {(name: string, event: PointerEvent) => void} */
    this.onPress = () => {};
  }

  /** Lay the targets over a drawing that is new. @param {(name: string) => string} labelOf what lies on a point, in words */
  show(labelOf) {
    if (this.drawing !== this.board.drawing) this.lay();
    for (const [name, spot] of this.spots) spot.setAttribute("aria-label", words("label", { name: pointName(name), text: labelOf(name) }));
  }

  /** Say what a touch does. @param {string} label */
  call(label) {
    this.label = label;
    this.drawing?.querySelector(".spots")?.setAttribute("aria-label", label);
  }

  lay() {
    this.drawing = this.board.drawing;
    this.spots.clear();
    if (!this.isForAll && document.documentElement.dataset.role !== "referee") return; // viewers only look on
    const layer = svg("g", { class: "spots", role: "group", "aria-label": this.label });
    for (const [name, { x, y }] of this.board.geometry.places) {
      const spot = svg("circle", { class: "touch", cx: x, cy: y, r: this.board.geometry.radius * 1.12, role: "button", tabindex: this.spots.size ? -1 : 0 });
      spot.addEventListener("click", () => this.onTap(name));
      spot.addEventListener("contextmenu", (event) => { event.preventDefault(); this.onMenu(name); });
      spot.addEventListener("pointerdown", (event) => this.onPress(name, event));
      spot.addEventListener("keydown", (event) => this.handleKey(event, name));
      this.spots.set(name, spot);
      layer.append(spot);
    }
    this.drawing.append(layer);
  }

  /** @param {KeyboardEvent} event @param {string} name */
  handleKey(event, name) {
    if (event.key === "Enter" || event.key === " ") this.onTap(name);
    else if (DIRECTIONS[event.key]) this.focusNeighbour(name, DIRECTIONS[event.key]);
    else return;
    event.preventDefault();
  }

  /** Move the focus to the nearest point in a direction. @param {string} from @param {[number, number]} way */
  focusNeighbour(from, [dx, dy]) {
    const { places } = this.board.geometry, here = places.get(from) ?? { x: 0, y: 0 };
    let best = "", least = Infinity;
    for (const [name, there] of places) {
      const x = there.x - here.x, y = there.y - here.y;
      const along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
      const far = along + 2 * across;
      if (along > 1 && far < least) { best = name; least = far; }
    }
    if (!best) return;
    this.spots.get(from)?.setAttribute("tabindex", "-1");
    this.spots.get(best)?.setAttribute("tabindex", "0");
    this.spots.get(best)?.focus();
  }

  /** The point at a place of the window, or beside the board "", or null on the board between its points. @param {number} x @param {number} y */
  pointAt(x, y) {
    let best = "", least = Infinity;
    for (const [name, spot] of this.spots) {
      const box = spot.getBoundingClientRect();
      const far = Math.hypot(x - box.left - box.width / 2, y - box.top - box.height / 2) / (box.width / 2);
      if (far < least) { best = name; least = far; }
    }
    if (least < 1.3) return best;
    const cloth = this.board.drawing.getBoundingClientRect();
    return x < cloth.left || x > cloth.right || y < cloth.top || y > cloth.bottom ? "" : null;
  }
}
