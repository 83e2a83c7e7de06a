// @ts-check
/** The menu of the game: resign, agree on a draw, redo a turn, keep photographs. */

import { byId, html, send } from "../common/dom.js";
import { playerName } from "../board/players.js";
import { words } from "../common/words.js";

export class GameMenu {
  /** @param {(why: Error) => void} showError */
  constructor(showError) {
    this.showError = showError;
    this.shown = "";
    this.menu = byId("more-menu");
    byId("redo").addEventListener("click", () => this.send("/api/redo", {}));
    byId("draw").addEventListener("click", () => this.confirm(byId("draw").textContent, { how: "agreed" }));
    byId("photos").addEventListener("click", () => this.send("/api/photographs", { on: byId("photos").dataset.on !== "true" }));
    this.menu.addEventListener("click", () => this.menu.hidePopover());
    this.menu.addEventListener("toggle", () => this.position());
    /** @type {object | null} */
    this.waiting = null;
    byId("sure-end").addEventListener("close", () => {
      if (byId("sure-end").returnValue === "yes" && this.waiting) this.send("/api/end", this.waiting);
      this.waiting = null;
    });
  }

  /** @param {import("../common/types.js").State} state */
  show(state) {
    const { game } = state;
    const isOver = Boolean(game.outcome);
    byId("redo").hidden = !game.can_redo;
    byId("draw").hidden = isOver;
    byId("photos").dataset.on = String(game.photographs);
    byId("photos").textContent = game.photographs ? words("photos_off") : words("photos_on");
    const names = Array.from({ length: game.players }, (_, k) => playerName(state, k + 1));
    const shown = JSON.stringify([names, isOver]);
    if (shown === this.shown) return;
    this.shown = shown;
    byId("give-up").replaceChildren(...(isOver ? [] : names.map((player, k) => {
      const button = html("button", { type: "button" }, words("give_up", { player }));
      button.addEventListener("click", () => this.confirm(words("give_up", { player }), { how: "resigned", player: k + 1 }));
      return button;
    })));
  }

  /** Place the menu above or below its button, inside the window. */
  position() {
    const at = byId("more").getBoundingClientRect(), size = this.menu.getBoundingClientRect();
    this.menu.style.left = `${Math.max(8, Math.min(at.right - size.width, innerWidth - size.width - 8))}px`;
    this.menu.style.top = `${at.bottom + size.height + 8 < innerHeight ? at.bottom + 4 : Math.max(8, at.top - size.height - 4)}px`;
  }

  /** Ask before a command that ends the game. @param {string} title @param {object} body */
  confirm(title, body) {
    this.waiting = body;
    byId("sure-end-words").textContent = title;
    byId("sure-end").returnValue = "";
    byId("sure-end").showModal();
  }

  /** @param {string} path @param {object} body */
  send(path, body) {
    send(path, body).catch(this.showError);
  }
}
