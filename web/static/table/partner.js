// @ts-check
/** Millchen as a partner: the turn that it wants to be made, in words and on the board, and hints for people. */

import { byId } from "../common/dom.js";
import { send } from "./commands.js";
import { showMeant } from "../board/meant_turn.js";
import { language, words } from "../common/words.js";

/** @typedef {import("../common/types.js").State} State */

const HINT_KEY = "h";

export class Partner {
  /**
   * @param {import("../board/board.js").Board} board
   * @param {import("./voice.js").Voice} voice
   * @param {(why: Error) => void} showError
   */
  constructor(board, voice, showError) {
    this.board = board;
    this.voice = voice;
    this.card = byId("partner");
    this.button = byId("hint");
    /** @type {State | null} */
    this.state = null;
    const ask = () => send("/api/hint").catch(showError);
    this.button.addEventListener("click", ask);
    byId("do-it").addEventListener("click", () => send("/api/do-it").catch(showError));
    byId("partner-again").addEventListener("click", () => this.sayAgain());
    addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea, dialog[open]");
      if (event.key !== HINT_KEY || event.ctrlKey || event.altKey || event.metaKey || isTyping || this.button.hidden) return;
      ask();
    });
  }

  /** What Millchen means or advises now. */
  get told() {
    const { state } = this;
    return state && !state.game.foul && !state.game.outcome ? state.proposal ?? state.hint : null;
  }

  /** @param {State} next */
  show(next) {
    this.state = next;
    const { game, partner } = next, { told } = this;
    const isThinking = partner.thinking && !told && !game.foul;
    this.button.hidden = !partner.hints || Boolean(game.outcome) || Boolean(game.foul) || game.partners.some(({ player }) => player === game.to_move);
    this.button.disabled = partner.thinking;
    this.card.hidden = !told && !isThinking;
    this.card.classList.toggle("thinks", isThinking);
    byId("partner-title").textContent = isThinking ? words("partner.thinking") : next.proposal ? words("partner.turn") : words("partner.advice");
    byId("partner-words").textContent = told?.texts?.[language] ?? "";
    byId("partner-why").textContent = told?.why?.[language] ?? "";
    byId("partner-again").hidden = !told;
    byId("do-it").hidden = !next.proposal?.moves.length || game.acts === null;
    document.body.classList.toggle("is-meant", Boolean(told?.moves.length));
    showMeant(this.board, told, game);
  }

  sayAgain() {
    const { told, state } = this;
    if (told && state) this.voice.say({ seq: null, game: state.game.id, kind: "other", texts: told.texts, spoken: told.spoken });
  }
}
