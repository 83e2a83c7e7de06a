// @ts-check
/** The page of whoever leads the evening: opens tables, begins an evening, pairs rounds, sets results. */

import { areSure, attempt, send } from "../common/ask.js";
import { button, byId, embedded, html, onClick, onSubmit } from "../common/dom.js";
import { follow, notes, resultSign } from "./scoreboard.js";
import { words } from "../common/words.js";

/** @typedef {import("./scoreboard.js").ClubState} ClubState @typedef {import("./scoreboard.js").ClubTable} ClubTable @typedef {import("./scoreboard.js").Evening} Evening */

const RESULTS = ["", "1-0", "1/2-1/2", "0-1", "0-0"];

/** @type {ClubState} */
let club = embedded("hall");

/** Whether an evening was on when the page was shown last. @type {boolean | undefined} */
let wasOn;

/** Carry out what people want; why it is refused stands beside the form that they have filled in, else at the top. @param {() => Promise<unknown>} act @param {Element} [form] */
async function run(act, form) {
  const error = byId("error");
  if (form) form.append(error);
  else byId("notes").before(error);
  const isDone = await attempt(error, act);
  error.scrollIntoView({ block: "nearest" });
  return isDone;
}

/** @param {ClubState} next */
function show(next) {
  club = next;
  byId("notes").textContent = notes(club.board).join(" ");
  byId("club-tables").replaceChildren(...club.tables.map(tableLine));
  const { evening, is_ours: isOurs } = club.board;
  byId("begin").hidden = Boolean(evening && !evening.over && isOurs && evening.rounds.length);
  const isOn = Boolean(evening && !evening.over);
  if (isOn !== wasOn) byId("begin").open = !isOn; // in between people fold it as they like
  wasOn = isOn;
  byId("rounds").hidden = !evening;
  byId("tables-of-points").hidden = !evening;
  if (evening) showEvening(evening, isOurs);
}

/** @param {ClubTable} table */
function tableLine(table) {
  const { game } = table;
  const what = game.outcome ? words("club.game_over") : words("n_turns", { n: game.ply });
  const line = html("li", {}, html("b", {}, table.name || words("club.table")), html("span", {}, `${words(`game.${game.name}`)} · ${what}`));
  if (table.page) line.append(html("a", { class: "button plain", href: pageOf(table.page) }, words("club.to_table")));
  return line;
}

/** The address of a table's page, with the host name of this page. @param {string} page */
function pageOf(page) {
  const address = new URL(page);
  if (location.protocol === "http:") address.hostname = location.hostname;
  return address.href;
}

/** @param {Evening} evening @param {boolean} isOurs */
function showEvening(evening, isOurs) {
  const mayChange = isOurs && !evening.over;
  byId("rounds-title").textContent = evening.name || words("club.evening");
  byId("elsewhere").hidden = isOurs;
  const first = evening.standings.filter((place) => place.rank === 1).map((place) => place.name);
  byId("over").hidden = !evening.over;
  byId("over").textContent = evening.over && evening.rounds.length ? words("club.first", { names: first.join(", ") }) : words("club.ended");
  byId("round-list").replaceChildren(...evening.rounds.map((round, k) => roundList(evening, round, k + 1, isOurs)).reverse());
  byId("pair").hidden = !mayChange || evening.is_round_open || evening.rounds.length >= evening.n_rounds;
  byId("undraw").hidden = !mayChange || !evening.rounds.at(-1)?.every((one) => one.second === null || !one.result);
  byId("close").hidden = !mayChange;
  byId("another").hidden = !evening.over;
  byId("join-form").hidden = !mayChange || (evening.system === "round_robin" && evening.rounds.length > 0);
  crossTable(evening, mayChange);
}

/** @param {Evening} evening @param {import("./scoreboard.js").Pairing[]} round @param {number} n @param {boolean} isOurs */
function roundList(evening, round, n, isOurs) {
  const list = html("ol");
  round.forEach((one, k) => {
    const line = html("li", {}, html("span", { class: "number" }, `${k + 1}`), html("span", {}, one.first));
    if (one.second === null) line.append(html("span", {}, words("club.bye")), html("span"));
    else line.append(isOurs ? resultSelect(one, n, k + 1) : html("span", {}, resultSign(one.result)), html("span", {}, one.second));
    list.append(line);
  });
  return html("section", { class: "club-round" }, html("h3", {}, words("club.round_of", { n, of: evening.n_rounds })), list);
}

/** @param {import("./scoreboard.js").Pairing} one @param {number} round @param {number} board */
function resultSelect(one, round, board) {
  const label = words("club.result_of", { first: one.first, second: one.second ?? "" });
  const select = html("select", { "aria-label": label, class: one.result ? "" : "open" });
  for (const result of RESULTS) select.append(html("option", { value: result, selected: result === one.result }, result ? resultSign(result) : words("club.open_result")));
  select.addEventListener("change", () => run(() => send("/api/club/results", { round, board, result: select.value })));
  return select;
}

/** @param {Evening} evening @param {boolean} mayChange */
function crossTable(evening, mayChange) {
  const isSwiss = evening.system === "swiss";
  const head = html("tr", {}, html("th", { scope: "col" }, "#"), html("th", { scope: "col" }, words("club.player")));
  evening.standings.forEach((_, k) => head.append(html("th", { scope: "col" }, `${k + 1}`)));
  head.append(html("th", { scope: "col" }, words("club.points")), html("th", { scope: "col" }, isSwiss ? "Buchholz" : "Sonneborn-Berger"));
  const rows = evening.standings.map((place, k) => {
    const player = evening.players.findIndex((one) => one.name === place.name);
    const { away } = evening.players[player];
    const line = html("tr", {}, html("td", {}, `${k + 1}`), html("th", { scope: "row" }, place.name));
    evening.cross[k].forEach((cell, column) => line.append(html("td", { class: column === k ? "self" : "" }, cell)));
    line.append(html("td", { class: "points" }, place.points), html("td", {}, isSwiss ? place.buchholz : place.sonneborn));
    if (mayChange && isSwiss) {
      const change = () => run(() => send("/api/club/change", { what: away ? "returned" : "left", player }));
      line.append(html("td", {}, button({ class: "quiet" }, change, words(away ? "club.return" : "club.leave"))));
    }
    return line;
  });
  byId("cross").replaceChildren(html("thead", {}, head), html("tbody", {}, ...rows));
}

onSubmit(byId("add-form"), (data) => run(async () => {
  await send("/api/club/tables", { name: String(data.get("name")), source: String(data.get("source")), game: String(data.get("game")) });
  byId("add-form").reset();
  byId("add").open = false;
}, byId("add-form")));
onSubmit(byId("begin-form"), (data) => run(async () => {
  const players = String(data.get("players")).split(/[\n,;]/).map((name) => name.trim()).filter(Boolean), rounds = Number(data.get("rounds"));
  show({ ...club, board: await send("/api/club/evening", { name: String(data.get("name")), system: String(data.get("system")), players, ...(rounds ? { rounds } : {}) }) });
  byId("rounds").scrollIntoView();
  byId("rounds-title").focus({ preventScroll: true });
}, byId("begin-form")));
onSubmit(byId("join-form"), (data) => run(async () => {
  await send("/api/club/change", { what: "joined", name: String(data.get("name")) });
  byId("join-form").reset();
}, byId("join-form")));
onClick("pair", () => run(() => send("/api/club/rounds", {})));
onClick("undraw", () => run(() => send("/api/club/change", { what: "undrawn" })));
onClick("close", () => areSure(byId("sure-close"), () => send("/api/club/change", { what: "closed" })));

show(club);
follow({
  hall: show,
  table: (table) => {
    const tables = club.tables.filter((one) => one.key !== table.key);
    const at = club.tables.findIndex((one) => one.key === table.key);
    tables.splice(at < 0 ? tables.length : at, 0, table);
    show({ ...club, tables });
  },
});
