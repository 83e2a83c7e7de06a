// @ts-check
/** Sends a picture that somebody has chosen: as a JPEG no larger than the eyes need, whatever the file was. */

import { words } from "./words.js";

const MAX_SIDE_PX = 1920;

/**
 * @param {string} path
 * @param {Blob} file
 * @returns {Promise<any>} the answer; a refusal is thrown with its sentence
 */
export async function sendPicture(path, file) {
  return postPicture(path, await asJpeg(file));
}

/** Send a JPEG as it is; the `cause` of what is thrown is the status. @param {string} path @param {Blob} jpeg @returns {Promise<any>} */
export async function postPicture(path, jpeg) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "image/jpeg" }, body: jpeg });
  const told = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(told?.error?.text ?? answer.statusText, { cause: answer.status });
  return told;
}

/** @param {Blob} file */
export async function asJpeg(file) {
  const picture = await createImageBitmap(file).catch(() => { throw new Error(words("no_picture")); });
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  /** @type {Blob | null} */
  const jpeg = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
  if (!jpeg) throw new Error(words("no_picture"));
  return jpeg;
}
