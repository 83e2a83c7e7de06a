// @ts-check
/** The replay of a game, turn by turn: board, photograph, announcements and remarks. */

import { AnalysisPanel } from "./analysis.js";
import { Board } from "../board/board.js";
import { betterMarks } from "../board/marks.js";
import { paintStones, pebbleIcon } from "../board/pebble.js";
import { playerName } from "../board/players.js";
import { areSure, attempt, send } from "../common/ask.js";
import "../common/date_times.js";
import { button, byId, embedded, html, markCurrent, onClick, seek, svg } from "../common/dom.js";
import { words } from "../common/words.js";

/**
 * @typedef {{kind: string, text: string, seq: number | null}} Aside
 * @typedef {{view: import("../common/types.js").GameView, text: string, notation: string, player: number | null, mills: number, kind: string, by: string,
 *   seq: number | null, took: number | null, time: string, remark: string, asides: Aside[]}} Ply
 * @typedef {{id: number, base: string, may_edit: boolean, called: string[], colours: string[], colour_names: string[], plies: Ply[], outcome: string | null,
 *   constant: Record<string, any>, statistics: {leads: number[][]}, analysis?: import("../common/types.js").FoundAnalysis, photographs?: Record<string, string>}} ReplayData
 */

const PLAY_MS = 1500;
const CHART_HEIGHT = 150, CHART_WIDTH = 1000, CHART_MARGIN = 12;

class Replay {
  constructor() {
    /** @type {ReplayData} */
    this.data = embedded("film");
    this.board = new Board(byId("board"));
    this.n = -1;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
    this.isComparing = false;
    paintStones(this.data.colours);
    this.listTurns();
    this.listMoments();
    this.drawChart();
    this.analysis = seek("standing") && new AnalysisPanel({
      id: this.data.id, base: this.data.base, last: this.last, name: (player) => this.name(player),
      go: (n) => { this.stop(); this.go(n); }, compare: (told) => this.compare(told),
    }, this.data.analysis);
    this.listen();
    const wantedTurn = Number(location.hash.slice(1));
    this.go(location.hash.length > 1 && Number.isInteger(wantedTurn) ? wantedTurn : this.last);
  }

  get last() {
    return this.data.plies.length - 1;
  }

  /** @param {number} player */
  name(player) {
    return playerName({ game: { names: this.data.called }, sight: { names: this.data.colour_names } }, player);
  }

  listen() {
    const acts = { first: () => this.go(0), back: () => this.go(this.n - 1), on: () => this.go(this.n + 1), last: () => this.go(this.last) };
    for (const id of /** @type {(keyof typeof acts)[]} */ (Object.keys(acts))) onClick(id, () => { this.stop(); acts[id](); });
    onClick("play", () => (this.timer ? this.stop() : this.start()));
    byId("slider").addEventListener("input", () => { this.stop(); this.go(Number(byId("slider").value)); });
    for (const link of document.querySelectorAll("[data-ply]")) {
      link.addEventListener("click", () => this.go(Number(/** @type {HTMLElement} */ (link).dataset.ply)));
    }
    addEventListener("keydown", (event) => {
      const at = /** @type {HTMLElement} */ (event.target);
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      /** @type {Record<string, () => void>} */
      const keys = { ArrowLeft: acts.back, ArrowRight: acts.on, Home: acts.first, End: acts.last };
      const act = keys[event.key];
      const ply = event.key === "ArrowDown" ? this.analysis?.next(1) : event.key === "ArrowUp" ? this.analysis?.next(-1) : undefined;
      if (act) { this.stop(); act(); }
      else if (ply) this.compare(ply);
      else if (event.key === " " && at.tagName !== "BUTTON" && at.tagName !== "A") this.timer ? this.stop() : this.start();
      else return;
      event.preventDefault();
    });
    addEventListener("hashchange", () => this.go(Number(location.hash.slice(1)) || 0));
  }

  start() {
    if (this.n >= this.last) this.go(0);
    this.timer = setInterval(() => (this.n < this.last ? this.go(this.n + 1) : this.stop()), PLAY_MS);
    byId("play").setAttribute("aria-pressed", "true");
  }

  stop() {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    byId("play").setAttribute("aria-pressed", "false");
  }

  /** Show the position after a turn; 0 is the beginning. @param {number} wanted */
  go(wanted) {
    const n = Math.max(0, Math.min(this.last, wanted));
    if (n === this.n && !this.isComparing) return;
    const ply = this.data.plies[n];
    const game = this.gameAt(n);
    if (Math.abs(n - this.n) > 1 || this.isComparing) this.board.stones.forget(); // a jump shows the new position without movements
    this.n = n;
    this.isComparing = false;
    this.board.show(game).catch((why) => console.error(why));
    byId("slider").value = String(n);
    byId("slider").setAttribute("aria-valuetext", ply.text || words("step.start"));
    byId("count").textContent = n ? words("turn_n", { n, of: this.last }) : words("step.start");
    byId("text").textContent = ply.text || (n ? words("by_hand") : words("step.nothing"));
    byId("asides").replaceChildren(
      ...ply.asides.map((aside) => html("li", { "data-kind": aside.kind }, aside.text)),
      ...(n === this.last && this.data.outcome && !ply.asides.some((aside) => aside.text === this.data.outcome) ? [html("li", { "data-kind": "over" }, this.data.outcome)] : []),
    );
    byId("board-words").textContent = Object.entries(ply.view.stacks).map(([name, stack]) => words("label", { name, text: this.name(stack[stack.length - 1][1]) })).join(", ");
    this.showPhoto(ply);
    this.showRemark(ply);
    this.markTurn();
    this.drawChart();
    this.analysis?.mark(n);
    document.getElementById("export-svg")?.setAttribute("href", `${this.data.base}.svg?ply=${n}`);
    history.replaceState(null, "", `#${n}`);
  }

  /** @param {number} n */
  gameAt(n) {
    return /** @type {import("../common/types.js").GameView} */ ({ ...this.data.constant, ...this.data.plies[n].view, foul: null, question: null });
  }

  /** Show the position before a turn, with what was played there and what would have been better. @param {import("../common/types.js").Told} told */
  compare(told) {
    this.stop();
    this.go(told.ply - 1);
    this.isComparing = true;
    this.board.stones.forget(); // no stone has moved yet
    const game = this.gameAt(this.n);
    this.board.show(game, betterMarks(told, game, this.board.geometry.rings)).catch((why) => console.error(why));
    byId("count").textContent = words("analysis.before", { n: told.ply, of: this.last });
    byId("text").textContent = this.data.plies[told.ply].text || this.data.plies[told.ply].notation;
    byId("asides").replaceChildren(
      ...told.said.map((text) => html("li", { "data-kind": "foul" }, text)),
      ...told.better.map((text) => html("li", { "data-kind": "better" }, text)),
      html("li", { "data-kind": "marks" }, words("analysis.marks")),
    );
    this.analysis?.mark(told.ply, true);
    byId("board").scrollIntoView({ block: "nearest" });
  }

  /** @param {Ply} ply */
  showPhoto(ply) {
    byId("photograph").hidden = ply.seq === null;
    if (ply.seq === null) return;
    byId("photo").src = this.data.photographs?.[String(ply.seq)] ?? `${this.data.base}/photographs/${ply.seq}.jpg`;
  }

  /** @param {Ply} ply */
  showRemark(ply) {
    const box = seek("remark"), text = seek("remark-text");
    if (box) box.value = ply.remark;
    if (text) text.textContent = ply.remark;
  }

  listTurns() {
    const rows = this.data.plies.slice(1).map((ply, k) => {
      const n = k + 1;
      const what = button({ class: "turn", "data-n": n }, () => { this.stop(); this.go(n); },
        pebbleIcon(ply.player ?? 1, n), html("span", { class: "n" }, `${n}`), html("span", { class: "notation" }, ply.notation || (ply.kind === "resumed" ? words("resumed") : words("by_hand"))));
      if (ply.mills) what.append(html("span", { class: "mill-mark", title: words("number.mills") }, "◆"));
      if (ply.asides.some((aside) => aside.kind === "foul")) what.append(html("span", { class: "foul-mark" }, "!"));
      if (ply.seq !== null) what.append(svg("svg", { class: "has-photo", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: "M4 8h3l1.6-2.4h6.8L17 8h3v10.5H4z" }), svg("circle", { cx: 12, cy: 13, r: 3.2 })));
      if (ply.remark) what.append(html("span", { class: "has-remark", title: ply.remark }, "✎"));
      return html("li", {}, what);
    });
    byId("turns").replaceChildren(...rows);
  }

  /** The turns that people look for: mills, fouls, what was put right by hand, and the end. */
  listMoments() {
    /** @type {[number, string, string][]} turn, mark, sentence */
    const moments = [];
    this.data.plies.forEach((ply, n) => {
      for (const { kind, text } of ply.asides) if (kind === "foul") moments.push([n, "!", text]);
      if (n > 0 && ply.mills) moments.push([n, "◆", ply.text]);
      else if (n > 0 && (ply.by === "hand" && ply.kind !== "turn" || ply.kind === "resumed")) moments.push([n, "✎", ply.text || words("by_hand")]);
    });
    if (this.data.outcome) moments.push([this.last, "★", this.data.outcome]);
    byId("moments-title").hidden = moments.length === 0;
    byId("moments").replaceChildren(...moments.map(([n, mark, text]) => {
      const moment = html("button", { type: "button", class: "quiet", "data-ply": n }, html("span", { class: "moment-mark", "aria-hidden": "true" }, mark), `${n}. ${text}`);
      return html("li", {}, moment);
    }));
  }

  markTurn() {
    const list = byId("turns");
    for (const turn of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(".turn"))) {
      const isNow = Number(turn.dataset.n) === this.n, at = turn.parentElement;
      markCurrent(turn, isNow);
      if (!isNow || !at) continue;
      if (at.offsetTop < list.scrollTop || at.offsetTop + at.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = at.offsetTop - list.clientHeight / 2;
    }
  }

  /** Draw the chart of the number of stones: one line for each player, and the present turn. */
  drawChart() {
    const { leads } = this.data.statistics;
    const most = Math.max(1, ...leads.flat()), least = Math.min(...leads.flat());
    const x = (/** @type {number} */ n) => CHART_MARGIN + (n * (CHART_WIDTH - 2 * CHART_MARGIN)) / Math.max(1, this.last);
    const y = (/** @type {number} */ value) => CHART_HEIGHT - CHART_MARGIN - ((value - least) * (CHART_HEIGHT - 2 * CHART_MARGIN)) / Math.max(1, most - least);
    const threads = (leads[0] ?? []).map((_, player) => svg("polyline", {
      class: `thread paint-${player + 1}`, "vector-effect": "non-scaling-stroke",
      points: leads.map((row, n) => `${x(n)},${y(row[player]) + player * 3}`).join(" "),
    }));
    byId("leads").replaceChildren(svg("line", { class: "here", x1: x(Math.max(0, this.n)), x2: x(Math.max(0, this.n)), y1: 0, y2: CHART_HEIGHT, "vector-effect": "non-scaling-stroke" }), ...threads);
  }
}

const replay = new Replay();

/** Editing, which only a running Millchen can do: names, remarks, deleting photographs. */
function edit() {
  const { data } = replay, box = byId("remark"), path = /** @type {const} */ (`/api/games/${data.id}`);
  box.addEventListener("change", () => attempt(byId("remark-error"), async () => {
    const { n } = replay;
    await send(`${path}/remark`, { ply: n, text: box.value });
    data.plies[n].remark = box.value.trim();
    replay.listTurns();
    replay.markTurn();
  }));
  onClick("rename", () => areSure(byId("names"), async () => {
    const fields = /** @type {HTMLFormElement} */ (byId("names").querySelector("form"));
    await send(`${path}/names`, { names: new FormData(fields).getAll("name").map(String) });
    location.reload();
  }));
  onClick("forget", () => areSure(byId("sure-forget"), async () => {
    await send(`${path}/forget-photographs`, {});
    location.reload();
  }));
}

if (seek("remark")) edit();
