// @ts-check
/** "Is my board good?": a photograph, or what the camera sees, is checked and shown with what was found on it. */

import { ask, attempt } from "../common/ask.js";
import { byId, seek, showLines } from "../common/dom.js";
import { asJpeg } from "../common/jpeg.js";
import { words } from "../common/words.js";
import { game, onPhotograph } from "./making.js";

const camera = seek("check-camera"); // the referee's
onPhotograph(seek("board-photo"), (file) => check(async () => file));
camera?.addEventListener("click", async () => {
  camera.disabled = true;
  await check(newestPicture);
  camera.disabled = false;
});

async function newestPicture() {
  const answer = await fetch("/frame.jpg");
  if (answer.status !== 200) throw new Error(words("make.check.no_camera"));
  return answer.blob();
}

/** @param {() => Promise<Blob>} picture */
async function check(picture) {
  byId("checking").textContent = words("make.checking");
  byId("checked").hidden = true;
  byId("checked").hidden = !(await attempt(byId("check-error"), async () => show(await ask(`/api/make/check?game=${game}`, await asJpeg(await picture())))));
  byId("checking").textContent = "";
  byId("checked").scrollIntoView({ block: "nearest" });
}

/** @param {{number: number, grade: string, summary: string, lines: {grade: string, text: string}[]}} told */
function show(told) {
  byId("checked-picture").src = `/make/checked/${told.number}.jpg`;
  byId("check-sheet").href = `/make/checked/${told.number}.html`;
  byId("check-sheet").hidden = told.grade === "poor"; // no board was found: there is nothing to keep
  byId("check-summary").textContent = told.summary;
  byId("check-summary").dataset.grade = told.grade;
  showLines(byId("check-lines"), told.lines);
}
