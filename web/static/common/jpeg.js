// @ts-check
/** A picture that somebody has chosen, as a JPEG no larger than the eyes need, whatever the file was. */

import { words } from "./words.js";

const MAX_SIDE_PX = 1920;

/** @param {Blob} file */
export async function asJpeg(file) {
  const picture = await createImageBitmap(file).catch(() => { throw new Error(words("no_picture")); });
  return jpegOf(picture, picture.width, picture.height, MAX_SIDE_PX, 0.92);
}

/**
 * @param {CanvasImageSource} source @param {number} width @param {number} height of it
 * @param {number} most the longest side of the JPEG, in pixels @param {number} quality 0 to 1 @returns {Promise<Blob>}
 */
export async function jpegOf(source, width, height, most, quality, canvas = document.createElement("canvas")) {
  const scale = Math.min(1, most / Math.max(width, height, 1));
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d")?.drawImage(source, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((jpeg) => (jpeg ? done(jpeg) : failed(new Error(words("no_picture")))), "image/jpeg", quality));
}
