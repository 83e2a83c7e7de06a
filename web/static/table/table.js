// @ts-check
/** The page of the table: creates its parts and shows each new state in them. */

import { Board } from "../board/board.js";
import { complain } from "../common/ask.js";
import { offerBoardTools } from "../board/board_tools.js";
import { mayBeginAnew, NewGameDialog } from "./new_game.js";
import { showDemo } from "./demo.js";
import { Clocks } from "./clocks.js";
import { byId, embedded, html, onClick, part } from "../common/dom.js";
import { onRefusal, order, saw } from "./commands.js";
import { Corrections } from "./corrections.js";
import { Offer } from "./offer.js";
import { Partner } from "./partner.js";
import { PartnerDialog } from "./partner_fields.js";
import { HandPlay } from "./hand_play.js";
import { TouchPoints } from "../board/touch_points.js";
import { paintStones, pebbleIcon } from "../board/pebble.js";
import { EndGame } from "./end_game.js";
import { Finish } from "./finish.js";
import { GameMenu } from "./game_menu.js";
import { CameraPicture } from "./camera_picture.js";
import { boardWords, showPlayers, stoneName, turnWords } from "../board/players.js";
import { SteadyValue } from "./steady_value.js";
import { listen } from "./event_stream.js";
import { Verdict } from "./verdict.js";
import { Voice } from "./voice.js";
import { keepAwake } from "../common/wake_lock.js";
import { fittingWords, hasWords, language, pointName, words } from "../common/words.js";

/** @typedef {import("../common/types.js").Snapshot} State */

const N_LISTED = 10;
const N_NAMED = 4; // points that are named where something lies on them
const COVERED_MS = 2000; // what rests so long on the board is no hand that passes by
const NOTHING = "nothing";

const board = new Board(byId("board"));
const touch = new TouchPoints(board);
const corrections = new Corrections(board, touch);
const handPlay = new HandPlay(board, touch, corrections);
const picture = new CameraPicture(board);
const newGame = new NewGameDialog();
const voice = new Voice();
const verdict = new Verdict(board, voice);
const partner = new Partner(board, voice);
const partners = new PartnerDialog();
const clocks = new Clocks();
const menu = new GameMenu();
const endGame = new EndGame();
const finish = new Finish();
const offer = new Offer();
const steady = new SteadyValue((sight) => showSight(state, sight));
const covered = new SteadyValue(() => showSight(state, steady.shown), COVERED_MS, NOTHING);
let isConnected = true;
let isFresh = true;
/** @type {State} */
let state = embedded("state");
let lastShowing = Promise.resolve();

/** @param {State} next */
function show(next) {
  state = next;
  saw(next);
  newGame.state = next;
  partners.state = next;
  paintStones(next.sight.colours);
  showPlayers(byId("players"), next);
  finish.show(next);
  offer.show(next);
  voice.follow(next.game.id);
  steady.set(next.sight.sight);
  covered.set(coveredPoints(next).join(" ") || NOTHING);
  showSight(next, steady.shown);
  showAnnouncements(next);
  showNotice();
  picture.show(next);
  clocks.show(next);
  keepAwake(!next.game.outcome && !["ended", "failed"].includes(next.source.state));
  menu.show(next);
  byId("lesson-link").hidden = !next.game.lesson;
  if (next.game.lesson) byId("lesson-link").href = `/lessons/${next.game.name}/${next.game.lesson.number}`;
  endGame.show(next);
  showDemo(next);
  byId("game-name").textContent = words(`game.${next.game.name}`);
  document.title = titleOf(next);
  byId("board-words").textContent = boardWords(next);
  byId("take-back").hidden = (next.game.ply === 0 || next.game.owed > 0) && next.game.begun === 0;
  lastShowing = lastShowing.then(() => board.show(next.game)).then(() => { corrections.show(next); handPlay.show(next); showMode(); verdict.show(next); partner.show(next); }).catch((why) => console.error(why));
}

/** What the status line says, as a key. @param {State} next @param {string} seen @returns {string} */
function situation({ game, source }, seen) {
  if (source.kind !== "hand") {
    if (source.state === "lost" && !source.has_answered && source.medium === "camera") return "source.never";
    if (source.state !== "live" && source.state !== "opening") return `source.${source.state}`;
    return seen === "disputed" && !game.foul && !game.question ? "sight.unlike" : `sight.${seen}`; // a turn was taken back, say
  }
  if (game.outcome) return "sight.over";
  if (handPlay.isCorrecting) return "sight.by_hand.correct";
  if (game.foul) return "sight.disputed";
  if (game.partners.some(({ player }) => player === game.to_move)) return "partner.turn";
  if (document.documentElement.dataset.role !== "referee") return "picture.hand"; // who looks on may touch nothing
  if (game.owed > 0) return "sight.by_hand.take";
  if (handPlay.selected) return "sight.by_hand.goal";
  return (game.acts ?? []).some(({ act }) => act === "place") ? "sight.by_hand" : "sight.by_hand.move";
}

/** Say whether a touch plays or sets right. */
function showMode() {
  touch.call(words(handPlay.isOn ? "set.help.play" : "set.help"));
  showSight(state, steady.shown);
}

/** @param {State} next @param {string} steadily the state of vision that lasts: a hand that only passes by does not change it */
function showSight(next, steadily) {
  const { source } = next;
  const phase = steadily === "disputed" && !next.game.foul ? next.sight.sight : steadily; // what was put right is right at once
  const sight = { ...next.sight, sight: phase };
  const isByHand = source.kind === "hand";
  document.body.classList.toggle("by-hand", isByHand);
  const isAway = source.state !== "live" && source.state !== "opening";
  const texts = fittingWords(situation(next, phase), next);
  const points = coveredPoints(next);
  const isCovered = !isByHand && !isAway && points.length > 0 && covered.shown === points.join(" ") && (points.length <= N_NAMED || sight.sight !== "hand");
  byId("sight").dataset.sight = !isConnected ? "gone" : isByHand ? byHand(next) : isAway ? (source.state === "ended" ? "over" : "gone") : sight.sight;
  byId("sight-words").textContent = !isConnected ? words("not_connected.lamp") : isCovered ? coveredWords(points) : texts;
  byId("picture").setAttribute("aria-label", fittingWords("picture", next));
  const note = next.sight.note[language] ?? ""; // about a table that was measured before
  complain(byId("table-note"), isAway ? "" : note);
  showConfusable(next);
  const blind = byId("blind");
  const isBlind = isAway || sight.sight === "lost" || (sight.sight === "searching" && picture.number >= 0 && sight.points.length === 0);
  blind.hidden = !isBlind || picture.isAdjusting || Boolean(next.other_game); // a board of another game is found
  byId("blind-again").hidden = source.state !== "ended";
  byId("blind-corners").hidden = isAway || sight.sight !== "lost" && sight.sight !== "searching";
  byId("blind-another").hidden = byId("blind-none").hidden = source.medium !== "camera" || !["lost", "failed"].includes(source.state);
  const why = ((isAway ? source : sight).reasons[language] ?? "").replace(/'(\w+:\/\/[^']*)'/, "$1"); // an address as people type it
  const reason = why && sentenceOf(why);
  part(blind, "p").textContent = reason && source.state !== "ended" ? `${sentenceOf(texts)} ${reason}` : texts;
}

/** How a game without a camera fares, as the lamp shows it. @param {State} next */
function byHand({ game }) {
  return game.outcome ? "over" : game.foul && !handPlay.isCorrecting ? "disputed" : "watching";
}

/** The points on which something else than a stone lies or hangs. @param {State} next */
function coveredPoints({ game, sight }) {
  return sight.sight === "over" ? [] : game.points.filter((_, k) => sight.hidden[k]);
}

/** @param {string[]} points */
function coveredWords(points) {
  if (points.length > N_NAMED) return words("sight.covered_many", { n: points.length });
  const last = pointName(points[points.length - 1]), others = points.slice(0, -1).map(pointName).join(", ");
  return words("sight.covered", { points: others ? `${others} ${words("and")} ${last}` : last });
}

/** @param {string} text */
function sentenceOf(text) {
  return (text.includes("://") ? text[0] : text[0].toUpperCase()) + text.slice(1) + (/[.?!…]$/.test(text) ? "" : ".");
}

/** Warn of stones that are hard to tell apart while others can still be taken. @param {State} next */
function showConfusable(next) {
  const [worst] = next.sight.alike, isPlain = next.sight.plain.length > 0;
  byId("alike").hidden = (!worst && !isPlain) || next.game.ply > 4 || Boolean(next.game.outcome);
  if (!worst) {
    byId("alike").replaceChildren(html("p", {}, isPlain ? words("rings.plain") : ""));
    return;
  }
  const { one, other, share } = worst, n = Math.max(2, Math.round(1 / share));
  const warning = other ? words("alike.stones", { one: stoneName(next, one), other: stoneName(next, other), n }) : words("alike.board", { one: stoneName(next, one), n });
  byId("alike").replaceChildren(pebbleIcon(one, 1), ...(other ? [pebbleIcon(other, 4)] : []), html("p", {}, html("b", {}, warning), " ", words("alike.help")));
}

/** @param {State} next */
function showAnnouncements(next) {
  const lines = [...next.said].reverse().filter((said) => said.game === next.game.id && said.kind !== "proposed" && said.texts[language]).slice(0, N_LISTED);
  const [newest, ...earlier] = lines.map((said) => html("li", { "data-kind": said.kind }, said.texts[language]));
  const lists = byId("story").querySelectorAll("ol");
  lists[0].replaceChildren(...(newest ? [newest] : []));
  lists[1].replaceChildren(...earlier);
}

function showNotice() {
  complain(byId("notice"), !isConnected ? words("not_connected") : state.saved ? "" : words("not_saved"));
}

/** Show and speak why a command was refused. @param {Error} why */
function showError(why) {
  voice.say({ seq: null, game: 0, kind: "other", texts: { [language]: why.message } });
}

/** The title of the tab. @param {State} next */
function titleOf(next) {
  const { game } = next;
  if (game.outcome) return `${game.outcome.texts[language]} – Millchen`;
  return game.to_move ? `${turnWords(next, game.to_move)} – Millchen` : words("title");
}

/** @param {"/api/take-back" | "/api/again"} path */
const command = (path) => () => order(path, {});
onClick("take-back", command("/api/take-back"));
onClick("again", async () => { if (await mayBeginAnew(state)) command("/api/again")(); });
onClick("blind-again", command("/api/again"));
onClick("blind-another", () => newGame.open("source"));
onClick("blind-none", () => order("/api/source", { source: "hand" }));

if (!hasWords("title")) console.error("the page has no words");
onRefusal({ adopt: show, tell: showError });
show(state);
handPlay.onMode = showMode;
newGame.openAsAsked();
offerBoardTools(board, () => show(state));
listen({
  state: (next) => { if (isFresh || next.version >= state.version) show(next); isFresh = false; },
  lastSeq: () => Math.max(0, ...state.said.map((said) => said.seq ?? 0)),
  said: (said, isSpeaker) => { if (isSpeaker) voice.say(said); },
  connected: (yes) => {
    isConnected = yes;
    isFresh = true; // a restarted server counts its states from the beginning
    showNotice();
    showSight(state, steady.shown);
  },
});
