// @ts-check
/** The menu of the game: redo a turn, keep photographs; `end_game.js` ends it. */

import { byId } from "../common/dom.js";
import { send } from "./commands.js";
import { words } from "../common/words.js";

export class GameMenu {
  /** @param {(why: Error) => void} showError */
  constructor(showError) {
    this.showError = showError;
    this.menu = byId("more-menu");
    byId("redo").addEventListener("click", () => send("/api/redo", {}).catch(this.showError));
    byId("photos").addEventListener("click", () => send("/api/photographs", { on: byId("photos").dataset.on !== "true" }).catch(this.showError));
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
