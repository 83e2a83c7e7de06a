// @ts-check
/**
 * The question of the start: does the game go on that was not over when Millchen ended, or is that begun which the command
 * asked for? Nobody has to answer: the game goes on meanwhile, and its next turn is the answer.
 */

import { byId, onClick } from "../common/dom.js";
import { timeText } from "../common/date_times.js";
import { playerName } from "../board/players.js";
import { order } from "./commands.js";
import { words } from "../common/words.js";

export class Offer {
  constructor() {
    this.section = byId("offer");
    this.photograph = byId("offer-photograph");
    this.number = 0;
    onClick("offer-yes", () => order("/api/go-on", { game: this.number }));
    onClick("offer-instead", () => order("/api/go-on", { game: null }));
  }

  /** @param {import("../common/types.js").Snapshot} next */
  show(next) {
    const { offer, game } = next, isNew = Boolean(offer) && this.section.hidden;
    this.section.hidden = !offer;
    if (!offer || !isNew) return;
    this.number = offer.game;
    const players = Array.from({ length: game.players }, (_, k) => playerName(next, k + 1)).join(" – ");
    byId("offer-title").textContent = words("go_on.title", { n: offer.game });
    byId("offer-about").textContent = words("go_on.about", { game: words(`game.${game.name}`), players, n: game.ply });
    byId("offer-played").textContent = words("go_on.last", { when: timeText(offer.played) });
    const { game: wanted, source } = offer.instead;
    byId("offer-instead").textContent = /^demo(:|$)/.test(String(source)) ? words("go_on.demo") : words("go_on.begin", { game: words(`game.${wanted}`) });
    this.photograph.hidden = offer.photograph === null;
    if (offer.photograph !== null) this.photograph.src = `/games/${offer.game}/photographs/${offer.photograph}.jpg`;
    if (document.activeElement === document.body) byId("offer-yes").focus({ preventScroll: true }); // Enter goes on
  }
}
