// @ts-check
/** The analysis of a game: the curve of who stood better, the turning point, and what is told of single turns. */

import { ask, attempt, send } from "../common/ask.js";
import { button, byId, html, markCurrent, onClick, seek, svg } from "../common/dom.js";
import { words } from "../common/words.js";

/**
 * @typedef {import("../common/types.js").Told} Told
 * @typedef {import("../common/types.js").FoundAnalysis} FoundAnalysis
 * @typedef {{state: "none" | "waiting" | "running" | "begun" | "done", done: number, of: number, unkept: boolean, page: FoundAnalysis | null}} AnalysisState
 * @typedef {{id: number, base: string, last: number, name: (player: number) => string, go: (n: number) => void, compare: (told: Told) => void}} Shown
 *   the replay that an analysis belongs to, and what it can be asked to show
 */

const CURVE_WIDTH = 1000, CURVE_HEIGHT = 240;
const POLL_MS = 1000;
const DEEPER_POSITIONS = 60_000;

export class AnalysisPanel {
  /**
   * @param {Shown} replay
   * @param {FoundAnalysis | undefined} found what is known when the page opens
   */
  constructor(replay, found) {
    this.replay = replay;
    this.found = found ?? null;
    this.here = 0;
    byId("standing").addEventListener("click", (event) => this.openAt(event));
    onClick("analyse", () => this.ask(send(`${this.path}/analyse`, {})));
    onClick("analyse-deeper", () => this.ask(send(`${this.path}/analyse`, { positions: DEEPER_POSITIONS })));
    onClick("analysis-stop", () => this.ask(send(`${this.path}/analyse/stop`, {})));
    this.show();
    if (seek("analyse")) {
      this.tools(null);
      if (!this.found || !this.found.whole) this.ask(this.fetchState());
    }
  }

  get path() {
    return /** @type {const} */ (`/api/games/${this.replay.id}`);
  }

  fetchState() {
    return ask(`${this.path}/analysis`);
  }

  /** Show the answer of the server, and ask again while it is at work. @param {Promise<AnalysisState>} asked */
  async ask(asked) {
    await attempt(byId("analysis-error"), async () => {
      const state = await asked;
      this.found = state.page ?? this.found;
      this.show();
      this.tools(state);
      if (state.state === "running" || state.state === "waiting") setTimeout(() => this.ask(this.fetchState()), POLL_MS);
      if (state.unkept) throw new Error(words("analysis.unkept"));
    });
  }

  /** Buttons and progress. @param {AnalysisState | null} state null before the server was asked */
  tools(state) {
    const isWorking = state !== null && (state.state === "running" || state.state === "waiting");
    const isWhole = this.found?.whole === true;
    byId("analyse").hidden = isWorking || isWhole;
    byId("analyse").textContent = words(this.found && this.found.done > 0 && !isWhole ? "analysis.go_on" : "analysis.start");
    byId("analyse-deeper").hidden = isWorking || !isWhole || this.found?.exact === true || (this.found?.positions ?? 0) >= DEEPER_POSITIONS;
    byId("analysis-stop").hidden = !isWorking;
    byId("analysis-help").hidden = isWhole && !isWorking;
    const progress = byId("analysis-progress");
    progress.hidden = !isWorking;
    if (!state || !isWorking) return;
    byId("analysis-bar").max = state.of;
    byId("analysis-bar").value = state.done;
    byId("analysis-count").textContent = state.state === "waiting" ? words("analysis.waits") : words("analysis.progress", { done: state.done, of: state.of });
  }

  show() {
    byId("analysis-found").hidden = !this.found?.done;
    if (!this.found?.done) return;
    this.drawCurve();
    this.listTold(this.found);
    byId("analysis-sure").textContent = this.found.exact ? words("analysis.exact") : words("analysis.estimated", { n: this.found.positions });
  }

  /** Show which turn the replay is at, and whether it is compared with a better one. @param {number} n @param {boolean} [isCompared] */
  mark(n, isCompared = false) {
    this.here = n;
    if (this.found) this.drawCurve();
    for (const open of /** @type {NodeListOf<HTMLElement>} */ (byId("analysis-told").querySelectorAll("[data-told]"))) {
      const isHere = isCompared && Number(open.dataset.told) === n;
      markCurrent(open, isHere);
      if (isHere) open.scrollIntoView({ block: "nearest" });
    }
  }

  /** The next turn that something is told of, or the one before; round at the ends. @param {1 | -1} way */
  next(way) {
    const turns = [...this.found?.told ?? []].sort((one, other) => way * (one.ply - other.ply));
    return turns.find(({ ply }) => way * (ply - this.here) > 0) ?? turns[0];
  }

  /** @param {number} n */
  x(n) {
    return (n * CURVE_WIDTH) / Math.max(1, this.replay.last);
  }

  /** Draw the share of each player after each turn: of two players as one border between two colours. */
  drawCurve() {
    const { found } = this;
    if (!found) return;
    const points = /** @type {[number, number[]][]} */ (found.curve.map((shares, n) => [n, shares]).filter(([, shares]) => shares !== null));
    const n_players = points[0]?.[1].length ?? 0;
    /** @param {number} share */
    const y = (share) => CURVE_HEIGHT * (1 - share);
    const border = (/** @type {number} */ player) => points.map(([n, shares]) => `${this.x(n)},${y(shares[player])}`).join(" ");
    const from = this.x(points[0]?.[0] ?? 0), to = this.x(points.at(-1)?.[0] ?? 0);
    /** @type {SVGElement[]} */
    const parts = [];
    if (n_players === 2) {
      parts.push(
        svg("polygon", { class: "side paint-2", points: `${from},0 ${border(0)} ${to},0` }),
        svg("polygon", { class: "side paint-1", points: `${from},${CURVE_HEIGHT} ${border(0)} ${to},${CURVE_HEIGHT}` }),
        line("half", 0, CURVE_WIDTH, y(0.5), y(0.5)),
        svg("polyline", { class: "border", points: border(0), "vector-effect": "non-scaling-stroke" }),
      );
    } else for (let player = 0; player < n_players; player += 1) {
      parts.push(svg("polyline", { class: `thread paint-${player + 1}`, points: border(player), "vector-effect": "non-scaling-stroke" }));
    }
    parts.push(line("here", this.x(this.here), this.x(this.here), 0, CURVE_HEIGHT));
    for (const { ply } of found.told) parts.push(line(ply === found.turning_point ? "turn-mark turning" : "turn-mark", this.x(ply), this.x(ply), 0, CURVE_HEIGHT));
    byId("standing").replaceChildren(...parts);
    byId("standing-names").replaceChildren(...Array.from({ length: n_players }, (_, player) => html("li", { class: `paint-${player + 1}` }, this.replay.name(player + 1))));
  }

  /** Step to the turn that was pointed at on the curve. @param {MouseEvent} event */
  openAt(event) {
    const box = byId("standing").getBoundingClientRect();
    const n = Math.round(((event.clientX - box.left) / box.width) * this.replay.last);
    this.replay.go(n);
  }

  /** @param {FoundAnalysis} found */
  listTold(found) {
    const turning = found.told.find(({ ply }) => ply === found.turning_point);
    /** @type {HTMLElement[]} */
    const parts = [];
    if (turning) parts.push(html("h3", { class: "turning-title" }, words("analysis.turning")), html("ul", { class: "told turning" }, this.item(turning)));
    else if (found.whole) parts.push(html("p", { class: "hint" }, words(found.told.length ? "analysis.no_turning" : "analysis.nothing")));
    for (const tag of ["gave_away", "missed_mill", "allowed_mill", "blunder"]) {
      const turns = found.told.filter((one) => one.tags.includes(tag) && (tag !== "blunder" || one.tags.length === 1) && one !== turning);
      if (!turns.length) continue;
      const title = found.rows ? tag.replace("_mill", "_row") : tag;
      parts.push(html("h3", {}, words(`analysis.tag.${title}`)), html("ul", { class: "told" }, ...turns.map((one) => this.item(one))));
    }
    byId("analysis-told").replaceChildren(...parts);
  }

  /** @param {Told} told */
  item(told) {
    const open = button({ class: "quiet", "data-told": told.ply }, () => this.replay.compare(told),
      html("b", {}, `${told.ply}. ${this.replay.name(told.player)}`), html("span", {}, told.said.join(" ")));
    return html("li", {}, open, html("p", { class: "on-paper" }, told.better.join(" ")));
  }
}

/** @param {string} kind @param {number} x1 @param {number} x2 @param {number} y1 @param {number} y2 */
function line(kind, x1, x2, y1, y2) {
  return svg("line", { class: kind, x1, x2, y1, y2, "vector-effect": "non-scaling-stroke" });
}
