// @ts-check
/** What this browser remembers of the voice, and the browser's own voice for the language of the page. */

import { language } from "../common/words.js";

const ON = "millchen.voice", VOLUME = "millchen.volume";

export function isVoiceOn() {
  return localStorage.getItem(ON) !== "off";
}

/** @param {boolean} isOn */
export function setVoiceOn(isOn) {
  localStorage.setItem(ON, isOn ? "on" : "off");
}

/** How loud the referee speaks, 0 to 1. */
export function volume() {
  const volume = Number.parseFloat(localStorage.getItem(VOLUME) ?? "1");
  return Number.isFinite(volume) ? Math.min(1, Math.max(0, volume)) : 1;
}

/** @param {number} level 0 to 1 */
export function setVolume(level) {
  localStorage.setItem(VOLUME, String(level));
}

/** The best voice of the browser in exactly the language of the page, or null. */
export function browserVoice() {
  const voices = window.speechSynthesis?.getVoices() ?? [];
  const fitting = voices.filter((voice) => voice.lang.toLowerCase().split(/[-_]/)[0] === language);
  return fitting.find((voice) => voice.localService) ?? fitting[0] ?? null;
}

/** Say nothing, in answer to a tap: a phone that has spoken then also speaks later, when nobody taps. */
export function prime() {
  if (!window.speechSynthesis) return;
  const silence = new SpeechSynthesisUtterance(" ");
  silence.volume = 0;
  window.speechSynthesis.speak(silence);
}

/** @param {string} sentence @param {SpeechSynthesisVoice} voice */
export function speak(sentence, voice) {
  const spoken = new SpeechSynthesisUtterance(sentence);
  spoken.voice = voice;
  spoken.lang = voice.lang;
  spoken.rate = 0.95;
  spoken.volume = volume();
  window.speechSynthesis.speak(spoken);
}
