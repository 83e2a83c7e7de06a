// @ts-check
/**
 * The camera's picture with the detected board, its stones and what is marked drawn over it. People can drag the four
 * corners when the board was not found.
 */

import { cornerGrips, drawGrips } from "../board/grips.js";
import { curvedPath, draw, marks, meantMarks, mills } from "../board/marks.js";
import { byId, onClick, part, svg } from "../common/dom.js";
import { LivePicture } from "../common/live_picture.js";
import { pointName } from "../common/words.js";
import { send } from "./commands.js";

/** @import {Snapshot} from "../common/types.js" */

const NAME_SHARE = 0.017; // least size of the points' names, as a share of the picture's width
const MARK_SHARE = 1.42; // how much larger than a spot the stone is, after which marks have their size

export class CameraPicture {
  /** @param {import("../board/board.js").Board} board its points (in thousandths of its side) and rings */
  constructor(board) {
    this.board = board;
    this.frame = byId("picture");
    /** @type {SVGSVGElement} */
    this.overlay = part(this.frame, ".overlay");
    this.live = new LivePicture(part(this.frame, "canvas"), "/frame.jpg", () => this.fit());
    /** Size of the camera's picture in pixels; the picture that is shown may be smaller. */
    this.size = { width: 1280, height: 720 };
    /** @type {import("../board/grips.js").Grip[]} */
    this.corners = [];
    /** @type {Snapshot | null} */
    this.state = null;
    onClick("corners", () => this.startAdjusting());
    onClick("blind-corners", () => this.startAdjusting());
    onClick("corners-cancel", () => this.stopAdjusting());
    onClick("corners-done", () => this.sendCorners());
    document.addEventListener("visibilitychange", () => this.watch());
    this.watch();
  }

  get number() {
    return this.live.number;
  }

  /** Whether people drag corners: the picture is frozen meanwhile. */
  get isAdjusting() {
    return this.live.isStill;
  }

  watch() {
    this.live.run(() => !document.hidden).catch((why) => console.error(why));
  }

  fit() {
    const { width, height } = this.live.canvas;
    this.frame.style.setProperty("--aspect", String(width / height));
    if (this.state) this.show(this.state);
  }

  /** @param {Snapshot} state */
  show(state) {
    this.state = state;
    if (this.isAdjusting) return;
    const { sight, game } = state, { canvas } = this.live;
    const [width, height] = sight.size ?? [canvas.width, canvas.height];
    this.size = { width, height };
    this.overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.overlay.replaceChildren(...(sight.points.length === game.points.length ? this.drawn(state) : []));
  }

  /** What lies over the picture. @param {Snapshot} state */
  drawn({ sight, game, proposal, hint }) {
    const spots = new Map(game.points.map((name, k) => [name, { x: sight.points[k][0], y: sight.points[k][1] }]));
    const radius = spotRadius([...spots.values()]), { rings } = this.board.geometry;
    const centreOf = (/** @type {string} */ name) => spots.get(name) ?? { x: 0, y: 0 };
    const along = (/** @type {string} */ from, /** @type {string} */ to) => curvedPath(centreOf(from), centreOf(to), 0);
    const ground = { radius: radius * MARK_SHARE, centreOf, along };
    const lines = mills(game).map(({ line, isFresh }) => svg("polyline", {
      class: isFresh ? "mill-line fresh" : "mill-line", "stroke-width": radius * 0.55,
      points: line.map((name) => `${centreOf(name).x},${centreOf(name).y}`).join(" "),
    }));
    const rounds = game.points.flatMap((name, k) => {
      const { x, y } = centreOf(name), top = game.stacks[name]?.at(-1), r = top ? radius * 1.25 : radius * 0.42;
      const kind = `${sight.hidden[k] ? " hidden" : ""}${top ? ` taken-by paint-${top[0]}` : ""}`;
      return [svg("circle", { class: "halo", cx: x, cy: y, r }), svg("circle", { class: `spot${kind}`, cx: x, cy: y, r })];
    });
    const { under, over } = marks(game, rings), told = game.foul || game.outcome ? null : proposal ?? hint;
    const marked = [...under, ...over, ...meantMarks(told, game, rings)].filter(({ shape }) => shape !== "stone" && shape !== "name");
    const size = Math.max(this.size.width * NAME_SHARE, radius * 1.05);
    const names = this.board.view.names ? [...spots] : [];
    return [...lines, ...rounds, ...marked.map((mark) => draw(mark, ground)),
      ...names.map(([name, { x, y }]) => svg("text", { class: "spot-name", x: x + radius * 0.95, y: y - radius * 0.95, "font-size": size }, pointName(name)))];
  }

  /** Let people drag the corners of the field. */
  startAdjusting() {
    if (!this.live.canvas.dataset.number) return; // there is no picture yet
    this.corners = cornerGrips(this.size, this.state && knownCorners(this.state));
    this.adjust(true);
    byId("blind").hidden = true;
    drawGrips(this.overlay, this.corners, this.size, { places: this.board.geometry.drawnPlaces.values() });
    part(this.overlay, ".grip")?.focus();
  }

  stopAdjusting() {
    this.adjust(false);
    if (this.state) this.show(this.state);
  }

  /** @param {boolean} isOn */
  adjust(isOn) {
    this.live.isStill = isOn;
    this.overlay.setAttribute("aria-hidden", String(!isOn));
    byId("corner-tools").hidden = !isOn;
    byId("under-picture").hidden = isOn;
  }

  async sendCorners() {
    const corners = this.corners.map(({ x, y }) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
    await send("/api/corners", { corners }).catch(() => null);
    this.stopAdjusting();
  }
}

/** The four outermost points in the picture, clockwise from the upper left one of the board; null where unknown. @param {Snapshot} state */
function knownCorners({ sight, game: { points } }) {
  if (sight.points.length !== points.length || !points.every((name) => /^[a-g]\d$/.test(name))) return null;
  const files = points.map((name) => name[0]).sort(), ranks = points.map((name) => name[1]).sort();
  const [a, one] = [files[0], ranks[0]], [g, seven] = [files.at(-1), ranks.at(-1)];
  const spots = [`${a}${seven}`, `${g}${seven}`, `${g}${one}`, `${a}${one}`].map((name) => sight.points[points.indexOf(name)]);
  return spots.every(Boolean) ? spots.map(([x, y]) => ({ x, y })) : null;
}

/** @param {{x: number, y: number}[]} spots */
function spotRadius(spots) {
  const gaps = spots.flatMap((a, i) => spots.slice(i + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y)));
  return Math.max(5, Math.min(...gaps) * 0.34);
}
