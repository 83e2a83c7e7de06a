// @ts-check
/** The table for spectators: it shows each new state and speaks nothing. */

import { Board } from "../board/board.js";
import { timeNow } from "../board/clock_times.js";
import { byId, embedded } from "../common/dom.js";
import { paintStones } from "../board/pebble.js";
import { boardWords, showPlayers } from "../board/players.js";
import { listen } from "./event_stream.js";
import { language, words } from "../common/words.js";

/** @typedef {import("../common/types.js").Snapshot} State */

const TICK_MS = 200;
const board = new Board(byId("board"));
/** @type {State} */
let state = embedded("state");
let receivedAt = 0;
let isFresh = true;
let lastDrawing = Promise.resolve();

/** @param {State} next */
function show(next) {
  state = next;
  receivedAt = performance.now();
  paintStones(next.sight.colours);
  showPlayers(byId("players"), next);
  byId("game-name").textContent = words(`game.${next.game.name}`);
  byId("board-words").textContent = boardWords(next);
  const { foul, outcome } = next.game;
  const newest = [...next.said].reverse().find((said) => said.game === next.game.id && said.texts[language]);
  byId("newest").textContent = outcome ? outcome.texts[language] : foul ? foul.texts[language] : newest?.texts[language] ?? "";
  byId("newest").classList.toggle("wrong", Boolean(foul));
  lastDrawing = lastDrawing.then(() => board.show(next.game)).catch((why) => console.error(why));
  tick();
}

function tick() {
  for (const time of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll(".time"))) {
    time.textContent = timeNow(state.game.clock, Number(time.dataset.player), receivedAt).text;
    time.disabled = true;
  }
}

show(state);
setInterval(tick, TICK_MS);
listen({
  state: (next) => { if (isFresh || next.version >= state.version) show(next); isFresh = false; },
  lastSeq: () => Math.max(0, ...state.said.map((said) => said.seq ?? 0)),
  said: () => {},
  connected: () => { isFresh = true; },
});
