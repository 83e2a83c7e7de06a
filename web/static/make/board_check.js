// @ts-check
/** "Is my board good?": a photograph, or what the camera sees, is checked and shown with what was found on it. */

import { byId } from "../common/dom.js";
import { complain, game, say, showLines } from "./making.js";
import { sendPicture } from "../common/picture_sender.js";

const photograph = /** @type {HTMLInputElement | null} */ (document.getElementById("board-photo")); // the referee's
const camera = /** @type {HTMLButtonElement | null} */ (document.getElementById("check-camera"));

photograph?.addEventListener("change", async () => {
  const file = photograph.files?.[0];
  if (file) await check(async () => file);
  photograph.value = "";
});
camera?.addEventListener("click", () => check(newestPicture));

async function newestPicture() {
  const answer = await fetch("/frame.jpg");
  if (answer.status !== 200) throw new Error(say("make.check.no_camera"));
  return answer.blob();
}

/** @param {() => Promise<Blob>} picture */
async function check(picture) {
  if (photograph) photograph.disabled = true;
  if (camera) camera.disabled = true;
  complain(byId("check-error"), "");
  byId("checking").textContent = say("make.checking");
  try {
    show(await sendPicture(`/api/make/check?game=${game}`, await picture()));
  } catch (why) {
    byId("checked").hidden = true;
    complain(byId("check-error"), /** @type {Error} */ (why).message);
  }
  byId("checking").textContent = "";
  if (photograph) photograph.disabled = false;
  if (camera) camera.disabled = false;
}

/** @param {{number: number, grade: string, summary: string, lines: {grade: string, text: string}[]}} told */
function show(told) {
  byId("checked-picture").src = `/make/checked/${told.number}.jpg`;
  byId("check-sheet").href = `/make/checked/${told.number}.html`;
  byId("check-sheet").hidden = told.grade === "poor"; // no board was found: there is nothing to keep
  byId("check-summary").textContent = told.summary;
  byId("check-summary").dataset.grade = told.grade;
  showLines(byId("check-lines"), told.lines);
  byId("checked").hidden = false;
  byId("checked").scrollIntoView({ block: "nearest" });
}
