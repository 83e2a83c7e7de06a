// @ts-check
/** The film of a game: how far it is while one waits, and the file at the end. */

import { byId } from "../common/dom.js";
import { words } from "../common/words.js";

const button = byId("make-film");

button.addEventListener("click", () => {
  const began = performance.now(), stream = new EventSource(`/api/games/${button.dataset.game}/film`);
  /** @param {string} text */
  const end = (text) => {
    stream.close(); // else it would be made again
    button.disabled = false;
    byId("film-said").textContent = text;
  };
  button.disabled = true;
  stream.addEventListener("scene", ({ data }) => {
    const { n, of, film } = JSON.parse(data);
    const seconds = Math.ceil((performance.now() - began) / 1000 / n * (of - n));
    byId("film-said").textContent = words("game_film.progress", { n, of, seconds });
    if (film) {
      const bytes = Uint8Array.from(atob(film), (letter) => letter.charCodeAt(0));
      const href = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
      Object.assign(document.createElement("a"), { href, download: `millchen-${button.dataset.game}.webm` }).click();
      end(words("game_film.done"));
    }
  });
  stream.addEventListener("error", () => end(words("game_film.failed")));
});
