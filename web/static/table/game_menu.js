// @ts-check
/** The menu of the game: redo a turn, keep photographs; `end_game.js` ends it. */

import { byId, onClick } from "../common/dom.js";
import { order } from "./commands.js";
import { words } from "../common/words.js";

export class GameMenu {
  constructor() {
    this.menu = byId("more-menu");
    onClick("redo", () => order("/api/redo", {}));
    onClick("photos", () => order("/api/photographs", { on: byId("photos").dataset.on !== "true" }));
    this.menu.addEventListener("click", () => this.menu.hidePopover());
    this.menu.addEventListener("toggle", () => this.position());
  }

  /** @param {import("../common/types.js").Snapshot} state */
  show(state) {
    const { game } = state;
    byId("redo").hidden = !game.can_redo;
    byId("photos").dataset.on = String(game.photographs);
    byId("photos").hidden = state.source.kind === "hand"; // nobody sees a turn that could be photographed
    byId("photos").textContent = game.photographs ? words("photos_off") : words("photos_on");
  }

  /** Place the menu above or below its button, inside the window. */
  position() {
    const at = byId("more").getBoundingClientRect(), size = this.menu.getBoundingClientRect();
    this.menu.style.left = `${Math.max(8, Math.min(at.right - size.width, innerWidth - size.width - 8))}px`;
    this.menu.style.top = `${at.bottom + size.height + 8 < innerHeight ? at.bottom + 4 : Math.max(8, at.top - size.height - 4)}px`;
  }
}
