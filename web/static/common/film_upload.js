// @ts-check
/**
 * What is picked or dropped on the page: a film or several photographs are sent in pieces, with progress; one photograph
 * of a game is read, and its position has a page of its own.
 */

import { PhotographReader } from "../positions/photograph_reader.js";
import { ask, attempt, send } from "./ask.js";
import { byId } from "./dom.js";
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
    this.input = byId("film-file");
    this.said = byId("film-said");
    this.bar = byId("film-bar");
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
    this.isSending = true;
    if (this.reader && files.length === 1 && /^image\/(?!gif)/.test(files[0].type)) await this.reader.read(files[0]);
    else {
      this.source = "";
      this.bar.hidden = this.said.hidden = false;
      this.said.hidden = !(await attempt(byId("film-error"), () => this.send(files)));
      this.bar.hidden = true;
    }
    this.isSending = false;
    this.input.value = ""; // so that the same file can be picked again
    if (this.source) this.onTaken(this.source);
  }

  /** @param {File[]} files */
  async send(files) {
    files.sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
    this.bar.max = Math.max(1, files.reduce((sum, file) => sum + file.size, 0));
    const { source, piece } = await send("/api/uploads", { files: files.map(({ name, size }) => ({ name: name.slice(-40), bytes: size })) });
    let nBytes = 0;
    for (const [k, file] of files.entries()) {
      for (let at = 0; at < file.size; at += piece) {
        const part = file.slice(at, at + piece, "application/octet-stream");
        await ask(`/api/uploads/${source}/${k}?at=${at}`, part);
        nBytes += part.size;
        this.bar.value = nBytes;
        this.said.textContent = words("film.sent", { percent: Math.floor((100 * nBytes) / this.bar.max) });
      }
    }
    await send(`/api/uploads/${source}/done`, {});
    this.source = source;
    this.said.textContent = files.length === 1 ? words("film.one", { name: files[0].name }) : words("film.several", { n: files.length });
  }
}
