// @ts-check
/**
 * Corrections by hand: tap a point of the board, then what lies on it. A point with a tower opens as a stack; a ring
 * can be rotated.
 */

import { pebbleIcon } from "../board/pebble.js";
import { playerName, stonesOf } from "../board/players.js";
import { button, byId, html, icon, part, svg } from "../common/dom.js";
import { words } from "../common/words.js";
import { order } from "./commands.js";
import { RING_TURNS } from "./ring_turns.js";

/** @typedef {import("../common/types.js").Commands} Commands */

export class Corrections {
  /** @param {import("../board/board.js").Board} board @param {import("../board/touch_points.js").TouchPoints} touch */
  constructor(board, touch) {
    this.board = board;
    this.touch = touch;
    this.popover = byId("set-right");
    /** @type {import("../common/types.js").Snapshot | null} */
    this.state = null;
    /** The point whose choices were opened last. */
    this.point = "";
  }

  /** @param {import("../common/types.js").Snapshot} state */
  show(state) {
    const isStale = this.popover.matches(":popover-open") && this.stackOf(state) !== this.stackOf(this.state);
    this.state = state;
    this.touch.show((name) => (this.topStone(name) ? playerName(state, this.topStone(name)) : words("point.free")));
    if (isStale) this.openChoices(this.point); // what lies there has changed while its choices were open
  }

  /** What lies on the point whose choices were opened last, to compare. @param {import("../common/types.js").Snapshot | null} state */
  stackOf(state) {
    return JSON.stringify(state?.game.stacks[this.point] ?? []);
  }

  /** The player of the top stone on a point, 0 for none. @param {string} name */
  topStone(name) {
    return this.state?.game.stacks[name]?.at(-1)?.[0] ?? 0;
  }

  /** @param {string} name */
  openChoices(name) {
    const { state } = this;
    if (!state) return;
    const isTower = state.game.max_height > 1;
    this.open(name, words("set.what", { point: name }), isTower, isTower ? this.towerChoices(name, state) : this.stoneChoices(name, state), this.ringChoices(name));
  }

  /** Ask which stone of a tower is meant, where the rules leave the choice. @param {string} name @param {number[]} levels 1 the lowest @param {(level: number) => void} choose */
  openLevels(name, levels, choose) {
    const stack = this.state?.game.stacks[name] ?? [];
    this.open(name, words("hand.which", { point: name }), true, levels.map((level) => this.choice({ "data-level": level }, stack[level - 1]?.[0] ?? 0, words("hand.level", { n: level }), () => {
      this.popover.hidePopover();
      choose(level);
    })));
  }

  /** Open choices beside a point. @param {string} name @param {string} title @param {boolean} isTower @param {HTMLElement[]} offered @param {HTMLElement[]} [more] */
  open(name, title, isTower, offered, more = []) {
    this.point = name;
    const stack = this.state?.game.stacks[name] ?? [], choices = html("div", { class: "choices" }, ...offered);
    const tower = html("div", { class: "stack", "aria-hidden": "true" }, ...stack.map(([paint], level) => pebbleIcon(paint, level * 3 + 1)));
    this.popover.replaceChildren(html("p", { id: "set-right-what" }, title), ...(isTower ? [tower] : []), choices, ...more);
    if (!this.popover.matches(":popover-open")) this.popover.showPopover();
    this.positionPopover(name);
    (part(choices, `[aria-pressed="true"]`) ?? part(choices, "button"))?.focus();
  }

  /** @param {string} name @param {import("../common/types.js").Snapshot} state */
  stoneChoices(name, state) {
    const now = this.topStone(name);
    return [...Array(state.game.players + 1).keys()].map((top) => this.choice({ "data-top": top, "aria-pressed": String(top === now) }, top,
      top ? stonesOf(state, top) : words("set.bare"), () => this.send("/api/correct", top === now ? null : { point: name, top })));
  }

  /** A point that holds a tower: a stone on top, the top one off, or nothing. @param {string} name @param {import("../common/types.js").Snapshot} state */
  towerChoices(name, state) {
    const stack = state.game.stacks[name] ?? [];
    const tall = stack.length;
    /** @param {number} top @param {string} label @param {number} height @param {string} kind */
    const offer = (top, label, height, kind) => this.choice({ "data-act": `${kind}-${top}` }, kind === "on" ? top : 0, label,
      () => this.send("/api/tower", { point: name, top, height }));
    const offers = [];
    if (tall < state.game.max_height) {
      for (let top = 1; top <= state.game.players; top += 1) {
        const stone = stonesOf(state, top);
        offers.push(offer(top, tall ? words("set.on_top", { stone }) : stone, tall + 1, "on"));
      }
    }
    if (tall > 1) offers.push(offer(stack[tall - 2][0], words("set.off"), tall - 1, "off"));
    if (tall > 0) offers.push(offer(0, words("set.bare"), 0, "bare"));
    return offers;
  }

  /** Buttons to rotate the ring of a point, where it has one. @param {string} name @returns {HTMLElement[]} */
  ringChoices(name) {
    const ring = this.board.geometry.rings.findIndex((points) => points.includes(name));
    if (ring < 0) return [];
    return [html("div", { class: "ring-choices" }, html("span", {}, words("set.ring")), ...RING_TURNS.map(({ steps, name: way, path }) => {
      const label = words(`set.${way}`);
      return button({ class: "icon plain", title: label, "aria-label": label, "data-steps": steps }, () => this.send("/api/ring", { ring, steps }), icon(path));
    }))];
  }

  /** @param {import("../common/dom.js").Attributes} attributes @param {number} top player of the stone that is drawn, 0 for none @param {string} label @param {() => void} act */
  choice(attributes, top, label, act) {
    const bare = svg("svg", { class: "bare", viewBox: "-110 -110 220 220", "aria-hidden": "true" }, svg("circle", { r: 84 }));
    return button(attributes, act, top ? pebbleIcon(top, top * 5 + 1) : bare, html("span", {}, label));
  }

  /** Show the choices beside the point, towards the middle of the window, and never over the point. @param {string} name */
  positionPopover(name) {
    const at = /** @type {SVGElement} */ (this.touch.spots.get(name)).getBoundingClientRect();
    const size = this.popover.getBoundingClientRect();
    const left = Math.min(at.left + at.width / 2 - size.width / 2, window.innerWidth - size.width - 8);
    const isHigh = at.top + at.height / 2 < window.innerHeight / 2;
    const top = isHigh ? Math.min(at.bottom + 8, window.innerHeight - size.height - 8) : at.top - size.height - 8;
    this.popover.style.left = `${Math.max(8, left)}px`;
    this.popover.style.top = `${Math.max(8, top)}px`;
  }

  /** Send the correction, unless nothing changes. @template {keyof Commands} P @param {P} path @param {Commands[P] | null} body */
  send(path, body) {
    this.popover.hidePopover();
    if (body) order(path, body);
  }
}
