// @ts-check
/**
 * Announces the sentences of the referee: as text for screen readers, and aloud with a voice of the browser in exactly
 * that language, else with a voice of the table's computer, else with a chime. A German voice never reads Luxembourgish.
 */

import { byId } from "../common/dom.js";
import { language } from "../common/words.js";
import { browserVoice, isVoiceOn, prime, setVoiceOn, speak, volume } from "./voice_settings.js";

/** Tones of the chimes in Hz. @type {Record<string, number[]>} */
const CHIMES = { task: [], turn: [523], mill: [523, 659, 784], foul: [330, 262], over: [523, 659, 784, 1047], other: [440] };

const HINT_MS = 12_000;

export class Voice {
  constructor() {
    this.region = document.getElementById("said"); // none where the page shows in a live region what is said
    this.button = byId("voice");
    this.isOn = isVoiceOn();
    /** @type {AudioContext | null} */
    this.audio = null;
    /** When the last sentence of the computer's voice ends, in seconds of the audio clock. */
    this.freeAt = 0;
    this.hint = byId("wake");
    this.game = 0; // the number of the game that is on
    /** @type {Set<AudioBufferSourceNode>} */
    this.speaking = new Set();
    this.nHushed = 0; // what was fetched before is not spoken after
    // Browsers allow sound only after a tap or key press on the page; the hint says so when the first sentence comes.
    this.isAwake = navigator.userActivation?.hasBeenActive ?? true;
    this.hasHinted = false;
    this.show();
    this.button.addEventListener("click", () => {
      this.isOn = !this.isOn;
      setVoiceOn(this.isOn);
      this.hint.hidden = true;
      if (!this.isOn) window.speechSynthesis?.cancel();
      this.show();
    });
    addEventListener("click", () => this.wake(), { once: true }); // not before: the hint goes, and what lies below it moves up
    addEventListener("keydown", () => this.wake(), { once: true });
  }

  show() {
    this.button.setAttribute("aria-pressed", String(this.isOn));
  }

  wake() {
    this.isAwake = true;
    this.hint.hidden = true;
    if (!this.audio && "AudioContext" in window) this.audio = new AudioContext();
    prime();
  }

  /** Be silent about the games before this one: what is being said of them ends. @param {number} game */
  follow(game) {
    if (this.game && game !== this.game) {
      this.hush();
      if (this.region) this.region.textContent = "";
    }
    this.game = game;
  }

  /** End what is being said. */
  hush() {
    this.nHushed += 1;
    window.speechSynthesis?.cancel();
    for (const speaking of this.speaking) speaking.stop();
    this.freeAt = 0;
  }

  /** @param {import("../common/types.js").Announcement & {sound?: string}} said `game` is 0 for what belongs to none */
  say(said) {
    const sentence = said.texts[language] ?? "";
    if (!sentence || (said.game && said.game < this.game)) return;
    const { region } = this;
    if (region) {
      region.textContent = ""; // so that the same sentence twice is announced twice
      setTimeout(() => { region.textContent = sentence; }, 60);
    }
    if (!this.isOn) return;
    if (!this.isAwake && !this.hasHinted) {
      this.hasHinted = true;
      this.hint.hidden = false;
      setTimeout(() => { this.hint.hidden = true; }, HINT_MS);
    }
    const voice = browserVoice();
    if (voice) speak(said.spoken?.[language] ?? sentence, voice);
    else this.speakThere(said).catch(() => this.chime(CHIMES[said.kind] ?? CHIMES.other));
  }

  /** Speak with a voice of the table's computer, one sentence after the other. @param {import("../common/types.js").Announcement & {sound?: string}} said */
  async speakThere(said) {
    const { audio } = this, has = (this.button.dataset.voices ?? "").split(" ").includes(language);
    const sound = said.sound ?? (said.seq === null ? "" : `${said.seq}.wav`);
    if (!has || !audio || audio.state !== "running" || !sound) throw new Error("there is no voice");
    const { nHushed } = this;
    const answer = await fetch(`/say/${language}/${sound}`);
    if (!answer.ok) throw new Error(answer.statusText);
    const samples = await audio.decodeAudioData(await answer.arrayBuffer());
    if (!this.isOn || nHushed !== this.nHushed) return;
    const speaking = audio.createBufferSource();
    this.speaking.add(speaking);
    speaking.addEventListener("ended", () => this.speaking.delete(speaking));
    speaking.buffer = samples;
    const loudness = audio.createGain();
    loudness.gain.value = volume();
    speaking.connect(loudness).connect(audio.destination);
    this.freeAt = Math.max(this.freeAt, audio.currentTime) + 0.15;
    speaking.start(this.freeAt);
    this.freeAt += samples.duration;
    this.button.dataset.spoken = sound.replace(".wav", "");
  }

  /** @param {number[]} notes */
  chime(notes) {
    const audio = this.audio;
    if (!audio || audio.state !== "running" || volume() === 0) return;
    notes.forEach((hertz, k) => {
      const start = audio.currentTime + k * 0.14;
      const tone = audio.createOscillator();
      const swell = audio.createGain();
      tone.type = "triangle";
      tone.frequency.value = hertz;
      swell.gain.setValueAtTime(0, start);
      swell.gain.linearRampToValueAtTime(0.22 * volume(), start + 0.008);
      swell.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
      tone.connect(swell).connect(audio.destination);
      tone.start(start);
      tone.stop(start + 0.55);
    });
  }
}
