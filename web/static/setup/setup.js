// @ts-check
/** The set-up in six steps, from choosing a camera to a measured table. */

import { byId, html } from "../common/dom.js";
import { FilmUpload } from "../common/film_upload.js";
import { PictureView, pause } from "./picture_view.js";
import { say } from "./setup_words.js";

const LOOK_AGAIN_MS = 4000;
const STEPS = ["camera", "placement", "lens", "field", "stones", "check"];
const language = document.documentElement.lang;
const view = new PictureView();

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
/** @type {any} the field as the server knows it */
let field = null;
/** @type {AbortController | null} */
let live = null;

// ------------------------------------------------------------------ requests

/** @param {string} path @param {object} [body] @returns {Promise<any>} */
async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const told = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(told?.error?.text ?? answer.statusText);
  return told;
}

/** The end of what people asked for so far. @type {Promise<void>} */
let asked = Promise.resolve();

/**
 * Do something that takes a moment, after what is being done, and show what goes wrong.
 *
 * @param {() => Promise<void>} act @param {string} [meanwhile] @returns {Promise<void>}
 */
function run(act, meanwhile = "") {
  asked = asked.then(() => doNow(act, meanwhile));
  return asked;
}

/** @param {() => Promise<void>} act @param {string} meanwhile */
async function doNow(act, meanwhile) {
  isBusy = true;
  doing = meanwhile && say(meanwhile);
  showError("");
  showOverPicture(doing);
  updateButtons();
  try {
    await act();
  } catch (why) {
    showError(why instanceof Error ? why.message : String(why));
  }
  showIdle();
  isBusy = false;
  updateButtons();
}

/** @param {string} text */
function showError(text) {
  byId("wrong").hidden = !text;
  byId("wrong").textContent = text ? text[0].toUpperCase() + text.slice(1) : "";
}

/** @param {string} text */
function showOverPicture(text) {
  byId("over").hidden = !text;
  byId("over").textContent = text;
}

/** Show the text over the picture for when nothing is being done. */
function showIdle() {
  document.body.classList.toggle("is-open", isOpen);
  showOverPicture(isOpen ? "" : lost);
  const isMissing = nCameras === 0 && !isOpen;
  byId("camera-title").textContent = say(isMissing ? "wizard.camera.none" : "wizard.camera.title");
  byId("camera-help").textContent = isMissing ? say("wizard.camera.none_help") : nCameras ? say("wizard.camera.help") : "";
}

/** @param {string} id @param {{grade: string, texts: Record<string, string>}[]} lines */
function showLines(id, lines) {
  byId(id).replaceChildren(...lines.map((line) => html("li", { class: line.grade }, line.texts[language])));
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
    if (STEPS[k] === to) stop.setAttribute("aria-current", "step");
    else stop.removeAttribute("aria-current");
  });
  showError("");
  updateButtons();
  if (to !== "field") view.thaw();
  isCollecting = false;
  await enter[to]();
  updateButtons();
}

/** @type {Record<string, () => Promise<void> | void>} actions at the beginning of each step */
const enter = {
  camera: () => { if (isOpen) void ask("/api/setup/watch", { what: "idle" }); },
  placement: () => run(async () => { await ask("/api/setup/watch", { what: "placement" }); }),
  lens: () => run(async () => {
    byId("plot").hidden = true;
    showLines("lens-lines", []);
    await ask("/api/setup/watch", { what: "lens" });
    isCollecting = true;
  }),
  field: () => (field ? showField() : findField()),
  stones: () => run(async () => { await ask("/api/setup/watch", { what: "idle" }); }),
  check: () => run(showCheck),
};

/** @type {Record<string, () => boolean>} whether the next step may begin */
const isDone = {
  camera: () => isOpen, placement: () => true, lens: () => true, field: () => Boolean(field), stones: () => true, check: () => false,
};

/** @type {Record<string, () => Promise<void>>} commands to the server when a step is skipped */
const leave = {
  lens: async () => { if (!byId("lens-lines").childElementCount) await ask("/api/setup/lens", { skip: true }); },
  stones: async () => { if (!byId("stone-lines").childElementCount) await ask("/api/setup/stones", { skip: true }); },
};

function updateButtons() {
  byId("back").hidden = step === "camera";
  byId("next").hidden = step === "check";
  byId("next").disabled = isBusy || !isDone[step]();
  byId("why").textContent = isBusy ? doing : isDone[step]() || step === "check" ? "" : say(`wizard.next.${step}`);
  const isSkipped = (step === "lens" && !byId("lens-lines").childElementCount && "wizard.lens.skip")
    || (step === "stones" && !byId("stone-lines").childElementCount && "wizard.stones.skip");
  byId("next").textContent = say(isSkipped || "wizard.next");
  for (const button of document.querySelectorAll(".extra button")) {
    if (button.id !== "work-out") button.toggleAttribute("disabled", isBusy);
  }
}

byId("next").addEventListener("click", async () => {
  await run(leave[step] ?? (async () => {}));
  await go(STEPS[STEPS.indexOf(step) + 1]);
});
byId("back").addEventListener("click", () => go(STEPS[STEPS.indexOf(step) - 1]));
for (const stop of document.querySelectorAll(".stop")) stop.addEventListener("click", () => { if (!isBusy) void go(stop.getAttribute("data-step") ?? "camera"); });

// ------------------------------------------------------------------ 1 camera

async function showCameras() {
  const { cameras } = await ask("/api/setup/cameras");
  nCameras = cameras.length;
  byId("cameras").replaceChildren(...cameras.map((/** @type {any} */ camera) => {
    const shot = html("span", { class: "shot" });
    const card = html("button", { type: "button", class: "camera", "aria-pressed": "false", "data-source": camera.number }, shot, camera.name);
    card.addEventListener("click", () => open(String(camera.number)));
    return card;
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
    const image = /** @type {HTMLImageElement} */ (html("img", { alt: "", src: `/setup/camera/${card.getAttribute("data-source")}.jpg` }));
    await image.decode().then(() => part(/** @type {HTMLElement} */ (card), ".shot").replaceChildren(image), () => null);
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
    const told = await ask("/api/setup/open", { source });
    isOpen = true;
    number = view.number = -1;
    view.thaw();
    showLines("camera-lines", told.camera.lines);
    view.setSize(told.size ?? told.camera.size);
    live = new AbortController();
    void view.run(live.signal);
    void listen(live.signal);
  }, "wizard.camera.opening");
}

byId("other").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  const address = byId("address").value.trim();
  if (address) void open(address);
});

byId("use-phone").addEventListener("click", () => open("phone"));
byId("film-again").addEventListener("click", () => run(async () => { await ask("/api/setup/again", {}); }));
new FilmUpload({ onTaken: (source) => { void open(source); } });

/** Fetch the live state as long as the camera is open. @param {AbortSignal} stop */
async function listen(stop) {
  while (!stop.aborted) {
    try {
      const told = await ask(`/api/setup?after=${number}`);
      if (stop.aborted) return;
      number = told.number;
      if (!told.open || told.gone) {
        isOpen = false;
        lost = say("wizard.gone", { reason: told.gone || "" });
        showOverPicture(lost);
        updateButtons();
        return;
      }
      if (!view.isStill) view.setSize(told.size);
      byId("film-over").hidden = !told.film?.over;
      if (step === "placement" && told.placement) showPlacement(told.placement);
      if (step === "lens" && told.lens && isCollecting) showViews(told.lens);
    } catch {
      await pause(1000);
    }
    await pause(80);
  }
}

// ------------------------------------------------------------------ 2 placement

/** @param {any} told */
function showPlacement(told) {
  const list = byId("gauges");
  for (const meter of told.meters) {
    const [name, value, judged, advice] = meter.parts[language];
    let gauge = /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${meter.key}"]`));
    if (!gauge) {
      gauge = /** @type {HTMLElement} */ (html("li", { "data-key": meter.key }, html("b"), html("span", { class: "value" }),
        html("div", { class: "track", role: "meter", "aria-valuemin": 0, "aria-valuemax": 100 }, html("i", { class: "zone" }), html("i", { class: "needle" })),
        html("span", { class: "judged" })));
      list.append(gauge);
    }
    gauge.className = `gauge ${meter.grade}${meter.high ? " high" : ""}`;
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
  const seen = byId("board-seen");
  const isSeen = told.points.length > 0;
  seen.dataset.sight = isSeen ? "watching" : "searching";
  seen.lastElementChild.textContent = say(isSeen ? "wizard.placement.seen" : "wizard.placement.searching");
  if (!view.isStill) view.showPoints(told.points);
}

/** @param {Element} inside @param {string} what @returns {HTMLElement} */
function part(inside, what) {
  return /** @type {HTMLElement} */ (inside.querySelector(what));
}

// ------------------------------------------------------------------ 3 lens

/** @param {any} told */
function showViews(told) {
  byId("views").textContent = say("wizard.lens.views", { n: told.n, of: told.of });
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
    const done = await ask("/api/setup/lens", {});
    if (!done.ok) {
      isCollecting = true;
      showError(done.texts[language]);
      return;
    }
    await ask("/api/setup/watch", { what: "idle" });
    view.marks.replaceChildren();
    showLines("lens-lines", done.lines);
    byId("wish").textContent = byId("said-view").textContent = "";
    byId("plot").querySelector("img")?.remove();
    byId("plot").prepend(html("img", { alt: "", src: `/setup/lens.svg?${Date.now()}` }));
    byId("plot").hidden = false;
    field = null; // it is detected again, without the distortion
  }, "wizard.lens.working");
}
byId("work-out").addEventListener("click", workOut);

// ------------------------------------------------------------------ 4 field

function board() {
  return byId("board").value || undefined;
}

function findField() {
  return run(async () => {
    view.thaw();
    const found = await ask("/api/setup/field", { board: board() });
    await view.freeze("/setup/field.jpg");
    if (!found.ok) {
      field = null;
      showError(found.texts[language]);
      setCorners();
      return;
    }
    field = found;
    showField();
  }, "wizard.field.looking");
}

function showField() {
  view.isStill = true;
  view.setSize(field.size);
  showLines("field-lines", field.lines);
  byId("field-help").textContent = say("wizard.field.help");
  byId("fit").hidden = true;
  byId("board").value = field.board;
  const picks = field.names.map((/** @type {string} */ name, /** @type {number} */ k) => ({ x: field.points[k][0], y: field.points[k][1], name, label: "wizard.point" }));
  view.drag(picks, field.edges, async (name, { x, y }) => {
    try {
      field = await ask("/api/setup/field", { points: { [name]: [x, y] } });
      showLines("field-lines", field.lines);
    } catch (why) {
      showError(why instanceof Error ? why.message : String(why));
    }
  });
  void view.freeze("/setup/field.jpg");
}

/** @type {{x: number, y: number, name: string, label: string, big: boolean}[]} */
let grips = [];

function setCorners() {
  const { width, height } = view;
  const known = field?.corners ?? [[0.28, 0.2], [0.72, 0.2], [0.78, 0.82], [0.22, 0.82]].map(([x, y]) => [x * width, y * height]);
  grips = known.map((/** @type {number[]} */ [x, y], /** @type {number} */ k) => ({ x, y, name: String(k + 1), label: "wizard.corner", big: true }));
  byId("field-help").textContent = say("wizard.field.corners_help");
  byId("fit").hidden = false;
  if (!board()) byId("board").value = field?.board ?? "nine_mens_morris";
  view.drag(grips, [[0, 1], [1, 2], [2, 3], [3, 0]], () => {});
}

byId("set-corners").addEventListener("click", setCorners);
byId("field-again").addEventListener("click", findField);
byId("board").addEventListener("change", () => { if (!grips.length || byId("fit").hidden) void findField(); });
byId("fit").addEventListener("click", () => run(async () => {
  field = await ask("/api/setup/field", { board: board(), corners: grips.map(({ x, y }) => [x, y]) });
  showField();
}, "wizard.field.looking"));
byId("side").addEventListener("change", () => run(async () => {
  const side = Number(byId("side").value);
  const told = await ask("/api/setup/field", { side_mm: side || null });
  if (told.lines) showLines("field-lines", told.lines);
}));

// ------------------------------------------------------------------ 5 stones

/** @param {boolean} isSwap */
function lookAtStones(isSwap) {
  return run(async () => {
    const seen = await ask("/api/setup/stones", isSwap ? { swap: true } : {});
    view.showStones(seen);
    byId("stone-lines").replaceChildren(...seen.lines.map((/** @type {any} */ line) => html("li", { class: line.grade }, line.texts[language])));
    byId("swap").hidden = false;
    byId("look").textContent = say("wizard.again");
  }, isSwap ? "" : "wizard.stones.looking");
}
byId("look").addEventListener("click", () => lookAtStones(false));
byId("swap").addEventListener("click", () => lookAtStones(true));

// ------------------------------------------------------------------ 6 check

async function showCheck() {
  const told = await ask("/api/setup/check");
  byId("sum").textContent = told.summary[language];
  let before = "";
  byId("check-lines").replaceChildren(...told.lines.flatMap((/** @type {any} */ line) => {
    const head = line.step === before ? [] : [html("li", { class: "head" }, say(`step.${line.step}`))];
    before = line.step;
    return [...head, html("li", { class: line.grade }, line.texts[language])];
  }));
  byId("keep").hidden = false;
  byId("kept").hidden = true;
  const game = /** @type {HTMLSelectElement} */ (byId("game"));
  for (const option of game.options) option.hidden = option.disabled = Boolean(field) && option.dataset.board !== field.board;
  const first = [...game.options].find((option) => !option.disabled);
  if (first && (!game.selectedOptions[0] || game.selectedOptions[0].disabled)) game.value = first.value;
  if (field) {
    await view.freeze("/setup/field.jpg");
    view.showPoints(field.points, field.edges);
  }
}

byId("keep").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  void run(async () => {
    const name = byId("name").value.trim();
    const told = await ask("/api/setup/save", { name });
    byId("keep").hidden = true;
    byId("kept").hidden = false;
    part(byId("kept"), ".kept").textContent = say("wizard.check.saved", { name: told.name });
  });
});
byId("print").addEventListener("click", () => print());
byId("play").addEventListener("click", () => run(async () => {
  await ask("/api/setup/play", { game: byId("game").value });
  live?.abort();
  location.assign("/");
}));

addEventListener("pagehide", () => { if (isOpen) navigator.sendBeacon?.("/api/setup/leave", new Blob(["{}"], { type: "application/json" })); });
void go("camera").then(() => run(showCameras)).then(awaitCamera).then(showThumbnails);
