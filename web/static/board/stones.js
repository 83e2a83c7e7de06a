// @ts-check
/** The stones on a drawn board. One that only moved keeps its element, so that CSS shows the movement. */

import { svg } from "../common/dom.js";
import { pointSeed } from "./marks.js";
import { PEBBLE_RADIUS, pebble } from "./pebble.js";

/** @import {GameView} from "../common/types.js" */
/** @typedef {{paint: number, owner: number, group: SVGElement}} Stone */

const GOING_MS = 700; // as in style.css

export class Stones {
  /** @param {SVGElement} layer @param {import("./geometry.js").Geometry} geometry */
  constructor(layer, geometry) {
    this.layer = layer;
    this.geometry = geometry;
    /** For each point its stones, bottom first. @type {Map<string, Stone[]>} */
    this.lying = new Map();
    /** The game that is shown, its number of turns, and the turn whose rotation has been drawn already. */
    this.game = -1;
    this.ply = -1;
    this.rotatedPly = -1;
  }

  /** Begin anew: the next position is shown without movements. */
  forget() {
    this.game = -1;
  }

  /** @param {GameView} game */
  show(game) {
    const isFirst = game.id !== this.game;
    if (isFirst) {
      this.layer.replaceChildren();
      this.lying.clear();
    } else this.moveWithRing(game);
    this.lay(game, isFirst);
    this.game = game.id;
    this.ply = game.ply;
  }

  /** @param {GameView} game @param {boolean} isFirst */
  lay(game, isFirst) {
    /** @type {Map<string, Stone[]>} */
    const next = new Map();
    /** @type {Stone[]} */
    const loose = [];
    /** @type {{name: string, level: number, paint: number, owner: number}[]} */
    const newStones = [];
    for (const name of this.geometry.places.keys()) {
      const have = this.lying.get(name) ?? [], want = game.stacks[name] ?? [];
      let same = 0;
      while (same < have.length && same < want.length && have[same].paint === want[same][0]) same += 1;
      next.set(name, have.slice(0, same).map((stone, level) => ({ ...stone, owner: want[level][1] })));
      loose.push(...have.slice(same));
      want.slice(same).forEach(([paint, owner], k) => newStones.push({ name, level: same + k, paint, owner }));
    }
    for (const { name, level, paint, owner } of newStones) {
      const index = loose.findIndex((stone) => stone.paint === paint);
      const group = index >= 0 ? loose.splice(index, 1)[0].group : this.add(paint, game.ply + level + pointSeed(name), isFirst);
      next.get(name)?.push({ paint, owner, group });
      this.place(group, name, level);
    }
    for (const { group } of loose) {
      group.classList.add("going");
      setTimeout(() => group.remove(), GOING_MS);
    }
    this.lying = next;
  }

  /** Move the stones of a ring that was rotated. @param {GameView} game */
  moveWithRing(game) {
    const turn = game.ply + (game.owed > 0 ? 1 : 0);
    const rotated = game.last?.moves.find((move) => move.act === "rotate" && move.ring !== null);
    if (!rotated || turn !== this.ply + 1 || turn === this.rotatedPly) return;
    this.rotatedPly = turn;
    const ring = this.geometry.rings[rotated.ring] ?? [];
    const stood = ring.map((name) => this.lying.get(name) ?? []);
    stood.forEach((stones, k) => {
      const to = ring[(k + rotated.steps + ring.length) % ring.length];
      this.lying.set(to, stones);
      stones.forEach(({ group }, level) => this.place(group, to, level));
    });
  }

  /** @param {number} paint @param {number} seed @param {boolean} isFirst */
  add(paint, seed, isFirst) {
    const stone = svg("g", { transform: `scale(${this.geometry.radius / PEBBLE_RADIUS})` }, pebble(paint, seed));
    const group = svg("g", { class: isFirst ? "pebble" : "pebble coming" }, svg("g", { class: "lift" }, stone));
    this.layer.append(group);
    if (!isFirst) requestAnimationFrame(() => requestAnimationFrame(() => group.classList.remove("coming")));
    return group;
  }

  /** @param {SVGElement} group @param {string} name @param {number} level */
  place(group, name, level) {
    const { x, y } = this.geometry.centreOf(name, level);
    group.style.transform = `translate(${x}px, ${y}px)`;
  }
}
