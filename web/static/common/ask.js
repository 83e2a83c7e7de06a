// @ts-check
/** Questions and commands to the server; what it refuses is said where people look. */

/** @import {Commands} from "./types.js" */

/** What the server has refused, in a sentence. */
export class Refusal extends Error {
  /** @param {Response} answer @param {any} told */
  constructor(answer, told) {
    super(told?.error?.text ?? answer.statusText);
    this.status = answer.status;
    this.told = told;
  }
}

/** No record takes what nobody sees: joints of an emoji, marks of direction, spaces of another kind. @param {string} _ @param {unknown} value */
const visible = (_, value) => (typeof value === "string" ? value.replace(/\p{Z}/gu, " ").replace(/[^\P{C}\n\r\t]/gu, "") : value);

/**
 * Ask the server, or post something; a refusal is thrown, and another error where no answer comes.
 * @param {string} path
 * @param {Blob | object} [body] a picture or a piece of a film as it is, all else as JSON
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} the answer
 */
export async function ask(path, body, signal) {
  const [type, sent] = body instanceof Blob ? [body.type || "application/octet-stream", body] : ["application/json", JSON.stringify(body, visible)];
  const answer = await fetch(path, body ? { method: "POST", headers: { "Content-Type": type }, body: sent, signal } : { signal });
  const content = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refusal(answer, content);
  return content;
}

/** Send a command. @template {keyof Commands} P @param {P} path @param {Commands[P]} body */
export function send(path, body) {
  return ask(path, body);
}

/** Say what is wrong, with a capital; nothing is where the sentence is empty. @param {HTMLElement} place @param {string} sentence */
export function complain(place, sentence) {
  place.textContent = sentence.replace(/^\p{Ll}(?!\S*(:\/\/|\.\w))/u, (first) => first.toUpperCase()); // addresses and names of files stay as they are
  place.hidden = !sentence;
}

/** Do something, and say why it is refused. @param {HTMLElement} place @param {() => unknown} act @returns {Promise<boolean>} whether it was done */
export async function attempt(place, act) {
  complain(place, "");
  try {
    await act();
  } catch (why) {
    complain(place, why instanceof Error ? why.message : String(why));
  }
  return !place.textContent;
}

/**
 * Ask people before something is done; what is refused then is said in the dialog, which stays open.
 * @param {HTMLDialogElement} dialog
 * @param {() => unknown} [act]
 * @param {string} [refused] why it was refused before
 * @returns {Promise<boolean>} whether it was done
 */
export function areSure(dialog, act = () => {}, refused = "") {
  const line = /** @type {HTMLElement} */ (dialog.querySelector(".form-error"));
  complain(line, refused);
  dialog.showModal();
  return new Promise((answer) => {
    dialog.onsubmit = async (event) => { // told by the press: "close" comes later, when the next question may be open already
      const isYes = /** @type {HTMLButtonElement} */ (event.submitter).value === "yes";
      if (isYes) event.preventDefault();
      if (isYes && !(await attempt(line, act))) return;
      answer(isYes);
      dialog.close();
    };
    dialog.oncancel = () => answer(false);
  });
}
