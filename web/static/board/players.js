// @ts-check
/** The cards of the players: whose turn it is (large), what to do, and the stones left in hand. */

import { html } from "../common/dom.js";
import { pebbleIcon } from "./pebble.js";
import { language, pointName, words } from "../common/words.js";

/** @typedef {{game: {names: string[], partners?: {player: number, strength: string}[]}, sight: {names: string[]}}} Named what the name of a player is made of */

/**
 * The name of a player, else Millchen where that plays, else of the colour of the stones where it is known.
 * @param {Named} state
 * @param {number} player
 */
export function playerName(state, player) {
  const partner = state.game.partners?.find((one) => one.player === player);
  return state.game.names[player - 1] || (partner ? partnerName(partner.strength) : stoneName(state, player));
}

/** Whose turn it is: Millchen without its strength. @param {Named} state @param {number} player */
export function turnWords(state, player) {
  const isPartner = !state.game.names[player - 1] && state.game.partners?.some((one) => one.player === player);
  return isPartner ? words("partner.turn") : words("turn_of", { player: playerName(state, player) });
}

/** What Millchen is called where it plays. @param {string} strength */
export function partnerName(strength) {
  const names = { easy: words("partner.easy"), medium: words("partner.medium"), strong: words("partner.strong") };
  return words("partner.name", { strength: names[/** @type {keyof typeof names} */ (strength)] ?? strength });
}

/**
 * The name of the colour of a player's stones where it is known and unique, else "player 1".
 * @param {{sight: {names: string[]}}} state
 * @param {number} player
 */
export function stoneName(state, player) {
  const { names } = state.sight;
  const name = names[player - 1];
  const isOnlyOne = name && names.filter((other) => other === name).length === 1;
  return isOnlyOne ? words(`colour.${name}`) : words(`player.${player}`);
}

/**
 * What a player's stones are called where somebody has to find them: the name, and their colour where it is known.
 * @param {Named} state
 * @param {number} player
 */
export function stonesOf(state, player) {
  const name = playerName(state, player), stone = stoneName(state, player);
  return name !== stone && state.sight.names[player - 1] ? `${name} (${stone})` : name;
}

/** Give the whole page the colour of the stones that are to move. @param {number | null} player */
export function showTurn(player) {
  if (player) document.body.dataset.turn = String(player);
  else delete document.body.dataset.turn;
  document.body.style.setProperty("--turn", `var(--p${player})`);
}

/** The HTML that was drawn last in each frame, without the times of the clocks. @type {WeakMap<HTMLElement, string>} */
const pictures = new WeakMap();

/**
 * @param {HTMLElement} frame
 * @param {import("../common/types.js").Snapshot} state
 */
export function showPlayers(frame, state) {
  const { game } = state;
  const onTurn = game.outcome ? game.outcome.winner : game.to_move;
  showTurn(onTurn);
  const cards = [];
  for (let player = 1; player <= game.players; player += 1) {
    const isActive = game.outcome ? game.outcome.winner === player : game.to_move === player;
    const isOut = game.out.includes(player);
    const card = html("div", {
      class: `player paint-${player}${isActive ? " active" : ""}${isOut ? " out" : ""}`,
      "data-player": player,
      "aria-current": isActive ? "true" : null,
    });
    const isTimed = game.clock.kind !== "off";
    const time = isTimed ? [html("button", { type: "button", class: "time", "data-player": player, disabled: document.documentElement.dataset.role !== "referee" })] : [];
    const what = html("p", { class: "what" }, isActive ? whatToDo(state) : "");
    if (isActive && game.phase === "capture" && game.players === 2) what.append(pebbleIcon(3 - player, 9, "prey"));
    const hand = html("p", { class: "hand" });
    const inHand = game.hands[player - 1];
    for (let k = 0; k < inHand; k += 1) hand.append(pebbleIcon(player, k * 3 + player));
    if (inHand > 0 || game.phase === "placing") hand.append(html("span", { class: "count" }, words("in_hand", { n: inHand })));
    else hand.append(html("span", { class: "count" }, words("on_board", { n: game.stones[player - 1] })));
    const who = isActive && !game.outcome ? turnWords(state, player) : playerName(state, player);
    const line = html("p", { class: "who" }, who);
    line.style.setProperty("--letters", String(who.length)); // a long name is written smaller
    const near = isActive ? drawNear(game) : "";
    const parts = isOut ? [html("p", { class: "what" }, words("is_out"))] : isActive ? [what] : [];
    if (near) parts.push(html("p", { class: "near" }, near));
    card.append(pebbleIcon(player, player * 5 + 1, "face"), html("div", { class: "words" }, line, ...parts, hand), ...time);
    cards.push(card);
  }
  const after = cards.map((card) => card.outerHTML).join("");
  if (pictures.get(frame) === after) return; // nothing but the clocks has changed
  pictures.set(frame, after);
  // A card keeps its element, so that CSS shows how the card of the active player grows.
  if (frame.children.length === cards.length) {
    cards.forEach((card, k) => {
      const old = frame.children[k];
      old.className = card.className;
      old.toggleAttribute("aria-current", card.hasAttribute("aria-current"));
      old.replaceChildren(...card.childNodes);
    });
  } else frame.replaceChildren(...cards);
}

/** How near a draw by counting is, empty while it is far. @param {import("../common/types.js").GameView} game */
export function drawNear(game) {
  const turnsLeft = game.quiet_turns_left;
  const parts = [];
  if (turnsLeft !== null && turnsLeft <= game.warned_turns) parts.push(words(turnsLeft === 1 ? "near.last_turn" : "near.turns", { n: turnsLeft }));
  const times = game.occurrences ?? 1;
  if (times > 1) parts.push(words("near.position", { n: times }));
  return parts.join(" ");
}

/** @param {Named & {game: import("../common/types.js").GameView, partner?: {lays: boolean}}} state */
export function whatToDo(state) {
  const { game } = state;
  if (game.outcome) return words("do.won");
  if (game.foul) return words("do.foul");
  if (state.partner?.lays) return words("partner.thinking");
  return game.to_do[language] ?? "";
}

/** The board in words, for screen readers. @param {import("../common/types.js").Snapshot} next */
export function boardWords(next) {
  const { game } = next;
  const parts = [];
  for (let player = 1; player <= game.players; player += 1) {
    const points = Object.entries(game.stacks).filter(([, stack]) => stack.at(-1)?.[1] === player).map(([name]) => pointName(name));
    parts.push(words("label", { name: playerName(next, player), text: points.join(", ") || words("nothing") }));
  }
  if (game.to_move) parts.push(`${turnWords(next, game.to_move)} ${whatToDo(next)}`);
  return parts.join(". ");
}
