// @ts-check
/** Goes on with an unfinished game at the table; where another one is being played there, people are asked first. */

import { areSure, send } from "../common/ask.js";
import { byId } from "../common/dom.js";
import { words } from "../common/words.js";

document.addEventListener("click", async ({ target }) => { // a search replaces the buttons
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-go-on]"));
  if (!button) return;
  const game = Number(button.dataset.goOn);
  const goOn = async () => {
    await send("/api/go-on", { game });
    location.assign("/");
  };
  byId("go-on-title").textContent = words("go_on.title", { n: game });
  const refused = "asks" in button.dataset ? "" : await goOn().catch((why) => why.message);
  if (refused !== undefined) areSure(byId("go-on"), goOn, refused);
});
