// @ts-check
/** The scoreboard: a card for each table of the evening, the pairings and the standings. */

import { timeNow } from "../board/clock_times.js";
import { byId, embedded, html, seek, whileVisible } from "../common/dom.js";
import { playerName, whatToDo } from "../board/players.js";
import { language, words } from "../common/words.js";

/**
 * @typedef {import("../common/types.js").GameView} Game
 * @typedef {Object} ClubTable
 * @property {string} key
 * @property {string} name
 * @property {string} picture address of a picture of the position
 * @property {string} page address of the table's own page, "" where it is on another computer
 * @property {Game} game without stones, mills and the last turn
 * @property {{names: string[], colours: string[]}} sight
 * @property {Game["clock"]} clock
 * @property {Record<string, string> | null} said
 * @typedef {{first: string, second: string | null, result: string, by: string}} Pairing
 * @typedef {{name: string, rank: number, points: string, wins: number, buchholz: string, sonneborn: string}} StandingsRow
 * @typedef {Object} Evening
 * @property {string} name
 * @property {string} system
 * @property {number} n_rounds
 * @property {{name: string, away: boolean}[]} players
 * @property {Pairing[][]} rounds
 * @property {boolean} is_round_open
 * @property {boolean} over
 * @property {StandingsRow[]} standings
 * @property {string[][]} cross
 * @typedef {{state: string, place: string, text: string, code: string, ahead: number}} Archive
 * @typedef {{archive: Archive | null, namesakes: string[], evening: Evening | null, is_ours: boolean}} ClubStatus
 * @typedef {{tables: ClubTable[], board: ClubStatus}} ClubState
 */

const TICK_MS = 200;
/** What a board gets of its card, across and down, with the players beside it or below it; see scoreboard.css. */
const BOARD_SHARES = { beside: { across: 0.5, down: 0.7 }, above: { across: 0.94, down: 0.56 } };
const RESULT_SIGNS = /** @type {Record<string, string>} */ ({ "1-0": "1 : 0", "0-1": "0 : 1", "1/2-1/2": "½ : ½", "0-0": "0 : 0" });

/** The newest state of each table, when it was received, and its card. @type {Map<string, {table: ClubTable, receivedAt: number, card: HTMLElement}>} */
const cards = new Map();

/** @param {string} result */
export function resultSign(result) {
  return RESULT_SIGNS[result] ?? "– : –";
}

/**
 * Receive the events of the club while the page is visible.
 * @param {{hall: (hall: ClubState) => void, table: (table: ClubTable) => void}} page
 */
export function follow(page) {
  /** @type {EventSource | null} */
  let stream = null;
  const start = () => {
    if (stream) return;
    stream = new EventSource("/api/club/events");
    stream.addEventListener("hall", (event) => page.hall(JSON.parse(event.data)));
    stream.addEventListener("table", (event) => page.table(JSON.parse(event.data)));
  };
  whileVisible(start, () => { stream?.close(); stream = null; });
}

/** Sentences on what is wrong: the archive, the clock, names used twice. @param {ClubStatus} board */
export function notes(board) {
  const lines = [];
  const { archive } = board;
  if (archive?.code) lines.push(words(`club.link.${archive.code}`, { place: archive.place }));
  if (archive?.ahead) lines.push(words(archive.ahead > 0 ? "club.clock_ahead" : "club.clock_behind", { time: duration(Math.abs(archive.ahead)) }));
  for (const name of board.namesakes) lines.push(words("club.namesakes", { name }));
  return lines;
}

/** A duration with its unit. @param {number} seconds */
function duration(seconds) {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** @param {HTMLElement} frame @param {ClubState} hall */
function showAll(frame, hall) {
  const keys = new Set(hall.tables.map((table) => table.key));
  for (const [key, { card }] of cards) {
    if (keys.has(key)) continue;
    card.remove();
    cards.delete(key);
  }
  for (const table of hall.tables) showTable(frame, table);
  hall.tables.forEach((table) => { const entry = cards.get(table.key); if (entry) frame.append(entry.card); });
  arrange(frame);
  byId("hall-notes").textContent = notes(hall.board).join(" ");
  showEvening(hall.board.evening);
}

/** Choose the number of columns that makes the boards largest, beside the players or above them. @param {HTMLElement} frame */
function arrange(frame) {
  const n = Math.max(1, cards.size);
  const { width, height } = frame.getBoundingClientRect();
  let best = { columns: 1, size: 0, isTall: false };
  for (let columns = 1; columns <= n; columns += 1) {
    const across = width / columns, down = height / Math.ceil(n / columns);
    const beside = Math.min(BOARD_SHARES.beside.across * across, BOARD_SHARES.beside.down * down);
    const above = Math.min(BOARD_SHARES.above.across * across, BOARD_SHARES.above.down * down);
    const size = Math.max(beside, above);
    if (size > best.size) best = { columns, size, isTall: above > beside };
  }
  frame.style.setProperty("--columns", String(best.columns));
  frame.classList.toggle("tall", best.isTall);
}

/** @param {HTMLElement} frame @param {ClubTable} table */
function showTable(frame, table) {
  const entry = cards.get(table.key);
  const card = entry?.card ?? html("article", { class: "hall-table" });
  if (!entry) frame.append(card);
  cards.set(table.key, { table, receivedAt: performance.now(), card });
  const { game } = table;
  card.classList.toggle("wrong", Boolean(game.foul));
  card.classList.toggle("won", Boolean(game.outcome));
  const onTurn = game.outcome ? null : game.to_move; // the card takes the colour of the stones that are to move
  card.classList.toggle("turn", Boolean(onTurn));
  if (onTurn) card.style.setProperty("--turn", stoneColour(table, onTurn));
  const picture = card.querySelector("img") ?? html("img", { alt: "" });
  replacePicture(picture, table.picture);
  const title = table.name || words("club.table");
  card.replaceChildren(
    html("header", {}, html("h2", {}, title), html("span", { class: "what-game" }, words(`game.${game.name}`))),
    picture,
    players(table),
    html("p", { class: "said" }, sentence(table)),
  );
  tick();
}

/** Replace a picture once the new one is loaded, so that it does not flicker. @param {HTMLImageElement} picture @param {string} address */
function replacePicture(picture, address) {
  if (picture.dataset.wanted === address) return;
  picture.dataset.wanted = address;
  if (!picture.src) { picture.src = address; return; }
  const next = new Image();
  next.addEventListener("load", () => { if (picture.dataset.wanted === address) picture.src = address; });
  next.src = address;
}

/** @param {ClubTable} table */
function players(table) {
  const { game, sight } = table;
  const list = html("ol");
  for (let player = 1; player <= game.players; player += 1) {
    const isActive = game.outcome ? game.outcome.winner === player : game.to_move === player;
    const line = html("li", { class: isActive ? "active" : "" });
    const name = playerName({ game, sight }, player);
    line.style.setProperty("--stone", stoneColour(table, player));
    line.style.setProperty("--letters", String(name.length)); // a long name is written smaller
    line.append(html("span", { class: "dot" }), html("span", { class: "who" }, name));
    if (table.clock.kind !== "off") line.append(html("span", { class: "time", "data-player": player }));
    if (isActive) line.append(html("span", { class: "do" }, whatToDo({ game, sight })));
    list.append(line);
  }
  return list;
}

/** @param {ClubTable} table @param {number} player */
function stoneColour({ sight }, player) {
  return sight.colours[player - 1] || `var(--p${player})`;
}

/** @param {ClubTable} table */
function sentence({ game, said }) {
  return game.outcome?.texts[language] ?? game.foul?.texts[language] ?? said?.[language] ?? "";
}

function tick() {
  for (const { table, receivedAt, card } of cards.values()) {
    for (const time of /** @type {NodeListOf<HTMLElement>} */ (card.querySelectorAll(".time"))) {
      time.textContent = timeNow(table.clock, Number(time.dataset.player), receivedAt).text;
    }
  }
}

/** @param {Evening | null} evening */
function showEvening(evening) {
  byId("evening").hidden = !evening;
  if (!evening) return;
  byId("evening-name").textContent = evening.name || words("scoreboard");
  const round = evening.rounds.at(-1) ?? [];
  byId("round-title").textContent = evening.rounds.length
    ? words("club.round_of", { n: evening.rounds.length, of: evening.n_rounds })
    : words("club.no_round");
  byId("pairings").replaceChildren(...round.map((one) =>
    one.second === null
      ? html("li", {}, html("span", {}, one.first), html("span", { class: "versus" }, words("club.bye")), html("span"))
      : html("li", {}, html("span", {}, one.first), html("span", { class: `versus${one.result ? "" : " open"}` }, resultSign(one.result)), html("span", {}, one.second)),
  ));
  byId("standings").replaceChildren(...evening.standings.map((place) =>
    html("li", {}, html("span", { class: "rank" }, `${place.rank}.`), html("span", {}, place.name), html("span", {}, place.points)),
  ));
}

const frame = seek("tables");
if (frame && document.body.classList.contains("hall")) {
  showAll(frame, embedded("hall"));
  addEventListener("resize", () => arrange(frame));
  setInterval(tick, TICK_MS);
  follow({ hall: (hall) => showAll(frame, hall), table: (table) => { const isNew = !cards.has(table.key); showTable(frame, table); if (isNew) arrange(frame); } });
}
