// @ts-check
/** Sends one photograph of a board to be read; its position has a page of its own. Where no board is found, people show its corners. */

import { cornerGrips, drawGrips } from "../board/grips.js";
import { areSure, ask, complain, Refusal } from "../common/ask.js";
import { byId, part } from "../common/dom.js";
import { asJpeg } from "../common/jpeg.js";
import { words } from "../common/words.js";

const UNREAD = 422; // status of the answer where the picture shows no board that can be read

export class PhotographReader {
  /**
   * @param {"film" | "another"} place with which the ids of its lines and its button begin
   * @param {() => {game: string, board: string}} asked what the photograph is meant to show
   */
  constructor(place, asked) {
    this.asked = asked;
    this.said = byId(`${place}-said`);
    this.error = byId(`${place}-error`);
    this.offer = byId(`${place}-corners`);
    /** @type {Blob | null} */
    this.jpeg = null;
    this.offer.addEventListener("click", () => this.readAtCorners());
  }

  /** @param {File} file */
  read(file) {
    this.jpeg = null;
    return this.run(async () => { this.jpeg = await asJpeg(file); });
  }

  async readAtCorners() {
    const corners = this.jpeg && await showCorners(this.jpeg, await placesOf(this.asked().board));
    if (corners) await this.run(async () => {}, `&corners=${corners.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`)}`);
  }

  /** Prepare a photograph and send it. @param {() => Promise<void>} prepare */
  async run(prepare, more = "") {
    this.tell(words("position.reading"));
    try {
      await prepare();
      const { number } = await ask(`/api/positions?game=${this.asked().game}${more}`, this.jpeg ?? undefined);
      location.href = `/positions/${number}`;
    } catch (why) {
      this.tell("");
      complain(this.error, /** @type {Error} */ (why).message);
      this.offer.hidden = !(why instanceof Refusal && why.status === UNREAD);
      (this.offer.hidden ? this.error : this.offer).scrollIntoView({ block: "nearest" });
    }
  }

  /** @param {string} text */
  tell(text) {
    this.error.hidden = this.offer.hidden = true;
    complain(this.said, text);
  }
}

/** The points of a board, in thousandths of its side. @param {string} board */
async function placesOf(board) {
  const answer = await fetch(`/boards/${board}.svg`);
  return [...(await answer.text()).matchAll(/data-x="([^"]+)" data-y="([^"]+)"/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
}

/**
 * Let people show the corners of the board in a picture.
 * @param {Blob} jpeg @param {{x: number, y: number}[]} places
 * @returns {Promise<{x: number, y: number}[] | null>} clockwise from the upper left one; null where they do not
 */
async function showCorners(jpeg, places) {
  const dialog = byId("corner-dialog"), canvas = part(dialog, "canvas"), overlay = part(dialog, ".overlay");
  const picture = await createImageBitmap(jpeg), { width, height } = picture, corners = cornerGrips(picture, null);
  Object.assign(canvas, { width, height }).getContext("2d").drawImage(picture, 0, 0);
  picture.close();
  overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
  drawGrips(overlay, corners, { width, height }, { places });
  return await areSure(dialog) ? corners : null;
}
