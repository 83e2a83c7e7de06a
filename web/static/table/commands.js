// @ts-check
/**
 * Commands about the game. Each carries what this page shows, so that it cannot hit a newer turn, and a key, so that a retry
 * is the same command. Its answer comes when it is on the disk; until then, and when it is refused, a line says so.
 * Where no answer comes at all it is held, and sent again and again, until it is answered or somebody drops it.
 */

import { ask, Refusal } from "../common/ask.js";
import { button, byId } from "../common/dom.js";
import { pause } from "../common/live_picture.js";
import { words } from "../common/words.js";

/** @import {Commands, Snapshot} from "../common/types.js" */

const RETRY_MS = 1000;
const ANSWER_MS = 10_000; // a table that is there answers within two seconds
const PATIENCE_MS = 300; // what is saved sooner needs no word
const LATE_STATES_MS = 2000;
const SHOWN_MS = { done: 1200, refused: 6000 };

/** What the page does with the state that comes with a refusal, and with its sentence. */
const page = { adopt: (/** @type {Snapshot} */ _) => {}, tell: (/** @type {Error} */ _) => {} };
/** @type {{game: number, seq: number} | null} */
let newest = null;
/** The game that this page has left for another one: its last states may still be on their way. */
let lastGame = { game: 0, until: 0 };
let nWaiting = 0;
let timer = 0;
/** What is held, and whether people have dropped it; null where nothing is. @type {{isDropped: boolean} | null} */
let held = null;

addEventListener("beforeunload", (event) => { if (held) event.preventDefault(); });

/** Take note of what the page shows. @param {Snapshot} state */
export function saw({ game }) {
  if (game.id === lastGame.game && performance.now() < lastGame.until) return;
  newest = { game: game.id, seq: game.seq };
}

/** @param {typeof page} how refusals are shown */
export function onRefusal(how) {
  Object.assign(page, how);
}

/** @param {Error} why a command was refused */
export function tellRefusal(why) {
  page.tell(why);
}

/** Send a command; the page tells why it is refused. @template {keyof Commands} P @param {P} path @param {Commands[P]} body */
export function order(path, body) {
  return send(path, body).catch(tellRefusal);
}

/**
 * Send a command. When it is refused, throw an error with the sentence of the answer.
 * @template {keyof Commands} P
 * @param {P} path
 * @param {Commands[P]} body one that names its game itself needs nothing else that was seen
 * @returns {Promise<any>} the answer: it is done, and written
 */
export async function send(path, body) {
  if (remindOfHeld()) throw new Error(words("command.one_held"));
  nWaiting += 1;
  const impatience = setTimeout(() => { if (!held) tell("waiting", words("command.waiting")); }, PATIENCE_MS);
  try {
    const answer = await post(path, { ...body, ...(newest && !("game" in body) ? { seen: newest } : {}), key: newKey() });
    if (answer?.game !== undefined && answer.game !== newest?.game) {
      lastGame = { game: newest?.game ?? 0, until: performance.now() + LATE_STATES_MS };
      newest = { game: answer.game, seq: answer.seq };
    }
    finish("done", words("command.done"));
    return answer;
  } catch (why) {
    const { message } = /** @type {Error} */ (why), isHeld = held && why instanceof Refusal;
    if (why instanceof Refusal && why.status === 409 && why.told?.state) page.adopt(why.told.state);
    const refused = new Error(isHeld ? words("command.not_done", { why: message }) : message);
    finish("refused", refused.message);
    throw refused;
  } finally {
    clearTimeout(impatience);
    letGo();
  }
}

/** Post a command, and again under the same key while no answer comes. @param {string} path @param {object} body */
async function post(path, body) {
  for (;;) {
    try {
      return await ask(path, body, AbortSignal.timeout(ANSWER_MS));
    } catch (why) {
      if (why instanceof Refusal) throw why;
      if (!held) hold();
      await pause(RETRY_MS);
      if (held?.isDropped) throw new Error(words("command.unanswered"));
    }
  }
}

/** Say that a command waits until the referee is back, and let people drop it. */
function hold() {
  held = { isDropped: false };
  document.body.classList.add("is-held");
  tellHeld();
}

function tellHeld() {
  const drop = button({ class: "plain", id: "command-drop" }, () => { if (held) held.isDropped = drop.disabled = true; }, words("command.drop"));
  tell("held", words("command.held"), drop);
}

/** Whether a command is held, which is then said once more: another one would come before it, or on a board that it changes. */
export function remindOfHeld() {
  if (held) tellHeld();
  return held !== null;
}

function letGo() {
  if (nWaiting > 0) return;
  held = null;
  document.body.classList.remove("is-held");
}

function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {"done" | "refused"} how @param {string} text */
function finish(how, text) {
  nWaiting -= 1;
  const line = byId("command-state");
  if (how === "done" && (line.hidden || nWaiting > 0)) return; // nobody was told that it takes long
  tell(how, text);
  if (held) stayUntilTouched(line); // nobody may look when the referee comes back
  else timer = setTimeout(() => { line.hidden = true; }, SHOWN_MS[how]);
}

/** @param {HTMLElement} line */
function stayUntilTouched(line) {
  line.dataset.stays = "yes";
  for (const kind of ["click", "keydown"]) addEventListener(kind, () => { line.hidden ||= "stays" in line.dataset; }, { once: true });
}

/** @param {"waiting" | "held" | "done" | "refused"} how @param {string} text @param {...Node} buttons */
function tell(how, text, ...buttons) {
  clearTimeout(timer);
  const line = byId("command-state");
  line.hidden = false;
  line.dataset.how = how;
  delete line.dataset.stays;
  line.replaceChildren(text, ...buttons);
}
