// @ts-check
/** What is marked on a position: told once, by the names of points, and drawn on every ground that knows where they lie. */

import { svg } from "../common/dom.js";
import { PEBBLE_RADIUS, pebble } from "./pebble.js";

/** @import {Act, Action, FoulView, GameView, Proposed, Told} from "../common/types.js" */
/** @import {Place} from "./geometry.js" */
/**
 * @typedef {{shape: "ring" | "cross" | "stone" | "name", kind: string, at: string, level: number, size: number, paint?: number}} Spot
 *   a mark at a point; its size in radii of a stone
 * @typedef {{shape: "arrow" | "arc", kind: string, from: string, to: string, steps: number}} Way from one point to another
 * @typedef {Spot | Way} Mark
 * @typedef {{under: Mark[], over: Mark[]}} Marks below and above the stones
 * @typedef {Pick<GameView, "stacks">} Stacks
 * @typedef {{radius: number, centreOf: (name: string, level?: number) => Place, along: (from: string, to: string, steps: number) => string}} Ground
 *   the board, or the camera's picture: how large a stone is, and where a ring leads from one point to another
 */

/** @param {string} kind @param {string} at @param {number} size @returns {Spot} */
export const ring = (kind, at, size, level = 0) => ({ shape: "ring", kind, at, size, level });
/** @param {string} kind @param {string} at @param {number} size @returns {Spot} */
const cross = (kind, at, size, level = 0) => ({ shape: "cross", kind, at, size, level });
/** @param {string} kind @param {string} at @param {number} paint @returns {Spot} */
export const stone = (kind, at, paint, level = 0) => ({ shape: "stone", kind, at, size: 1, level, paint });
/** @param {string} kind @param {string} from @param {string} to @returns {Way} */
const arrow = (kind, from, to) => ({ shape: "arrow", kind, from, to, steps: 0 });

/** How many stones lie on a point. @param {Stacks} game @param {string} at */
const height = ({ stacks }, at) => (stacks[at] ?? []).length;
/** The level of the top stone. @param {Stacks} game @param {string} at */
const top = (game, at) => Math.max(0, height(game, at) - 1);

/** The foul, or else the last turn. @param {GameView} game @param {string[][]} rings @returns {Marks} */
export function marks(game, rings) {
  if (game.foul) return foulMarks(game.foul, game);
  /** @type {Marks} */
  const { under, over } = { under: [], over: [] };
  for (const move of game.last?.moves ?? []) {
    if (move.act === "place" || move.act === "move") under.push(ring("last-ring", move.to, 1.24));
    if (move.act === "move") {
      under.push(ring("last-ghost", move.from, 0.8));
      over.push(arrow("last-arrow", move.from, move.to));
    }
    if (move.act === "rotate") over.push(...arcs("last-arrow", move, rings, game, 0));
    if (move.act === "capture") {
      const owner = game.last?.taken?.[move.at];
      under.push(...(owner ? [stone("taken-stone", move.at, owner)] : []), cross("taken", move.at, 0.42));
    }
  }
  return { under, over };
}

/** What is wrong, and what has to be put right. @param {FoulView} foul @param {Stacks} game @returns {Marks} */
function foulMarks(foul, game) {
  const stepPoints = foul.steps.flatMap(({ from, to }) => [from, to]).filter((name) => name !== null);
  const over = foul.steps.flatMap(({ paint, from, to }) => [
    ...(from ? [stone("wrong", from, paint, height(game, from)), to ? arrow("foul-arrow", from, to) : cross("foul-cross", from, 0.5)] : []),
  ]);
  return {
    under: [...new Set([...foul.points, ...stepPoints])].map((name) => ring("foul-ring", name, 1.3)),
    over: [...over, ...stepPoints.map((at) => /** @type {Spot} */ ({ shape: "name", kind: "name-tag", at, size: 1, level: top(game, at) }))],
  };
}

/** A turn that is still to be made: the stone that is meant, an arrow, and where it goes. @param {Proposed | null} told @param {GameView} game @param {string[][]} rings */
export function meantMarks(told, game, rings) {
  /** @param {string} at @param {number} paint @returns {Mark[]} */
  const goal = (at, paint) => [stone("meant-stone", at, paint, height(game, at)), ring("meant-ring goal-ring", at, 1.2, height(game, at))];
  return (told?.moves ?? []).flatMap((move) => {
    switch (move.act) {
      case "place": return goal(move.to, told?.player ?? 0);
      case "move": return [ring("meant-ring", move.from, 1.2, top(game, move.from)),
        ...goal(move.to, game.stacks[move.from]?.at(-1)?.[0] ?? told?.player ?? 0), arrow("meant-arrow", move.from, move.to)];
      case "capture": return [ring("meant-ring taking", move.at, 1.2, top(game, move.at)), cross("meant-cross", move.at, 0.62, top(game, move.at))];
      case "rotate": return arcs("meant-arrow", move, rings, game, move.steps ?? 0);
      default: return [];
    }
  });
}

/** The better turn as the last one, and the played one as a foul where it was another. @param {Told} told @param {GameView} game before both @param {string[][]} rings */
export function betterMarks(told, game, rings) {
  const better = marks({ ...game, last: { player: told.player, moves: told.best, mills: [], taken: {} } }, rings);
  const same = new Set(told.best.map((move) => JSON.stringify(move)));
  for (const move of told.played) {
    if (same.has(JSON.stringify(move))) continue;
    if (move.act === "place") better.under.push(ring("foul-ring", move.to, 1.3));
    if (move.act === "capture") better.under.push(ring("foul-ring", move.at, 1.3));
    if (move.act === "move") better.over.push(arrow("foul-arrow", move.from, move.to));
  }
  return better;
}

/** What may be done by hand, and the stone that was chosen. @param {Act[]} acts @param {string} from @param {Stacks} game */
export function actMarks(acts, from, game) {
  const selection = from ? [ring("chosen-ring", from, 1.2)] : [];
  return [...selection, ...acts.flatMap((act) => {
    if (act.act === "capture") return [ring("prey-ring", String(act.at), 1.24)];
    if (from) return act.from === from ? [ring("goal", String(act.to), 0.42)] : [];
    return act.act === "place" && !height(game, String(act.to)) ? [ring("goal faint", String(act.to), 0.3)] : [];
  })];
}

/**
 * Arrows around a ring: one for each stone that it carries, or three where it has none.
 * @param {string} kind @param {Extract<Action, {act: "rotate"}>} move @param {string[][]} rings @param {Stacks} game
 * @param {number} back how far the stones still lie before the ends of the arrows
 * @returns {Way[]}
 */
function arcs(kind, move, rings, game, back) {
  const names = rings[move.ring ?? -1] ?? [], n = names.length, steps = move.steps ?? 0;
  const carried = names.filter((_, k) => height(game, names[(k - back + n) % n]));
  const thirds = names.filter((_, k) => [0, 1, 2].some((third) => Math.round((third * n) / 3) % n === k));
  return (carried.length ? carried : thirds).map((to) => ({ shape: "arc", kind, from: names[(names.indexOf(to) - steps + n) % n], to, steps }));
}

/** The mills that stand, and whether the last turn has closed them. @param {GameView} game */
export function mills(game) {
  const fresh = new Set((game.last?.mills ?? []).map(millKey));
  return game.mills.map((line) => ({ line, key: millKey(line), isFresh: fresh.has(millKey(line)) }));
}

/** @param {string[]} line */
export const millKey = (line) => [...line].sort().join(" ");

/** Draw a mark. @param {Mark} mark @param {Ground} ground */
export function draw(mark, ground) {
  const { kind: name } = mark, { radius } = ground;
  if ("from" in mark) {
    const { from, to, steps } = mark;
    return svg("path", { class: name, d: mark.shape === "arc" ? ground.along(from, to, steps) : curvedPath(ground.centreOf(from), ground.centreOf(to), radius) });
  }
  const { x, y } = ground.centreOf(mark.at, mark.level), r = mark.size * radius;
  if (mark.shape === "ring") return svg("circle", { class: name, cx: x, cy: y, r });
  if (mark.shape === "cross") return svg("path", { class: name, d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}` });
  return lyingPebble(mark.paint ?? 0, pointSeed(mark.at), radius, name, { x, y });
}

/** A stone at a place of a drawing. @param {number} paint @param {number} seed @param {number} radius @param {string} kind @param {Place} at */
export function lyingPebble(paint, seed, radius, kind, { x, y }) {
  return svg("g", { class: `pebble ${kind}`, transform: `translate(${x} ${y}) scale(${radius / PEBBLE_RADIUS})` }, pebble(paint, seed));
}

/** What gives each point a pebble of its own. @param {string} name */
export function pointSeed(name) {
  return [...name].reduce((sum, letter) => sum * 7 + letter.charCodeAt(0), 0);
}

/** The SVG path of a curve from a to b, which leaves the stones there free. @param {Place} a @param {Place} b @param {number} radius of a stone */
export function curvedPath(a, b, radius) {
  const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
  const start = { x: a.x + (dx / length) * 0.5 * radius, y: a.y + (dy / length) * 0.5 * radius };
  const end = { x: b.x - (dx / length) * 0.95 * radius, y: b.y - (dy / length) * 0.95 * radius };
  const bend = Math.min(0.12 * length, 60);
  const middle = { x: (start.x + end.x) / 2 - (dy / length) * bend, y: (start.y + end.y) / 2 + (dx / length) * bend };
  return `M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
}
