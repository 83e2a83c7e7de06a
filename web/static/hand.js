// @ts-check
/**
 * Set right by hand: touch a point of the board, then what lies on it. By keyboard the arrow keys go from point to
 * point and Enter asks what lies there.
 */

import { byId, html, send, svg } from "./dom.js";
import { pebbleIcon } from "./pebble.js";
import { stoneName } from "./players.js";
import { words } from "./words.js";

/** @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Hand {
  /**
   * @param {import("./board.js").Board} board
   * @param {(why: Error) => void} complain
   */
  constructor(board, complain) {
    this.board = board;
    this.complain = complain;
    this.chooser = byId("set-right");
    /** @type {import("./types.js").State | null} */
    this.state = null;
    /** The drawing whose points can be touched. @type {SVGElement | null} */
    this.drawing = null;
    /** @type {Map<string, SVGElement>} */
    this.spots = new Map();
  }

  /** @param {import("./types.js").State} state */
  show(state) {
    this.state = state;
    if (this.drawing !== this.board.drawing) this.lay();
    for (const [name, spot] of this.spots) {
      const top = this.top(name);
      spot.setAttribute("aria-label", `${name}: ${top ? stoneName(state, top) : words("set.bare")}`);
    }
  }

  /** Which player's paint a point shows, 0 for none. @param {string} name */
  top(name) {
    return this.state?.game.stacks[name]?.at(-1)?.[0] ?? 0;
  }

  /** Lay something to touch over each point of the drawing. */
  lay() {
    this.drawing = this.board.drawing;
    this.spots.clear();
    const layer = svg("g", { class: "spots", role: "group", "aria-label": words("set.help") });
    for (const [name, { x, y }] of this.board.places) {
      const spot = svg("circle", { class: "touch", cx: x, cy: y, r: this.board.radius * 1.12, role: "button", tabindex: this.spots.size ? -1 : 0 });
      spot.addEventListener("click", () => this.ask(name));
      spot.addEventListener("keydown", (event) => this.key(event, name));
      this.spots.set(name, spot);
      layer.append(spot);
    }
    this.drawing.append(layer);
  }

  /** @param {KeyboardEvent} event @param {string} name */
  key(event, name) {
    if (event.key === "Enter" || event.key === " ") this.ask(name);
    else if (WAYS[event.key]) this.go(name, WAYS[event.key]);
    else return;
    event.preventDefault();
  }

  /** Go on to the nearest point that lies that way. @param {string} from @param {[number, number]} way */
  go(from, [dx, dy]) {
    const here = this.board.at(from);
    let best = "", least = Infinity;
    for (const [name, there] of this.board.places) {
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

  /** @param {string} name */
  ask(name) {
    const { state } = this;
    if (!state) return;
    const now = this.top(name);
    const choices = html("div", { class: "choices" });
    for (let top = 0; top <= state.game.players; top += 1) {
      const label = top ? stoneName(state, top) : words("set.bare");
      const choice = html("button", { type: "button", "data-top": top, "aria-pressed": top === now ? "true" : "false" },
        top ? pebbleIcon(top, top * 5 + 1) : svg("svg", { class: "bare", viewBox: "-110 -110 220 220", "aria-hidden": "true" }, svg("circle", { r: 84 })),
        html("span", {}, label));
      choice.addEventListener("click", () => this.choose(name, top, now));
      choices.append(choice);
    }
    this.chooser.replaceChildren(html("p", { id: "set-right-what" }, words("set.what", { point: name })), choices);
    this.chooser.showPopover();
    this.place(name);
    choices.querySelector(`[aria-pressed="true"]`)?.focus();
  }

  /** Beside the point, towards the middle of the window; never over the point itself. @param {string} name */
  place(name) {
    const at = /** @type {SVGElement} */ (this.spots.get(name)).getBoundingClientRect();
    const size = this.chooser.getBoundingClientRect();
    const left = Math.min(at.left + at.width / 2 - size.width / 2, window.innerWidth - size.width - 8);
    const isHigh = at.top + at.height / 2 < window.innerHeight / 2;
    const top = isHigh ? Math.min(at.bottom + 8, window.innerHeight - size.height - 8) : at.top - size.height - 8;
    this.chooser.style.left = `${Math.max(8, left)}px`;
    this.chooser.style.top = `${Math.max(8, top)}px`;
  }

  /** @param {string} point @param {number} top @param {number} now */
  choose(point, top, now) {
    this.chooser.hidePopover();
    if (top !== now) send("/api/correct", { point, top }).catch(this.complain);
  }
}
