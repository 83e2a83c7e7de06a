// @ts-check
/**
 * A lesson that is solved on the page: a tap lays a stone, two move one, a mill asks for one more. The page knows no
 * rule: it shows what the server says may be done, and asks it whether a turn is the answer. A wrong one goes back by
 * itself. On the real board the server is asked again and again what still has to be laid, and whether the turn that the
 * camera saw is the answer.
 */

import { Board } from "../board/board.js";
import { actMarks } from "../board/marks.js";
import { paintStones } from "../board/pebble.js";
import { showTurn } from "../board/players.js";
import { TouchPoints } from "../board/touch_points.js";
import { areSure, ask, Refusal, send } from "../common/ask.js";
import { button, byId, embedded, html, onClick, seek } from "../common/dom.js";
import { language, words } from "../common/words.js";
import { RING_LETTERS } from "../table/ring_turns.js";
import { Voice } from "../table/voice.js";
import { keepSolved, markSolved, solvedOf } from "./progress.js";

/**
 * @typedef {import("../common/types.js").GameView} Game
 * @typedef {{verdict: string, text: string, turn: string, view: Game} & Speech} Tried what a turn has led to
 * @typedef {{spoken?: string, sound?: string}} Speech what is said aloud, and the query of that sound where this computer speaks
 * @typedef {{is_asked: boolean, task?: string, labels?: string[], colours?: string[], phase: string, text?: string, steps?: string[], towers?: string[], seen: {game: number, seq: number}} & Speech} AtTable what is to be done on the real board
 */

const HINTED = "millchen.hinted";
const WRONG_SHOWN_MS = 1600; // so long a wrong turn lies on the board
const PERIOD_MS = 700; // between two looks at the table
const PARTNER_STRENGTH = "easy"; // for who has just learned the game

export class Lesson {
  constructor() {
    /** @type {{game: string, number: number, of: number, colours: string[], labels: string[], start: Tried, by_hand: boolean, texts: Record<string, string>}} */
    this.told = embedded("lesson");
    this.path = /** @type {const} */ (`/api/lessons/${this.told.game}/${this.told.number}`);
    paintStones(this.told.colours);
    this.board = new Board(byId("board"));
    this.touch = new TouchPoints(this.board, true);
    /** What is done one after another: a tap waits for the answer to the one before. */
    this.acting = Promise.resolve();
    this.touch.onTap = (name) => this.then(() => this.tap(name));
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.goingBack = undefined;
    this.selected = "";
    this.voice = new Voice();
    this.voice.hasHinted = sessionStorage.getItem(HINTED) !== null; // once is enough for all lessons
    sessionStorage.setItem(HINTED, "yes");
    /** @type {Tried} */
    this.now = this.told.start;
    /** Of the real board: why the last turn was wrong, until the next one; which one was sent back; what was said of it last. */
    this.why = "";
    this.takenBack = 0;
    this.said = "";
    this.isAsked = false; // before a game at the table is set aside
    byId("lesson-again").addEventListener("click", () => { this.show(this.told.start); this.touch.spots.get([...this.board.geometry.places.keys()][0])?.focus(); });
    byId("lesson-show").addEventListener("click", () => this.then(() => this.ask("show=1")));
    onClick("play-now", () => this.playNow());
    this.markKept();
    this.show(this.now);
    if (!this.voice.isAwake) this.sayWhenAwake();
    if (seek("lay")) this.followTable();
  }

  /** Say aloud what the page tells; what was said before ends. @param {Speech} speech @param {string} verdict */
  say({ spoken, sound }, verdict) {
    if (!spoken) return;
    const kind = { right: "over", wrong: "foul", unlawful: "foul", foul: "foul", take: "mill", task: "task" }[verdict] ?? "other";
    this.voice.hush();
    this.voice.say({ seq: null, game: 0, kind, texts: { [language]: spoken }, sound: `lessons/${this.told.game}/${this.told.number}.wav?${sound ?? ""}` });
  }

  /** Browsers are silent until the page is touched: a touch that does nothing else has the task said. */
  sayWhenAwake() {
    addEventListener("click", ({ target }) => {
      if (this.now.verdict === "task" && !(target instanceof Element && target.closest("a, button, summary, .touch"))) this.say(this.now, "task");
    }, { once: true });
  }

  /** The stones on the page as those that the camera sees, and their names. @param {{task?: string, labels?: string[], colours?: string[]}} seen */
  recolour({ task, labels, colours }) {
    if (!task || !labels || !colours || labels.join() === this.told.labels.join()) return;
    Object.assign(this.told, { labels, colours });
    paintStones(colours);
    byId("task").textContent = task;
    this.showHands();
  }

  get acts() {
    return this.now.view.acts ?? [];
  }

  /** @param {() => unknown} act what is to be done once all before it is */
  then(act) {
    this.acting = this.acting.then(act).then(() => {}, (why) => console.error(why));
  }

  /** @param {string} name */
  tap(name) {
    if (this.now.verdict === "right") return null;
    this.takeBack();
    if (name === this.selected) return this.select("");
    const act = this.meant(name);
    return act ? this.play(act) : this.select(name);
  }

  /** The act that a tap means, lawful or not, in notation; "" where it chooses the stone that is to be moved. @param {string} name */
  meant(name) {
    const { acts, selected } = this, { view } = this.now;
    const top = view.stacks[name]?.at(-1), isMine = top?.[1] === view.to_move;
    const lawful = acts.find((one) => one.act === "capture" ? one.at === name : selected ? one.from === selected && one.to === name : one.act === "place" && one.to === name);
    if (lawful) return lawful.text;
    if (acts.some((one) => one.act === "capture")) return `x${name}`;
    if (isMine && acts.some((one) => one.from === name)) return "";
    if (selected) return `${selected}-${name}`;
    if (!top || (view.hands[(view.to_move ?? 0) - 1] ?? 0) > 0) return name;
    return isMine ? "" : `${name}-${view.points.find((other) => other !== name)}`;
  }

  /** A wrong turn goes back to where it came from; what was said of it stays. */
  takeBack() {
    clearTimeout(this.goingBack);
    if (this.now.verdict === "wrong") this.lay(this.told.start);
  }

  /** @param {string} name */
  select(name) {
    this.selected = name;
    this.mark();
  }

  /** @param {string} act in notation; what came before in this turn stands before it */
  play(act) {
    return this.ask(`turn=${encodeURIComponent(this.now.turn + act)}`);
  }

  /** @param {string} query */
  async ask(query) {
    const answer = await ask(`${this.path}?${query}`).catch((why) => { this.tell("verdict", why instanceof Refusal ? why.message : this.told.texts.no_answer, "unlawful"); });
    if (!answer) return;
    if (answer.verdict === "right" && !query.startsWith("show")) this.solved();
    this.show(answer);
  }

  /** This lesson has been solved; the browser keeps that. */
  solved() {
    if (solvedOf(this.told.game).has(this.told.number)) return;
    keepSolved(this.told.game, this.told.number);
    this.markKept();
  }

  markKept() {
    byId("solved-mark").hidden = !solvedOf(this.told.game).has(this.told.number);
    for (const beads of document.querySelectorAll(".lesson-beads")) markSolved(beads, this.told.game);
  }

  /** Show what a trial has led to, and say it. @param {Tried} next */
  show(next) {
    const isRefused = next.verdict === "unlawful"; // nothing has been moved: what was chosen stays so
    if (!isRefused) this.lay(next);
    if (next.verdict === "wrong") this.goingBack = setTimeout(() => this.then(() => this.takeBack()), WRONG_SHOWN_MS);
    const isAll = next.verdict === "right" && solvedOf(this.told.game).size === this.told.of;
    this.tell("verdict", isAll ? `${next.text} ${this.told.texts.done}` : next.text, next.verdict);
    byId("after").hidden = !isAll && !(next.verdict === "right" && this.told.number === this.told.of);
    this.say(next, next.verdict);
  }

  /** Lay the stones of a trial on the board, with what may be done next. @param {Tried} next */
  lay(next) {
    this.now = next;
    this.selected = "";
    this.board.show(next.view).catch((why) => console.error(why));
    this.touch.show((name) => (next.view.stacks[name] ?? []).map(([, owner]) => this.told.labels[owner - 1]).join(", ") || words("point.free"));
    const isRight = next.verdict === "right";
    byId("lesson-again").hidden = !isRight;
    byId("lesson-show").hidden = isRight;
    byId("lesson-next").className = `button ${isRight && this.told.number < this.told.of ? "strong" : "plain"}`;
    document.body.classList.toggle("plays-here", !isRight);
    showTurn(this.told.start.view.to_move);
    byId("board-words").textContent = Object.entries(next.view.stacks).map(([name, stack]) => words("label", { name, text: this.told.labels[stack[stack.length - 1][1] - 1] })).join(", ");
    this.showHands();
    this.showRings();
    this.mark();
  }

  showHands() {
    const { hands } = this.now.view, isLaying = hands.some((left) => left > 0);
    const text = hands.map((left, k) => `${this.told.labels[k]} ${left}`).join(", ");
    byId("hands").textContent = isLaying ? String(byId("hands").dataset.text).replace("{hands}", text) : "";
  }

  /** Begin this game at the table, with Millchen for all other players. */
  async playNow() {
    try {
      await send("/api/game", { game: this.told.game, ...(this.told.by_hand ? { source: "hand" } : {}) });
      for (let player = 2; player <= this.told.colours.length; player += 1) await send("/api/partner", { player, strength: PARTNER_STRENGTH });
      location.assign("/");
    } catch (why) {
      this.tell("verdict", /** @type {Error} */ (why).message, "unlawful");
    }
  }

  /** @param {"verdict" | "table-verdict"} id @param {string} text @param {string} verdict */
  tell(id, text, verdict) {
    const line = byId(id);
    if (line.textContent !== text) line.textContent = text; // it is read out once
    line.dataset.verdict = verdict;
  }

  /** Light up what may be done, and the stone that is to be moved. */
  mark() {
    this.board.lay("hand-marks", actMarks(this.acts.filter(({ act }) => act !== "place"), this.selected, this.now.view));
  }

  /** Buttons for what no tap on the board can say: to turn a ring, or to take nothing. */
  showRings() {
    const other = this.acts.filter((act) => act.act === "rotate" || act.act === "pass");
    byId("rings").replaceChildren(...other.map((act) => {
      const ring = RING_LETTERS.indexOf(act.text[0]) + 1;
      const label = act.act === "pass" ? words("hand.decline") : words((act.steps ?? 0) > 0 ? "hand.ring_on" : "hand.ring_back", { ring: words(`ring.${ring}`) });
      return button({ class: "plain", "data-act": act.text }, () => this.then(() => { this.takeBack(); return this.play(act.text); }), label);
    }));
  }

  // ------------------------------------------------------------------ on the real board

  followTable() {
    onClick("lay", async () => {
      await this.look(); // a game may have begun meanwhile
      if (!this.isAsked || await areSure(byId("sure"))) this.order("lay");
    });
    onClick("lies", () => this.order("lies"));
    this.look();
    setInterval(() => { if (!document.hidden) this.look(); }, PERIOD_MS);
  }

  /** @param {"lay" | "lies"} what lay it, or say that it does lie though the eyes do not see it */
  async order(what) {
    this.why = this.said = "";
    await send(`${this.path}/${what}`, {}).catch((why) => this.tell("table-verdict", why.message, "unlawful"));
    this.look();
  }

  async look() {
    /** @type {AtTable | null} */
    const now = await ask(`${this.path}/table`).catch(() => null);
    if (!now) { this.tell("table-verdict", this.told.texts.no_answer, "unlawful"); return; }
    const { phase, text = "" } = now, isUnwatched = phase === "none" && text !== "";
    this.isAsked = phase === "none" && now.is_asked;
    byId("laid").hidden = phase === "none" && !isUnwatched;
    byId("lay").hidden = isUnwatched || (phase !== "none" && phase !== "right");
    byId("lies").hidden = phase !== "laying";
    if (phase === "none") { this.tell("table-verdict", text, ""); return; }
    this.recolour(now);
    if (phase === "wrong") this.sendBack(now);
    if (phase === "right") { this.why = ""; this.solved(); }
    const isWrong = this.why !== "" && ["wrong", "put_back", "your_move", "laying", "hand"].includes(phase), isNext = phase === "your_move";
    const sentence = isWrong && text !== this.why ? `${this.why} ${isNext ? text : ""}`.trim() : text;
    this.tell("table-verdict", sentence, isWrong && !isNext ? "wrong" : phase);
    if (now.spoken && now.spoken !== this.said) this.say(now, phase);
    this.said = now.spoken || this.said; // a hand that passes by is no reason to say it again
    this.list("table-steps", now.steps ?? []);
    this.list("table-towers", phase === "laying" || isNext ? now.towers ?? [] : []);
  }

  /** The turn was lawful, but not the answer: it does not count. @param {AtTable} now */
  sendBack(now) {
    this.why = now.text ?? "";
    if (this.takenBack === now.seen.seq) return; // it is on its way
    this.takenBack = now.seen.seq;
    send("/api/take-back", { seen: now.seen }).catch(() => { this.takenBack = 0; });
  }

  /** @param {"table-steps" | "table-towers"} id @param {string[]} lines */
  list(id, lines) {
    const list = byId(id), told = lines.join("\n");
    if (list.dataset.told === told) return;
    list.dataset.told = told;
    list.replaceChildren(...lines.map((line) => html("li", {}, line)));
  }
}

export const lesson = new Lesson();
