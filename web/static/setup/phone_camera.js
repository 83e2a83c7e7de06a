// @ts-check
/** A phone as the camera: it sends one picture after the other, the next one when the server has taken the one before. */

import { byId } from "../common/dom.js";
import { keepAwake } from "../common/wake_lock.js";
import { words } from "../common/words.js";

const MAX_SIDE_PX = 1280;
const MIN_INTERVAL_MS = 80;

const view = /** @type {HTMLVideoElement} */ (byId("view"));
const start = /** @type {HTMLButtonElement} */ (byId("start"));
const canvas = document.createElement("canvas");
let isSending = false;

/** @param {string} text */
const say = (text) => { byId("sending").textContent = text; };

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function begin() {
  if (!navigator.mediaDevices) {
    say(words("phone.insecure"));
    return;
  }
  try {
    const wanted = { facingMode: { ideal: "environment" }, width: { ideal: MAX_SIDE_PX }, height: { ideal: 720 } };
    view.srcObject = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
    await view.play();
  } catch {
    say(words("phone.refused"));
    return;
  }
  start.hidden = true;
  keepAwake(true); // the pictures stop when the screen goes off
  if (!isSending) send();
}

async function send() {
  isSending = true;
  while (view.srcObject) {
    const began = performance.now();
    try {
      const answer = await fetch("/api/camera", {
        method: "POST",
        headers: { "Content-Type": "image/jpeg" },
        body: await takePicture(),
        signal: AbortSignal.timeout(8000),
      });
      if (!answer.ok) throw new Error(answer.statusText);
      const { used } = await answer.json();
      say(words(used ? "phone.used" : "phone.unused"));
    } catch {
      say(words("not_connected"));
      await pause(1000); // after a change of network or a locked screen it continues without help
    }
    await pause(Math.max(0, MIN_INTERVAL_MS - (performance.now() - began)));
  }
  isSending = false;
}

/** @returns {Promise<Blob>} the present picture of the camera as JPEG */
function takePicture() {
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(view.videoWidth, view.videoHeight, 1));
  canvas.width = Math.round(view.videoWidth * scale);
  canvas.height = Math.round(view.videoHeight * scale);
  canvas.getContext("2d")?.drawImage(view, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/jpeg", 0.85));
}

start.addEventListener("click", begin);
