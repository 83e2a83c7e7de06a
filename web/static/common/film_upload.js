// @ts-check
/**
 * What is picked or dropped on the page: a film or several photographs are sent in pieces, with progress; one photograph
 * of a game is read, and its position has a page of its own.
 */

import { byId, send } from "./dom.js";
import { PhotographReader } from "../positions/photograph_reader.js";
import { words } from "./words.js";

export class FilmUpload {
  /**
   * @param {{onPicked?: () => void, onTaken?: (source: string) => void, asked?: () => {game: string, board: string}}} options called when files
   *   are picked and when they have arrived; what one photograph is meant to show, where it is to be read
   */
  constructor({ onPicked = () => {}, onTaken = () => {}, asked }) {
    this.onPicked = onPicked;
    this.onTaken = onTaken;
    this.reader = asked ? new PhotographReader("film", asked) : null;
    /** The name of the source that was sent; empty before. */
    this.source = "";
    this.isSending = false;
    this.input = /** @type {HTMLInputElement} */ (byId("film-file"));
    this.input.addEventListener("change", () => this.take([...(this.input.files ?? [])]));
    addEventListener("dragover", (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
    addEventListener("drop", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault(); // else the browser would leave the page for the file
      this.take([...event.dataTransfer.files]);
    });
  }

  /** The source to begin with; throws the sentence that says what is missing. */
  chosen() {
    if (this.isSending) throw new Error(words("film.wait"));
    if (!this.source) throw new Error(words("film.none"));
    return this.source;
  }

  /** @param {File[]} files */
  async take(files) {
    if (!files.length || this.isSending) return;
    this.onPicked();
    if (this.reader && files.length === 1 && /^image\/(?!gif)/.test(files[0].type)) { await this.read(files[0]); return; }
    const said = byId("film-said"), bar = byId("film-bar"), error = byId("film-error");
    files.sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
    const total = files.reduce((sum, file) => sum + file.size, 0);
    this.isSending = true;
    this.source = "";
    error.hidden = true;
    bar.hidden = said.hidden = false;
    bar.max = Math.max(1, total);
    try {
      const { source, piece } = await send("/api/uploads", { files: files.map(({ name, size }) => ({ name: name.slice(-40), bytes: size })) });
      let sent = 0;
      for (const [k, file] of files.entries()) {
        for (let at = 0; at < file.size; at += piece) {
          const part = file.slice(at, at + piece);
          await sendPiece(`/api/uploads/${source}/${k}?at=${at}`, part, (n) => { this.show(sent + n, total); });
          sent += part.size;
          this.show(sent, total);
        }
      }
      await send(`/api/uploads/${source}/done`, {});
      this.source = source;
      said.textContent = files.length === 1 ? words("film.one", { name: files[0].name }) : words("film.several", { n: files.length });
      this.onTaken(source);
    } catch (why) {
      error.textContent = /** @type {Error} */ (why).message;
      error.hidden = false;
      said.hidden = true;
    }
    bar.hidden = true;
    this.isSending = false;
    this.input.value = ""; // so that the same file can be picked again
  }

  /** @param {File} photograph */
  async read(photograph) {
    this.isSending = true;
    await this.reader?.read(photograph);
    this.isSending = false;
    this.input.value = "";
  }

  /** @param {number} sent @param {number} total */
  show(sent, total) {
    byId("film-bar").value = sent;
    byId("film-said").textContent = words("film.sent", { percent: Math.floor((100 * sent) / total) });
  }
}

/** @param {string} path @param {Blob} piece @param {(n: number) => void} onProgress @returns {Promise<void>} */
function sendPiece(path, piece, onProgress) {
  return new Promise((resolve, reject) => {
    const asked = new XMLHttpRequest();
    asked.open("POST", path);
    asked.setRequestHeader("Content-Type", "application/octet-stream");
    asked.responseType = "json";
    asked.upload.onprogress = (event) => onProgress(event.loaded);
    asked.onload = () => (asked.status === 200 ? resolve() : reject(new Error(asked.response?.error?.text ?? asked.statusText)));
    asked.onerror = () => reject(new Error(words("not_connected")));
    asked.send(piece);
  });
}
