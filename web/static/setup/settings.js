// @ts-check
/** The settings: the voice of this browser with a try-out, whether the table keeps photographs of turns, and copies of the games. */

import { attempt, send } from "../common/ask.js";
import { byId, onClick, seek } from "../common/dom.js";
import { language, words } from "../common/words.js";
import { browserVoice, isVoiceOn, setVoiceOn, setVolume, speak, volume } from "../table/voice_settings.js";

const isOn = byId("voice-on"), level = byId("volume");
const computerSpeaks = (byId("voice-settings").dataset.voices ?? "").split(" ").includes(language);

isOn.checked = isVoiceOn();
isOn.addEventListener("change", () => setVoiceOn(isOn.checked));
level.value = String(Math.round(100 * volume()));
level.addEventListener("input", () => setVolume(Number(level.value) / 100));
onClick("try-voice", tryOut);
window.speechSynthesis?.addEventListener?.("voiceschanged", showVoice); // some browsers find their voices late
showVoice();

function showVoice() {
  const voice = browserVoice();
  byId("voice-missing").hidden = Boolean(voice) || computerSpeaks;
  byId("voice-said").textContent = voice || !computerSpeaks ? "" : words("settings.voice.computer");
}

function tryOut() {
  const voice = browserVoice();
  if (voice) {
    speak(words("settings.voice.sentence"), voice);
    byId("voice-said").textContent = `„${words("settings.voice.sentence")}“`;
  } else if (computerSpeaks) {
    const sound = new Audio(`/say/${language}/trial.wav`);
    sound.volume = volume();
    sound.play().catch(() => { byId("voice-missing").hidden = false; });
  } else byId("voice-missing").hidden = false;
}

const photographs = seek("keep-photographs"); // the referee's
photographs?.addEventListener("change", async () => {
  const isKept = await attempt(byId("photos-error"), () => send("/api/photographs", { on: photographs.checked }));
  if (!isKept) photographs.checked = !photographs.checked;
});

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-copy]"))) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    byId("copy-said").textContent = await takeBack(String(button.dataset.copy)).catch((why) => why.message);
    button.disabled = false;
  });
}

/** @param {string} copy */
async function takeBack(copy) {
  const { games, records, left } = await send("/api/settings/restore", { copy });
  const sentence = words("settings.copy.taken", { games, records });
  return left.length ? `${sentence} ${words("settings.copy.left", { games: left.join(", ") })}` : sentence;
}
