// @ts-check
/** The table for those who only look: it shows each new state and says nothing aloud. */

import { Board } from "./board.js";
import { shown } from "./clock.js";
import { byId } from "./dom.js";
import { paintStones } from "./pebble.js";
import { boardWords, showPlayers } from "./players.js";
import { listen } from "./stream.js";
import { language, words } from "./words.js";

/** @typedef {import("./types.js").State} State */

const TICK_MS = 200;
const board = new Board(byId("board"));
/** @type {State} */
let state = JSON.parse(byId("state").textContent);
let heardAt = 0;
let isFresh = true;
let drawn = Promise.resolve();

/** @param {State} next */
function show(next) {
  state = next;
  heardAt = performance.now();
  paintStones(next.sight.colours);
  showPlayers(byId("players"), next);
  byId("game-name").textContent = words(`game.${next.game.name}`);
  byId("board-words").textContent = boardWords(next);
  const { foul, outcome } = next.game;
  const newest = [...next.said].reverse().find((said) => said.texts[language]);
  byId("newest").textContent = outcome ? outcome.texts[language] : foul ? foul.texts[language] : newest?.texts[language] ?? "";
  byId("newest").classList.toggle("wrong", Boolean(foul));
  drawn = drawn.then(() => board.show(next.game)).catch((why) => console.error(why));
  tick();
}

function tick() {
  const { clock } = state.game;
  for (const time of document.querySelectorAll(".time")) {
    const player = Number(/** @type {HTMLElement} */ (time).dataset.player);
    const gone = clock.running === player ? (performance.now() - heardAt) / 1000 : 0;
    time.textContent = shown(clock.seconds[player - 1] + (clock.kind === "up" ? gone : -gone), clock.kind === "down");
    /** @type {HTMLButtonElement} */ (time).disabled = true;
  }
}

show(state);
setInterval(tick, TICK_MS);
listen({
  state: (next) => { if (isFresh || next.version >= state.version) show(next); isFresh = false; },
  heard: () => Math.max(0, ...state.said.map((said) => said.seq ?? 0)),
  said: () => {},
  connected: () => { isFresh = true; },
});
