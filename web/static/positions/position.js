// @ts-check
/** A position read from a photograph: a tap puts a point right, and the game goes on from it, or it is taken away. */

import { Board } from "../board/board.js";
import { ring } from "../board/marks.js";
import { paintStones, pebbleIcon } from "../board/pebble.js";
import { stoneName } from "../board/players.js";
import { TouchPoints } from "../board/touch_points.js";
import { complain, send } from "../common/ask.js";
import { button, byId, embedded, html, onClick } from "../common/dom.js";
import { words } from "../common/words.js";
import { Corrections } from "../table/corrections.js";
import { PhotographReader } from "./photograph_reader.js";

/** @typedef {{number: number, game: string, options: Record<string, unknown>, source: string | null, stones: Record<string, number[]>, doubtful: string[], colours: string[], shown: string[], names: string[], most: number[], view: import("../common/types.js").GameView}} Told */
/** @typedef {{fen: string, hands: number[], to_move: number, mills: string[][]}} Weighed */

const RING = 1.34; // radius of the mark around a point in doubt, in radii of a stone

/** The card at a point, whose answer changes this page alone. */
class ReadCorrections extends Corrections {
  /** @param {Board} board @param {TouchPoints} touch @param {(point: string, body: any) => void} change */
  constructor(board, touch, change) {
    super(board, touch);
    this.change = change;
  }

  /** @param {string} _ @param {object | null} body */
  send(_, body) {
    this.popover.hidePopover();
    this.change(this.point, body);
  }

  /** A photograph shows the stones as the rings stand. @returns {HTMLElement[]} */
  ringChoices() {
    return [];
  }
}

export class PositionPage {
  constructor() {
    /** @type {Told} */
    this.told = embedded("position");
    this.stones = { ...this.told.stones };
    this.doubtful = new Set(this.told.doubtful);
    /** What people have said, and not the page. @type {{hands?: number[], to_move?: number}} */
    this.said = {};
    /** @type {Weighed} */
    this.weighed = { fen: "", hands: this.told.most, to_move: 1, mills: [] };
    this.n = 0;
    paintStones(this.told.shown);
    this.board = new Board(byId("board"));
    this.touch = new TouchPoints(this.board);
    this.corrections = new ReadCorrections(this.board, this.touch, (point, body) => this.correct(point, body));
    this.touch.onTap = this.touch.onMenu = (name) => this.corrections.openChoices(name);
    byId("position-game").addEventListener("change", () => byId("position-game").form?.submit());
    onClick("position-play", () => this.playOn());
    this.reader = new PhotographReader("another", () => ({ game: this.told.game, board: this.board.name }));
    byId("position-another").addEventListener("change", () => this.readAnother());
    this.weigh().catch((why) => console.error(why));
  }

  /** What the other parts of the page need of a state. @returns {any} */
  get state() {
    const stacks = Object.fromEntries(Object.entries(this.stones).map(([name, tower]) => [name, tower.map((player) => [player, player])]));
    return { game: { ...this.told.view, stacks, mills: this.weighed.mills }, sight: { names: this.told.names } };
  }

  /** @param {string} point @param {{top: number, height?: number} | null} body null where it was right */
  correct(point, body) {
    this.doubtful.delete(point);
    if (body) {
      const tower = this.stones[point] ?? [], { top, height = Math.min(top, 1) } = body;
      this.stones[point] = height > tower.length ? [...tower, top] : top && height === 1 ? [top] : tower.slice(0, height);
      if (!this.stones[point].length) delete this.stones[point];
    }
    this.weigh().catch((why) => console.error(why));
  }

  /** Ask what position that is; only the newest answer is shown. */
  async weigh() {
    const mine = ++this.n, { number, game } = this.told;
    let problem = "";
    try {
      const weighed = await send(`/api/positions/${number}`, { game, stones: this.stones, ...this.said });
      if (mine === this.n) this.weighed = weighed;
    } catch (why) {
      problem = /** @type {Error} */ (why).message;
    }
    if (mine === this.n) await this.show(problem);
  }

  /** @param {string} problem why nobody can play on from here */
  async show(problem) {
    const { state, board, weighed, told } = this;
    await board.show(state.game, { under: [...this.doubtful].map((name) => ring("differs", name, RING)), over: [] });
    this.corrections.show(state);
    complain(byId("position-doubt"), this.doubtful.size ? words("position.doubt", { points: [...this.doubtful].join(", ") }) : "");
    complain(byId("position-problem"), problem);
    byId("position-play").disabled = problem !== "";
    byId("position-keep").hidden = problem !== "";
    this.showMovers();
    this.showHands();
    if (problem) return;
    const picture = `/positions/${told.number}.jpg?${new URLSearchParams({ game: told.game, fen: weighed.fen })}`;
    byId("position-picture").src = byId("keep-picture").href = picture;
    byId("keep-fen").href = `data:text/plain;charset=utf-8,${encodeURIComponent(`${weighed.fen}\n`)}`;
    byId("position-fen").textContent = weighed.fen;
  }

  showMovers() {
    const players = this.told.most.map((_, k) => k + 1);
    this.fill("position-movers", players.map((player) => {
      const attributes = { class: "plain mover", "data-player": player, "aria-pressed": player === this.weighed.to_move };
      return button(attributes, () => this.say({ to_move: player }), pebbleIcon(player, player * 5 + 1), stoneName(this.state, player));
    }));
  }

  showHands() {
    const { most } = this.told, { hands } = this.weighed;
    const counts = most.map((_, k) => Object.values(this.stones).flat().filter((player) => player === k + 1).length);
    byId("position-hands").hidden = most.every((n, k) => n <= counts[k]) && hands.every((n) => n === 0);
    this.fill("hand-counts", hands.map((n, k) => {
      const name = stoneName(this.state, k + 1);
      /** @param {number} step @param {string} sign @param {string} label */
      const stepper = (step, sign, label) => {
        const after = n + step, attributes = { class: "icon plain", "data-step": `${k + 1}${sign}`, "aria-label": label };
        return button({ ...attributes, disabled: after < 0 || after + counts[k] > most[k] }, () => this.say({ hands: hands.map((old, one) => (one === k ? after : old)) }), sign);
      };
      return html("span", { class: "hand-count" }, pebbleIcon(k + 1, k * 5 + 6), stepper(-1, "−", words("position.less", { player: name })),
        html("b", { "data-player": k + 1 }, String(n)), stepper(1, "+", words("position.more", { player: name })));
    }));
  }

  /** Draw buttons anew; the one that has the focus keeps it. @param {"position-movers" | "hand-counts"} id @param {Element[]} parts */
  fill(id, parts) {
    const place = byId(id), at = [...place.querySelectorAll("button")].indexOf(/** @type {any} */ (document.activeElement));
    place.replaceChildren(...parts);
    if (at >= 0) place.querySelectorAll("button")[at]?.focus();
  }

  /** @param {{hands?: number[], to_move?: number}} more */
  say(more) {
    this.said = { ...this.said, ...more };
    this.weigh().catch((why) => console.error(why));
  }

  async playOn() {
    const { game, options, source, colours } = this.told;
    byId("position-play").disabled = true;
    try {
      await send("/api/game", { game, options, ...(source ? { source } : {}), laid: { fen: this.weighed.fen, colours } });
      location.href = "/";
    } catch (why) {
      await this.show(/** @type {Error} */ (why).message);
    }
  }

  async readAnother() {
    const input = byId("position-another"), file = input.files?.[0];
    if (file) await this.reader.read(file);
    input.value = "";
  }
}

export const page = new PositionPage();
