// @ts-check
/** A phone as the camera: one picture after the other, the next one only when the table has taken the one before. */

import { byId } from "../common/dom.js";
import { words } from "../common/words.js";

const MOST_SIDE = 1280;
const AT_MOST_EVERY_MS = 80;

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
    const wanted = { facingMode: { ideal: "environment" }, width: { ideal: MOST_SIDE }, height: { ideal: 720 } };
    view.srcObject = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
    await view.play();
  } catch {
    say(words("phone.refused"));
    return;
  }
  start.hidden = true;
  keepAwake();
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
        body: await shot(),
        signal: AbortSignal.timeout(8000),
      });
      if (!answer.ok) throw new Error(answer.statusText);
      const { used } = await answer.json();
      say(words(used ? "phone.used" : "phone.unused"));
    } catch {
      say(words("not_connected"));
      await pause(1000); // another network, a locked screen: it goes on by itself
    }
    await pause(Math.max(0, AT_MOST_EVERY_MS - (performance.now() - began)));
  }
  isSending = false;
}

/** @returns {Promise<Blob>} the picture that the camera shows now */
function shot() {
  const scale = Math.min(1, MOST_SIDE / Math.max(view.videoWidth, view.videoHeight, 1));
  canvas.width = Math.round(view.videoWidth * scale);
  canvas.height = Math.round(view.videoHeight * scale);
  canvas.getContext("2d")?.drawImage(view, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/jpeg", 0.85));
}

/** The screen stays on where the browser lets us; after a lock it is asked for again. */
async function keepAwake() {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // The phone saves its battery; the picture stops when its screen does.
  }
}

start.addEventListener("click", begin);
document.addEventListener("visibilitychange", () => { if (!document.hidden && view.srcObject) keepAwake(); });
