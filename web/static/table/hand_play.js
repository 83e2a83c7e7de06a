// @ts-check
/**
 * Playing on the page, where no camera looks: one tap lays a stone, two taps or a drag move one, a mill asks for one tap
 * more. The page knows no rule: it shows what the server says may be done and sends what people do, lawful or not.
 */

import { actMarks, lyingPebble, pointSeed, ring, stone } from "../board/marks.js";
import { pebbleIcon } from "../board/pebble.js";
import { playerName } from "../board/players.js";
import { button, byId, html, icon, part, svg } from "../common/dom.js";
import { words } from "../common/words.js";
import { order, remindOfHeld } from "./commands.js";
import { RING_LETTERS, RING_TURNS } from "./ring_turns.js";

/** @typedef {import("../common/types.js").Snapshot} State */
/** @typedef {{paint: number, from: string, player: number | null, x: number, y: number, ghost: SVGElement | null}} Drag */

const DRAG_PX = 8; // a finger that moves less has tapped

export class HandPlay {
  /**
   * @param {import("../board/board.js").Board} board
   * @param {import("../board/touch_points.js").TouchPoints} touch
   * @param {import("./corrections.js").Corrections} corrections
   */
  constructor(board, touch, corrections) {
    this.board = board;
    this.touch = touch;
    this.corrections = corrections;
    this.tools = byId("hand-tools");
    /** @type {State | null} */
    this.state = null;
    /** The point whose stone is to be moved, and the player out of whose bowl the next stone comes, where it is not the mover's. */
    this.selected = "";
    /** @type {number | null} */
    this.bowl = null;
    this.isCorrecting = false;
    this.isSending = false;
    /** The board that is shown: the marks of another one are old. */
    this.shown = "";
    /** @type {Drag | null} */
    this.drag = null;
    this.hasDragged = false;
    /** Called when taps mean something else from now on. */
    this.onMode = () => {};
    touch.onTap = (name) => this.tap(name);
    touch.onMenu = (name) => corrections.openChoices(name);
    touch.onPress = (name, event) => this.press(event, name, null);
    window.addEventListener("pointermove", (event) => this.pull(event));
    window.addEventListener("pointerup", (event) => this.drop(event));
    window.addEventListener("pointercancel", () => this.endDrag());
    window.addEventListener("dragstart", (event) => { if (this.drag) event.preventDefault(); }); // the browser drags no picture
  }

  /** Whether taps play, rather than correct; who looks on may do neither. */
  get isOn() {
    return document.documentElement.dataset.role === "referee" && this.state !== null && this.state.game.acts !== null && !this.state.game.outcome && !this.isCorrecting;
  }

  /** @param {State} next */
  show(next) {
    const { game } = next;
    const moment = `${game.id} ${game.ply} ${game.begun} ${Boolean(game.foul)}`;
    if (moment !== this.shown) {
      const selection = game.acts?.some(({ from }) => from === this.selected) ? this.selected : ""; // while Millchen laid its own
      this.forget();
      this.selected = selection;
      this.isSending = false; // what was sent has come to be, whether or not its answer is there
    }
    this.shown = moment;
    this.tools.dataset.shown = moment;
    this.state = next;
    if (game.acts === null || game.outcome) this.isCorrecting = false;
    document.body.classList.toggle("plays-here", this.isOn);
    this.showTools();
    this.mark();
  }

  forget() {
    this.selected = "";
    this.bowl = null;
    this.endDrag();
  }

  /** Choose a point: lay, take or move a stone. @param {string} name */
  tap(name) {
    if (this.hasDragged) return; // this click ends a drag
    const { state } = this;
    if (!state || !this.isOn) { this.corrections.openChoices(name); return; }
    const { game } = state, acts = game.acts ?? [];
    if (game.foul) { byId("put-back").focus(); return; }
    const stack = game.stacks[name] ?? [];
    if (this.selected) {
      const isGoal = acts.some((act) => act.from === this.selected && act.to === name);
      if (name === this.selected) this.select("");
      else if (stack.length > 0 && !isGoal) this.select(name);
      else this.act(`${this.selected}-${name}`);
      return;
    }
    if (game.owed > 0 && stack.length > 0) this.take(name);
    else if (this.bowl !== null) this.act(name, this.bowl);
    else if (acts.some((act) => act.act === "place" && act.to === name)) this.act(name);
    else if (stack.length > 0) this.select(name);
    else this.act(name); // against the rules, and the referee says why
  }

  /** Take a stone: the top one, or another one of a tower where the rules leave the choice. @param {string} name */
  take(name) {
    const levels = (this.state?.game.acts ?? []).filter((act) => act.act === "capture" && act.at === name);
    if (levels.length < 2) this.act(levels[0]?.text ?? `x${name}`);
    else this.corrections.openLevels(name, levels.map((act) => act.level ?? 1), (level) => this.act(`x${name}.${level}`));
  }

  /** @param {string} name */
  select(name) {
    this.selected = name;
    this.showTools();
    this.mark();
    this.onMode();
  }

  /** @param {string} act in notation @param {number | null} [player] whose stone is laid, where it is not the mover's */
  act(act, player = null) {
    const { state } = this;
    if (!state || remindOfHeld() || this.isSending) return; // a second tap while the first is on its way
    this.isSending = true;
    this.forget();
    this.drawSent(act, player ?? state.game.to_move ?? 0);
    order("/api/act", player === null ? { act } : { act, player })
      .finally(() => { this.isSending = false; this.drawSent("", 0); this.showTools(); this.mark(); });
  }

  /** Draw what was sent, for the time that it is held; "" for nothing. @param {string} act in notation @param {number} player who lays a stone */
  drawSent(act, player) {
    const points = act.replace(/^x|\.\d$/g, "").split("-").filter((name) => this.touch.spots.has(name)), to = points.at(-1);
    const paint = act.startsWith("x") ? 0 : points.length > 1 ? this.state?.game.stacks[points[0]]?.at(-1)?.[0] ?? 0 : player;
    this.board.lay("sent-marks", [...points.map((name) => ring("sent-ring", name, 1.2)), ...(to && paint ? [stone("meant-stone", to, paint)] : [])]);
  }

  // ------------------------------------------------------------------ what may be done

  /** Light up what may be done, and the stone that is to be moved. */
  mark() {
    const game = this.isOn ? this.state?.game : null;
    for (const [name, spot] of game ? this.touch.spots : []) spot.classList.toggle("has-stone", (game?.stacks[name] ?? []).length > 0);
    this.board.lay("hand-marks", game ? actMarks(game.acts ?? [], this.drag?.ghost ? this.drag.from : this.selected, game) : []);
  }

  /** What cannot be tapped on the board: other bowls, stones to take off, rings, and doing nothing where that is allowed. */
  showTools() {
    const { state } = this;
    const isShown = state !== null && state.game.acts !== null && !state.game.outcome;
    this.tools.hidden = !isShown;
    if (!isShown || !state) return;
    const { game } = state, acts = game.acts ?? [], tools = [];
    if (!this.isCorrecting) {
      if (this.selected) {
        tools.push(html("span", { class: "hand-hint" }, words("hand.where", { point: this.selected })),
          this.tool("hand-cancel", () => this.select(""), words("cancel")),
          this.tool("hand-take-off", () => this.act(`x${this.selected}`), words("hand.take_off")));
      } else if (game.hands.some((left) => left > 0)) tools.push(this.bowls(state));
      tools.push(...this.board.geometry.rings.map((_, k) => this.ringButtons(k)));
      for (const { text } of acts.filter(({ act }) => act === "pass")) tools.push(this.tool("hand-pass", () => this.act(text), words(text === "x-" ? "hand.decline" : "hand.pass")));
    }
    const correct = this.tool("hand-correct", () => {
      this.isCorrecting = !this.isCorrecting;
      this.select("");
      document.body.classList.toggle("plays-here", this.isOn);
    }, words("hand.correct"));
    correct.setAttribute("aria-pressed", String(this.isCorrecting));
    const focused = document.activeElement?.id;
    this.tools.replaceChildren(...tools, correct);
    if (focused) part(this.tools, `#${focused}`)?.focus();
  }

  /** The bowls of stones: the mover's is chosen, another one can be. @param {State} state */
  bowls(state) {
    const { game } = state;
    const players = game.hands.map((left, k) => ({ left, player: k + 1 })).filter(({ left }) => left > 0);
    return html("span", { class: "bowls", role: "group", "aria-label": words("hand.bowls") }, ...players.map(({ left, player }) => {
      const label = words("hand.bowl", { player: playerName(state, player), n: left });
      const bowl = this.tool(`bowl-${player}`, () => {
        if (this.hasDragged) return;
        this.bowl = player === game.to_move ? null : player;
        this.select("");
      }, pebbleIcon(player, player * 5 + 1), `${left}`);
      bowl.setAttribute("aria-label", bowl.title = label);
      bowl.setAttribute("aria-pressed", String((this.bowl ?? game.to_move) === player));
      bowl.addEventListener("pointerdown", (event) => this.press(event, "", player));
      return bowl;
    }));
  }

  /** @param {number} k number of the ring, 0 the outer one */
  ringButtons(k) {
    const { rings } = this.board.geometry, values = { ring: words(`ring.${k + 1}`) };
    const drawing = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "ring-icon" },
      ...rings.map((_, n) => svg("circle", { cx: 12, cy: 12, r: 10 - (n * 8) / rings.length, class: n === k ? "this" : "" })));
    return html("span", { class: "ring-turns" }, drawing, ...RING_TURNS.map(({ way, path, name }) => {
      const label = words(`hand.${name}`, values);
      return button({ class: "plain icon", id: `ring-${k}${name.replace("ring_", "")}`, title: label, "aria-label": label }, () => this.act(`${RING_LETTERS[k]}${way}`), icon(path));
    }));
  }

  /** @param {string} id @param {() => void} act @param {...(Node | string)} children */
  tool(id, act, ...children) {
    return button({ class: "plain", id }, act, ...children);
  }

  // ------------------------------------------------------------------ dragging

  /** A finger goes down on a stone. @param {PointerEvent} event @param {string} name @param {number | null} player out of whose bowl */
  press(event, name, player) {
    const { state } = this;
    this.hasDragged = false;
    if (!state || !this.isOn || state.game.foul || event.button !== 0) return;
    const paint = player ?? state.game.stacks[name]?.at(-1)?.[0];
    if (!paint) return;
    const other = player === state.game.to_move ? null : player;
    this.drag = { paint, from: name, player: other, x: event.clientX, y: event.clientY, ghost: null };
  }

  /** @param {PointerEvent} event */
  pull(event) {
    const { drag } = this;
    if (!drag) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PX) return;
      drag.ghost = svg("g", { class: "dragged" }, lyingPebble(drag.paint, pointSeed(drag.from || "a1"), this.board.geometry.radius, "", { x: 0, y: 0 }));
      this.board.drawing.append(drag.ghost);
      this.mark();
    }
    const at = this.board.placeOf(event);
    drag.ghost.setAttribute("transform", `translate(${at.x} ${at.y})`);
  }

  /** @param {PointerEvent} event */
  drop(event) {
    const { drag } = this;
    if (!drag) return;
    const isDragged = drag.ghost !== null;
    this.endDrag();
    if (!isDragged) return;
    this.hasDragged = true;
    setTimeout(() => { this.hasDragged = false; }); // the click that follows a drag is none
    const to = this.touch.pointAt(event.clientX, event.clientY);
    if (to === null || to === drag.from) return;
    if (!drag.from) { if (to) this.act(to, drag.player); }
    else if (to) this.act(`${drag.from}-${to}`);
    else this.act(`x${drag.from}`); // laid beside the board
  }

  endDrag() {
    this.drag?.ghost?.remove();
    this.drag = null;
    if (this.state) this.mark();
  }
}
