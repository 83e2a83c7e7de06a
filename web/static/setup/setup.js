// @ts-check
/** The set-up in six steps, from choosing a camera to a measured table. */

import { cornerGrips } from "../board/grips.js";
import { ask, attempt, complain } from "../common/ask.js";
import { button, byId, html, markCurrent, onClick, onSubmit, part, seek, showLines } from "../common/dom.js";
import { FilmUpload } from "../common/film_upload.js";
import { pause } from "../common/live_picture.js";
import { language, words } from "../common/words.js";
import { PictureView } from "./picture_view.js";

/** @typedef {{grade: string, step?: string, texts: Record<string, string>}} Line */
/** @typedef {{lines: Line[], names: string[], points: number[][], edges: number[][], corners: number[][], board: string, size: [number, number]}} Field */

const LOOK_AGAIN_MS = 4000, RETRY_MS = 1000, NEXT_MS = 80;
const SKIPPING = { lens: "wizard.lens.skip", stones: "wizard.stones.skip" };
const STEPS = ["camera", "placement", "lens", "field", "stones", "check"];
const view = new PictureView();
const wrong = byId("wrong"), over = byId("over"); // what has gone wrong; the text over the picture

let step = "camera";
let furthest = 0;
let number = -1;
let isOpen = false;
let isBusy = false;
/** How many cameras this computer has; unknown before it was asked. */
let nCameras = NaN;
/** What is being done, for people. */
let doing = "";
/** Why there is no picture any more. */
let lost = "";
let isCollecting = false;
/** The field as the server knows it. @type {Field | null} */
let field = null;
/** The corners of the board while people show them. @type {import("../board/grips.js").Grip[] | null} */
let grips = null;
/** @type {AbortController | null} */
let live = null;

// ------------------------------------------------------------------ requests

/** Have the camera look for something. @param {string} what */
const watch = (what) => ask("/api/setup/watch", { what });

/** The end of what people asked for so far. @type {Promise<void>} */
let lastRequest = Promise.resolve();

/** Do something that takes a moment, after what is being done, and show what goes wrong. @param {() => unknown} act @param {string} [meanwhile] */
function run(act, meanwhile = "") {
  lastRequest = lastRequest.then(async () => {
    isBusy = true;
    doing = meanwhile && words(meanwhile);
    complain(over, doing);
    updateButtons();
    await attempt(wrong, act);
    showIdle();
    isBusy = false;
    updateButtons();
  });
  return lastRequest;
}

/** Show the text over the picture for when nothing is being done. */
function showIdle() {
  document.body.classList.toggle("is-open", isOpen);
  complain(over, isOpen ? "" : lost);
  const isMissing = nCameras === 0 && !isOpen;
  byId("camera-title").textContent = words(isMissing ? "wizard.camera.none" : "wizard.camera.title");
  byId("camera-help").textContent = isMissing ? words("wizard.camera.none_help") : nCameras ? words("wizard.camera.help") : "";
}

/** @param {"camera-lines" | "lens-lines" | "field-lines" | "stone-lines"} id @param {Line[]} lines */
function tell(id, lines) {
  showLines(byId(id), lines.map(({ grade, texts }) => ({ grade, text: texts[language] })));
}

// ------------------------------------------------------------------ steps

/** @param {string} to */
async function go(to) {
  step = document.body.dataset.step = to;
  furthest = Math.max(furthest, STEPS.indexOf(to));
  for (const page of document.querySelectorAll("[data-page]")) /** @type {HTMLElement} */ (page).hidden = page.getAttribute("data-page") !== to;
  document.querySelectorAll(".stop").forEach((stop, k) => {
    stop.toggleAttribute("disabled", k > furthest);
    stop.classList.toggle("done", k < furthest && STEPS[k] !== to);
    markCurrent(stop, STEPS[k] === to, "step");
  });
  complain(wrong, "");
  updateButtons();
  if (to !== "field") view.thaw();
  isCollecting = false;
  await enter[to]();
  updateButtons();
}

/** @type {Record<string, () => Promise<void> | void>} actions at the beginning of each step */
const enter = {
  camera: () => { if (isOpen) void watch("idle"); },
  placement: () => run(() => watch("placement")),
  lens: () => run(async () => {
    tell("lens-lines", []);
    await watch("lens");
    isCollecting = true;
  }),
  field: () => (field ? showField() : findField()),
  stones: () => run(() => watch("idle")),
  check: () => run(showCheck),
};

/** Whether the next step may begin. */
function isDone() {
  return step === "camera" ? isOpen : step === "field" ? field !== null || grips !== null : step !== "check";
}

/** Whether a step that may be skipped has told nothing yet. @returns {"lens" | "stones" | null} */
function skipped() {
  if (step === "lens") return byId("lens-lines").childElementCount ? null : step;
  return step === "stones" && !byId("stone-lines").childElementCount ? step : null;
}

function updateButtons() {
  byId("back").hidden = step === "camera";
  byId("next").hidden = step === "check";
  byId("next").disabled = isBusy || !isDone();
  byId("why").textContent = isBusy ? doing : isDone() || step === "check" ? "" : words(`wizard.next.${step}`);
  const steps = skipped();
  byId("next").textContent = words(steps ? SKIPPING[steps] : step === "field" && grips ? "wizard.field.fit" : "wizard.next");
  for (const other of document.querySelectorAll(".extra button:not(#work-out)")) other.toggleAttribute("disabled", isBusy);
}

onClick("next", async () => {
  if (step === "field" && grips) return fitCorners();
  const steps = skipped();
  if (steps) await run(() => ask(`/api/setup/${steps}`, { skip: true }));
  await go(STEPS[STEPS.indexOf(step) + 1]);
});
onClick("back", () => go(STEPS[STEPS.indexOf(step) - 1]));
for (const stop of document.querySelectorAll(".stop")) stop.addEventListener("click", () => { if (!isBusy) void go(stop.getAttribute("data-step") ?? "camera"); });

// ------------------------------------------------------------------ 1 camera

async function showCameras() {
  const { cameras } = await ask("/api/setup/cameras");
  nCameras = cameras.length;
  byId("cameras").replaceChildren(...cameras.map((/** @type {any} */ camera) => {
    const attributes = { class: "camera", "aria-pressed": "false", "data-source": camera.number };
    return button(attributes, () => open(String(camera.number)), html("span", { class: "shot" }), camera.name);
  }));
}

/** Wait for a camera that is plugged in meanwhile. */
async function awaitCamera() {
  while (!nCameras && !isOpen) {
    await pause(LOOK_AGAIN_MS);
    if (!isBusy) await showCameras().then(showIdle, () => null);
  }
}

/** Show what each camera sees until one is chosen, one after the other because each opens its device. */
async function showThumbnails() {
  for (const card of document.querySelectorAll(".camera")) {
    if (isOpen || isBusy) break;
    const image = html("img", { alt: "", src: `/setup/camera/${card.getAttribute("data-source")}.jpg` });
    await image.decode().then(() => part(card, ".shot").replaceChildren(image), () => null);
  }
}

/** @param {string} source */
function open(source) {
  return run(async () => {
    for (const card of document.querySelectorAll(".camera")) card.setAttribute("aria-pressed", String(card.getAttribute("data-source") === source));
    live?.abort();
    isOpen = false;
    lost = "";
    field = null;
    furthest = 0;
    const answer = await ask("/api/setup/open", { source });
    isOpen = true;
    number = view.number = -1;
    view.thaw();
    tell("camera-lines", answer.camera.lines);
    view.setSize(answer.camera.size);
    const { signal } = (live = new AbortController());
    void view.run(() => !signal.aborted);
    void listen(signal);
  }, "wizard.camera.opening");
}

onSubmit(byId("other"), () => {
  const address = byId("address").value.trim();
  if (address) void open(address);
});
onClick("use-phone", () => open("phone"));
onClick("film-again", () => run(() => ask("/api/setup/again", {})));
if (seek("film-file")) new FilmUpload({ onTaken: (source) => { void open(source); } });

/** Fetch the live state as long as the camera is open. @param {AbortSignal} stop */
async function listen(stop) {
  while (!stop.aborted) {
    try {
      const news = await ask(`/api/setup?after=${number}`);
      if (stop.aborted) return;
      number = news.number;
      if (!news.open || news.gone) {
        isOpen = false;
        lost = words("wizard.gone", { reason: news.gone || "" });
        complain(over, lost);
        updateButtons();
        return;
      }
      byId("film-over").hidden = !news.film?.over;
      if (step === "placement" && news.placement) showPlacement(news.placement);
      if (step === "lens" && news.lens && isCollecting) showViews(news.lens);
    } catch {
      await pause(RETRY_MS);
    }
    await pause(NEXT_MS);
  }
}

// ------------------------------------------------------------------ 2 placement

/** @param {any} told */
function showPlacement(told) {
  const list = byId("gauges");
  for (const meter of told.meters) {
    const [name, value, judged, advice] = meter.parts[language];
    const gauge = part(list, `[data-key="${meter.key}"]`) ?? html("li", { "data-key": meter.key }, html("b"), html("span", { class: "value" }),
      html("div", { class: "track", role: "meter", "aria-valuemin": 0, "aria-valuemax": 100 }, html("i", { class: "zone" }), html("i", { class: "needle" })),
      html("span", { class: "judged" }));
    if (!gauge.parentNode) list.append(gauge);
    gauge.className = meter.high ? "gauge high" : "gauge";
    gauge.dataset.grade = meter.grade;
    part(gauge, "b").textContent = name;
    part(gauge, ".value").replaceChildren(value, html("i", {}, ` – ${judged}`));
    part(gauge, ".judged").textContent = advice;
    const track = part(gauge, ".track");
    track.setAttribute("aria-label", name);
    track.setAttribute("aria-valuenow", String(Math.round(100 * meter.share)));
    track.setAttribute("aria-valuetext", `${value}, ${judged}`);
    part(gauge, ".needle").style.left = `${(2 + 96 * meter.share).toFixed(1)}%`;
    part(gauge, ".zone").style.width = `${Math.max(4, 100 * (meter.high ? 1 - meter.good : meter.good)).toFixed(1)}%`;
  }
  const keys = new Set(told.meters.map((/** @type {any} */ meter) => meter.key));
  for (const gauge of list.querySelectorAll("[data-key]")) if (!keys.has(gauge.getAttribute("data-key"))) gauge.remove();
  const verdict = byId("board-seen");
  const isSeen = told.points.length > 0;
  verdict.dataset.sight = isSeen ? "watching" : "searching";
  part(verdict, ".lamp + span").textContent = words(isSeen ? "wizard.placement.seen" : "wizard.placement.searching");
  if (!view.isStill) view.showPoints(told.points);
}

// ------------------------------------------------------------------ 3 lens

/** @param {any} told */
function showViews(told) {
  byId("views").textContent = words("wizard.lens.views", { n: told.n, of: told.of });
  byId("views-bar").max = told.of;
  byId("views-bar").value = Math.min(told.n, told.of);
  byId("wish").textContent = told.wish[language];
  byId("said-view").textContent = told.texts[language];
  byId("work-out").disabled = told.n < 6;
  view.showCover(told);
  if (told.enough && isCollecting && !isBusy) void workOut();
}

function workOut() {
  return run(async () => {
    isCollecting = false;
    const answer = await ask("/api/setup/lens", {});
    if (!answer.ok) {
      isCollecting = true;
      complain(wrong, answer.texts[language]);
      return;
    }
    await watch("idle");
    byId("work-out").disabled = true;
    view.marks.replaceChildren();
    tell("lens-lines", answer.lines);
    byId("wish").textContent = byId("said-view").textContent = "";
    field = null; // it is detected again, without the distortion
  }, "wizard.lens.working");
}
onClick("work-out", workOut);

// ------------------------------------------------------------------ 4 field

const boardChoice = /** @type {HTMLSelectElement} */ (byId("board"));

function board() {
  return boardChoice.value || undefined;
}

function findField() {
  return run(async () => {
    grips = null;
    view.thaw();
    const answer = await ask("/api/setup/field", { board: board() });
    await view.freeze("/setup/field.jpg");
    if (!answer.ok) {
      field = null;
      complain(wrong, answer.texts[language]);
      setCorners();
      return;
    }
    field = answer;
    showField();
  }, "wizard.field.looking");
}

function showField() {
  if (!field) return;
  const { names, points, edges } = field;
  view.isStill = true;
  view.setSize(field.size);
  tell("field-lines", field.lines);
  byId("field-help").textContent = words("wizard.field.help");
  grips = null;
  boardChoice.value = field.board;
  view.drag(names.map((name, k) => ({ x: points[k][0], y: points[k][1], name })), { edges, isFine: true, done: movePoint });
  void view.freeze("/setup/field.jpg");
}

/** @param {import("../board/grips.js").Grip} point */
function movePoint({ name, x, y }) {
  return attempt(wrong, async () => {
    const moved = await ask("/api/setup/field", { points: { [name]: [x, y] } });
    field = moved;
    tell("field-lines", moved.lines);
  });
}

function setCorners() {
  grips = cornerGrips(view, field && field.corners.map(([x, y]) => ({ x, y })));
  byId("field-help").textContent = words("wizard.field.corners_help");
  if (!boardChoice.value) boardChoice.value = field?.board ?? "nine_mens_morris";
  view.drag(grips, {});
  updateButtons();
  if (byId("guide").getBoundingClientRect().top < 0) scrollTo({ top: 0 }); // what to do stands at the top
}

onClick("set-corners", setCorners);
onClick("field-again", findField);
boardChoice.addEventListener("change", () => { if (!grips) void findField(); });

/** Fit the board to the corners that people have shown. */
const fitCorners = () => run(async () => {
  field = await ask("/api/setup/field", { board: board(), corners: grips?.map(({ x, y }) => [x, y]) });
  showField();
}, "wizard.field.looking");
byId("side").addEventListener("change", () => run(async () => {
  const side = Number(byId("side").value);
  const answer = await ask("/api/setup/field", { side_mm: side || null });
  if (answer.lines) tell("field-lines", answer.lines);
}));

// ------------------------------------------------------------------ 5 stones

/** @param {boolean} isSwap */
function lookAtStones(isSwap) {
  return run(async () => {
    const answer = await ask("/api/setup/stones", isSwap ? { swap: true } : {});
    view.showStones(answer);
    tell("stone-lines", answer.lines);
    byId("swap").hidden = false;
    byId("look").textContent = words("wizard.again");
  }, isSwap ? "" : "wizard.stones.looking");
}
onClick("look", () => lookAtStones(false));
onClick("swap", () => lookAtStones(true));

// ------------------------------------------------------------------ 6 check

async function showCheck() {
  const answer = await ask("/api/setup/check");
  byId("sum").textContent = answer.summary[language];
  let before = "";
  byId("check-lines").replaceChildren(...answer.lines.flatMap((/** @type {any} */ line) => {
    const head = line.step === before ? [] : [html("li", { class: "head" }, words(`step.${line.step}`))];
    before = line.step;
    return [...head, html("li", { "data-grade": line.grade }, line.texts[language])];
  }));
  byId("keep").hidden = false;
  byId("kept").hidden = true;
  const game = byId("game");
  for (const option of game.options) option.hidden = option.disabled = field !== null && option.dataset.board !== field.board;
  const first = [...game.options].find((option) => !option.disabled);
  if (first && (!game.selectedOptions[0] || game.selectedOptions[0].disabled)) game.value = first.value;
  if (field) {
    await view.freeze("/setup/field.jpg");
    view.showPoints(field.points, field.edges);
  }
}

onSubmit(byId("keep"), () => run(async () => {
  const answer = await ask("/api/setup/save", { name: byId("name").value.trim() });
  byId("keep").hidden = true;
  byId("kept").hidden = false;
  part(byId("kept"), ".kept").textContent = words("wizard.check.saved", { name: answer.name });
}));
onClick("print", () => print());
onClick("play", () => run(async () => {
  await ask("/api/setup/play", { game: byId("game").value });
  live?.abort();
  location.assign("/");
}));

addEventListener("pagehide", () => { if (isOpen) navigator.sendBeacon?.("/api/setup/leave", new Blob(["{}"], { type: "application/json" })); });
void go("camera").then(() => run(showCameras)).then(awaitCamera).then(showThumbnails);
