// @ts-check
/**
 * What the referee says beside the board: a foul and how to put it right, a question and its answers, or the board as it
 * is seen beside the board that is written. One of them at a time, and each answer is one tap.
 */

import { button, byId, html, onClick } from "../common/dom.js";
import { order } from "./commands.js";
import { PairOfBoards } from "./pair_of_boards.js";
import { pebbleIcon } from "../board/pebble.js";
import { playerName, stonesOf } from "../board/players.js";
import { fittingWords, language, words } from "../common/words.js";

/** @typedef {import("../common/types.js").Commands} Commands */

/** @typedef {import("../common/types.js").Snapshot} State */

export class Verdict {
  /** @param {import("../board/board.js").Board} board the large board @param {import("./voice.js").Voice} voice */
  constructor(board, voice) {
    this.voice = voice;
    this.boards = new PairOfBoards(board);
    /** @type {State | null} */
    this.state = null;
    /** The difference that was shown last, and whether people have asked to see it beside a question. */
    this.difference = "";
    this.isAsked = false;
    onClick("play-on", () => order("/api/play-on", {}));
    onClick("put-back", () => order("/api/put-back", {}));
    onClick("record-right", () => {
      const { foul, id } = this.state?.game ?? {};
      if (foul && id) this.voice.say({ seq: null, game: id, kind: "foul", texts: foul.texts });
    });
  }

  /** @param {State} next */
  show(next) {
    this.state = next;
    const { foul, question } = next.game;
    byId("foul").classList.toggle("asks", !foul);
    byId("foul-tools").hidden = !foul;
    const isByHand = next.game.acts !== null; // no camera sees that it was put back
    byId("put-back").hidden = !isByHand;
    byId("play-on").textContent = foul?.kind === "not_the_proposed_turn" ? words("partner.let_stand") : words("play_on");
    byId("play-on").hidden = Boolean(next.game.lesson); // a lesson stands as it was laid
    byId("record-right").hidden = isByHand;
    const content = foul ? this.foul(foul, next) : question ? this.question(question, next) : next.other_game ? this.otherGame(next.other_game, next) : next.game.mover_open ? this.mover(next) : null;
    byId("foul").hidden = !content;
    if (content) {
      byId("foul-title").textContent = content.title;
      const stepList = byId("foul-steps");
      // A button that is replaced under a finger gets no click.
      if (stepList.innerHTML !== html("ul", {}, ...content.lines).innerHTML) stepList.replaceChildren(...content.lines);
    }
    this.showDifference(next, Boolean(foul || next.other_game), Boolean(question));
  }

  /** @param {import("../common/types.js").FoulView} foul @param {State} next */
  foul(foul, next) {
    const lines = foul.steps.map((step, k) => {
      const stone = step.paint ? stonesOf(next, step.paint) : "";
      const key = step.from && step.to ? "fix.move" : step.from ? "fix.take" : "fix.put";
      return html("li", {}, pebbleIcon(step.paint, k), words(key, { stone, from: step.from ?? "", to: step.to ?? "" }));
    });
    return { title: (foul.steps.length ? foul.title : foul.texts)[language], lines };
  }

  /** Buttons for the answers to a question; what nobody can answer in one tap is set right on the board. @param {NonNullable<State["game"]["question"]>} question @param {State} next */
  question({ options, answers, texts }, next) {
    const lines = options.map((option, k) => ({ option, k })).filter(({ option }) => /^(=|-1|[a-z].*|\d+\. .*)$/.test(option))
      .map(({ option, k }) => this.answer(answers[k][language] ?? option, "/api/answer", { option: k }, { "data-answer": option }));
    if (this.differing(next).length) {
      const more = button({ class: "plain", "aria-expanded": String(this.isAsked), "aria-controls": "seen", id: "something-else" }, () => {
        this.isAsked = !this.isAsked;
        if (this.state) this.show(this.state);
        if (this.isAsked) byId("seen").scrollIntoView({ block: "nearest", behavior: "smooth" });
      }, words("seen.something_else"));
      lines.push(html("li", { class: "for-referee" }, more));
    }
    // A ring was rotated unseen: advise to mark it.
    if (options.every((option) => /^\d+\. [omi][+-]/.test(option))) lines.push(html("li", {}, words("rings.plain")));
    return { title: texts[language], lines };
  }

  /** @param {NonNullable<State["other_game"]>} other @param {State} next */
  otherGame({ games, texts }, next) {
    const lines = games.map((game) => this.answer(words("other.play", { game: words(`game.${game}`) }), "/api/game", { game }, { "data-game": game }));
    lines.push(this.answer(words("other.keep", { game: words(`game.${next.game.name}`) }), "/api/keep-game", {}, { id: "keep-game" }));
    return { title: texts[language], lines };
  }

  /** @param {State} next */
  mover(next) {
    return { title: words("whose"), lines: this.playerButtons(next, "/api/mover", (player) => ({ player })) };
  }

  /** @template {keyof Commands} P @param {string} text @param {P} path @param {Commands[P]} body @param {Record<string, string>} marks */
  answer(text, path, body, marks) {
    return html("li", { class: "for-referee" }, this.button(text, "plain", path, body, marks));
  }

  /** @param {string} text @template {keyof Commands} P @param {string} kind @param {P} path @param {Commands[P]} body @param {Record<string, string | number>} marks @param {...Node} icons */
  button(text, kind, path, body, marks, ...icons) {
    return button({ class: kind, ...marks }, () => order(path, body), ...icons, text);
  }

  /** One button for each player who is still in the game. @template {keyof Commands} P @param {State} next @param {P} path @param {(player: number) => Commands[P]} bodyOf */
  playerButtons(next, path, bodyOf) {
    const { game } = next;
    const players = [...Array(game.players).keys()].map((k) => k + 1).filter((player) => game.hands[player - 1] + game.stones[player - 1] > 0);
    return players.map((player) => html("li", { class: "for-referee" },
      this.button(playerName(next, player), "plain mover", path, bodyOf(player), { "data-player": player }, pebbleIcon(player, player * 5 + 1))));
  }

  /** The points on which the seen board and the written one differ. @param {State} next */
  differing({ game, sight }) {
    const tops = sight.seen?.tops ?? [];
    return tops.length === game.points.length ? game.points.filter((name, k) => tops[k] !== (game.stacks[name]?.at(-1)?.[0] ?? 0)) : [];
  }

  /** The two boards, and one tap that plays on from the one that is seen. @param {State} next @param {boolean} isSettled something else is said @param {boolean} isBesideQuestion */
  showDifference(next, isSettled, isBesideQuestion) {
    const { seen } = next.sight, points = this.differing(next);
    const difference = points.length && seen ? `${next.game.id} ${seen.tops.join("")}` : "";
    if (!difference) this.isAsked = false;
    const isShown = difference !== "" && !isSettled && (!isBesideQuestion || this.isAsked);
    byId("seen").hidden = !isShown;
    if (!isShown || !seen) return;
    // Before the first turn nothing is written that the stones could differ from: a game was begun elsewhere.
    const isBegun = next.game.ply === 0 && Object.keys(next.game.stacks).length === 0;
    const title = words(isBegun ? "seen.begun" : "seen.title");
    const { lesson } = next.game; // its stones are laid one by one, and are taken over by nobody
    if (difference !== this.difference && !isBesideQuestion && !lesson) this.voice.say({ seq: null, game: next.game.id, kind: "other", texts: { [language]: title } });
    this.difference = difference;
    byId("seen").classList.toggle("begun", isBegun);
    this.boards.show(next.game, seen.tops, points);
    byId("seen-title").textContent = isBesideQuestion ? "" : title;
    byId("seen-back").textContent = next.source.state === "ended" ? "" : isBegun && !lesson ? words("seen.clear") : fittingWords("seen.back", next);
    byId("seen-points").replaceChildren(...points.map((point) => {
      const k = next.game.points.indexOf(point), written = next.game.stacks[point]?.at(-1)?.[0] ?? 0;
      const name = (/** @type {number} */ top) => (top ? stonesOf(next, top) : words("set.bare"));
      return html("li", {}, words("seen.point", { point, seen: name(seen.tops[k]), written: name(written) }));
    }));
    byId("seen-whose").hidden = Boolean(lesson) || seen.to_move !== null;
    const { tops } = seen;
    byId("seen-take").replaceChildren(...(lesson ? [] : seen.to_move === null
      ? this.playerButtons(next, "/api/resume", (player) => ({ tops, to_move: player }))
      : [html("li", { class: "for-referee" }, this.button(words("seen.take"), "strong", "/api/resume", { tops, to_move: seen.to_move }, { id: "take-over" }))]));
  }
}
