// @ts-check
/** A phone as the camera: it sends one picture after the other, the next one when the server has taken the one before. */

import { ask } from "../common/ask.js";
import { byId, onClick } from "../common/dom.js";
import { jpegOf } from "../common/jpeg.js";
import { pause } from "../common/live_picture.js";
import { keepAwake } from "../common/wake_lock.js";
import { words } from "../common/words.js";

const MAX_SIDE_PX = 1280, QUALITY = 0.85;
const MIN_INTERVAL_MS = 80, ANSWER_MS = 8000;
const RETRY_MS = 1000; // after a change of network or a locked screen it continues without help

const view = /** @type {HTMLVideoElement} */ (byId("view")), canvas = document.createElement("canvas");
let isSending = false;

/** @param {string} text */
const say = (text) => { byId("sending").textContent = text; };

async function begin() {
  if (!navigator.mediaDevices) {
    say(words("phone.insecure"));
    return;
  }
  try {
    const constraints = { facingMode: { ideal: "environment" }, width: { ideal: MAX_SIDE_PX }, height: { ideal: 720 } };
    view.srcObject = await navigator.mediaDevices.getUserMedia({ video: constraints, audio: false });
    await view.play();
  } catch {
    say(words("phone.refused"));
    return;
  }
  byId("start").hidden = true;
  keepAwake(true); // the pictures stop when the screen goes off
  if (!isSending) send();
}

async function send() {
  isSending = true;
  while (view.srcObject) {
    const began = performance.now();
    try {
      const jpeg = await jpegOf(view, view.videoWidth, view.videoHeight, MAX_SIDE_PX, QUALITY, canvas);
      const { used } = await ask("/api/camera", jpeg, AbortSignal.timeout(ANSWER_MS));
      say(words(used ? "phone.used" : "phone.unused"));
    } catch {
      say(words("not_connected"));
      await pause(RETRY_MS);
    }
    await pause(Math.max(0, MIN_INTERVAL_MS - (performance.now() - began)));
  }
  isSending = false;
}

onClick("start", begin);
