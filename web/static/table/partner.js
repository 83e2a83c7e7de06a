// @ts-check
/** Millchen as a partner: the turn that it wants to be made, in words and on the board, and hints for people. */

import { meantMarks } from "../board/marks.js";
import { byId, onClick } from "../common/dom.js";
import { language, words } from "../common/words.js";
import { order } from "./commands.js";

/** @typedef {import("../common/types.js").Snapshot} State */

const HINT_KEY = "h";

export class Partner {
  /** @param {import("../board/board.js").Board} board @param {import("./voice.js").Voice} voice */
  constructor(board, voice) {
    this.board = board;
    this.voice = voice;
    this.card = byId("partner");
    this.button = byId("hint");
    /** @type {State | null} */
    this.state = null;
    /** The advice that somebody has closed on this page. */
    this.closed = "";
    const ask = () => { this.closed = ""; order("/api/hint", {}); };
    this.button.addEventListener("click", ask);
    onClick("partner-close", () => this.close());
    onClick("partner-lays", () => this.changeWhoLays());
    onClick("do-it", () => order("/api/do-it", {}));
    onClick("partner-again", () => this.sayAgain());
    addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea, dialog[open], [popover]:popover-open");
      if (event.key === "Escape" && !isTyping && !byId("partner-close").hidden) this.close();
      if (event.key !== HINT_KEY || event.ctrlKey || event.altKey || event.metaKey || isTyping || this.button.hidden) return;
      ask();
    });
  }

  /** What Millchen means or advises now. */
  get told() {
    const { state } = this;
    if (!state || state.game.foul || state.game.outcome) return null;
    const last = state.said.findLast((one) => one.why || !["turn", "mill"].includes(one.kind)); // its own turn, until its next one
    const ownTurn = last?.why ? { ...last, spoken: last.spoken ?? last.texts, player: 0, moves: [] } : null;
    return [state.proposal, state.hint, ownTurn].find((one) => one && JSON.stringify(one) !== this.closed) ?? null;
  }

  close() {
    this.closed = JSON.stringify(this.told);
    if (this.state) this.show(this.state);
    this.button.focus();
  }

  /** Have Millchen lay its own stones, or people do that for it. */
  async changeWhoLays() {
    const { state } = this;
    for (const one of state?.game.partners ?? []) await order("/api/partner", { ...one, laid_by_people: Boolean(state?.partner.lays) });
  }

  /** @param {State} next */
  show(next) {
    this.state = next;
    const { game, partner } = next, { told } = this;
    const isThinking = partner.thinking && !told && !game.foul && !partner.lays; // else its place among the players says so
    const isAll = partner.lays && game.partners.length === game.players && !game.foul; // it plays by itself until somebody stops it
    const isItsTurn = game.partners.some(({ player }) => player === game.to_move);
    this.button.hidden = !partner.hints || Boolean(game.outcome) || Boolean(game.foul) || (isItsTurn && !partner.lays);
    this.button.disabled = partner.thinking || partner.lays;
    this.card.hidden = !told && !isThinking && !isAll;
    this.card.classList.toggle("thinks", isThinking);
    const isAdvice = told !== null && told === next.hint;
    byId("partner-title").textContent = isThinking ? words("partner.thinking") : isAll ? words("partner.all") : isAdvice ? words("partner.advice") : words("partner.turn");
    byId("partner-words").textContent = told?.texts?.[language] ?? "";
    byId("partner-why").textContent = told?.why?.[language] ?? "";
    byId("partner-again").hidden = !told;
    byId("partner-close").hidden = !told || told === next.proposal;
    byId("partner-lays").hidden = next.source.kind !== "hand" || !(isAll || next.proposal?.moves.length);
    byId("partner-lays").textContent = isAll ? words("partner.stop") : words("partner.lay_own");
    byId("do-it").hidden = !next.proposal?.moves.length || game.acts === null;
    document.body.classList.toggle("is-meant", Boolean(told?.moves.length));
    this.board.lay("meant-marks", meantMarks(told, game, this.board.geometry.rings));
  }

  sayAgain() {
    const { told, state } = this;
    if (told && state) this.voice.say({ seq: null, game: state.game.id, kind: "other", texts: told.texts, spoken: told.spoken });
  }
}
