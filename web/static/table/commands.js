// @ts-check
/**
 * Commands about the game. Each carries what this page shows, so that it cannot hit a newer turn, and a key, so that a retry
 * is the same command. Its answer comes when it is on the disk; until then, and when it is refused, a line says so.
 */

import { byId } from "../common/dom.js";
import { words } from "../common/words.js";

const RETRY_DELAYS_MS = [300, 1000, 2000]; // a table that starts again answers within seconds
const PATIENCE_MS = 300; // what is saved sooner needs no word
const LATE_STATES_MS = 2000;
const SHOWN_MS = { done: 1200, refused: 6000 };

/** @type {{game: number, seq: number} | null} */
let seen = null;
/** @type {(state: import("../common/types.js").State) => void} */
let adopt = () => {};
/** The game that this page has begun, whose first state is still to come. */
let begun = { game: 0, until: 0 };
let nWaiting = 0;
let timer = 0;

/** Take note of what the page shows. @param {import("../common/types.js").State} state */
export function saw({ game }) {
  if (game.id !== begun.game && performance.now() < begun.until) return; // a state of before, on its way since
  seen = { game: game.id, seq: game.seq };
}

/** Hand over the states that come with a refusal. @param {typeof adopt} show */
export function showStates(show) {
  adopt = show;
}

/**
 * Send a command. When it is refused, throw an error with the sentence of the answer.
 * @param {string} path
 * @param {object} [body] one that names its game itself needs nothing else that was seen
 * @returns {Promise<any>} the answer: it is done, and written
 */
export async function send(path, body = {}) {
  const sent = JSON.stringify({ ...body, ...(seen && !("game" in body) ? { seen } : {}), key: newKey() });
  nWaiting += 1;
  const impatience = setTimeout(() => tell("waiting", words("command.waiting")), PATIENCE_MS);
  try {
    const answer = await post(path, sent);
    const said = await answer.json().catch(() => null);
    if (answer.status === 409 && said?.state) adopt(said.state);
    if (!answer.ok) throw new Error(said?.error?.text ?? answer.statusText);
    if (said.game !== undefined && said.game !== seen?.game) {
      seen = { game: said.game, seq: said.seq };
      begun = { game: said.game, until: performance.now() + LATE_STATES_MS };
    }
    finish("done", words("command.done"));
    return said;
  } catch (why) {
    finish("refused", /** @type {Error} */ (why).message);
    throw why;
  } finally {
    clearTimeout(impatience);
  }
}

/** Post a command, and again under the same key where no answer comes. @param {string} path @param {string} body */
async function post(path, body) {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    } catch {
      tell("waiting", words("command.waiting"));
      await new Promise((done) => setTimeout(done, delay));
    }
  }
  throw new Error(words("command.unanswered"));
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
  timer = setTimeout(() => { line.hidden = true; }, SHOWN_MS[how]);
}

/** @param {"waiting" | "done" | "refused"} how @param {string} text */
function tell(how, text) {
  clearTimeout(timer);
  const line = byId("command-state");
  line.hidden = false;
  line.dataset.how = how;
  line.textContent = text;
}
