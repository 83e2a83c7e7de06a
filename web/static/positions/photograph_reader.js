// @ts-check
/** Sends one photograph of a board to be read; its position has a page of its own. Where no board is found, people show its corners. */

import { drawGrips, usualCorners } from "../board/corner_grips.js";
import { byId } from "../common/dom.js";
import { asJpeg, postPicture } from "../common/picture_sender.js";
import { words } from "../common/words.js";

const UNREAD = 422; // status of the answer where the picture shows no board that can be read

export class PhotographReader {
  /**
   * @param {string} place with which the ids of its lines and its button begin
   * @param {() => {game: string, board: string}} asked what the photograph is meant to show
   */
  constructor(place, asked) {
    this.asked = asked;
    this.said = byId(`${place}-said`);
    this.error = byId(`${place}-error`);
    this.offer = byId(`${place}-corners`);
    /** @type {Blob | null} */
    this.jpeg = null;
    this.offer.addEventListener("click", () => this.readAtCorners().catch((why) => this.complain(why)));
  }

  /** @param {File} file */
  async read(file) {
    this.tell(words("position.reading"));
    this.jpeg = null;
    try {
      this.jpeg = await asJpeg(file);
      await this.send();
    } catch (why) {
      this.complain(/** @type {Error} */ (why));
    }
  }

  async readAtCorners() {
    if (!this.jpeg) return;
    const corners = await showCorners(this.jpeg, await placesOf(this.asked().board));
    if (!corners) return;
    this.tell(words("position.reading"));
    await this.send(`&corners=${corners.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`)}`);
  }

  async send(more = "") {
    if (!this.jpeg) return;
    const { number } = await postPicture(`/api/positions?game=${this.asked().game}${more}`, this.jpeg);
    location.href = `/positions/${number}`;
  }

  /** @param {string} text */
  tell(text) {
    this.error.hidden = this.offer.hidden = true;
    this.said.hidden = !text;
    this.said.textContent = text;
  }

  /** @param {Error} why */
  complain(why) {
    this.tell("");
    this.error.textContent = why.message;
    this.error.hidden = false;
    this.offer.hidden = why.cause !== UNREAD;
    (this.offer.hidden ? this.error : this.offer).scrollIntoView({ block: "nearest" });
  }
}

/** The points of a board, in thousandths of its side. @param {string} board */
async function placesOf(board) {
  const answer = await fetch(`/boards/${board}.svg`);
  return [...(await answer.text()).matchAll(/data-x="([^"]+)" data-y="([^"]+)"/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
}

/**
 * Let people show the corners of the board in a picture.
 * @param {Blob} jpeg
 * @param {{x: number, y: number}[]} places
 * @returns {Promise<{x: number, y: number}[] | null>} clockwise from the upper left one; null where they do not
 */
async function showCorners(jpeg, places) {
  const dialog = byId("corner-dialog"), canvas = dialog.querySelector("canvas"), overlay = dialog.querySelector(".overlay");
  const picture = await createImageBitmap(jpeg), { width, height } = picture, corners = usualCorners(picture);
  Object.assign(canvas, { width, height }).getContext("2d").drawImage(picture, 0, 0);
  picture.close();
  overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
  drawGrips(overlay, corners, { width, height }, places);
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  return dialog.returnValue === "yes" ? corners : null;
}
