// @ts-check
/** Opens a record from a file that is chosen or dropped on the page, or from a pasted text; the server checks it and keeps all of it or nothing. */

import { attempt, send } from "../common/ask.js";
import { byId, onSubmit } from "../common/dom.js";
import { words } from "../common/words.js";

const OLD_LETTERS = "windows-1252"; // in which PGN was written before UTF-8

const form = byId("open-record"), input = byId("open-file");

onSubmit(form, () => {});
input.addEventListener("change", () => open(input.files?.[0]));

// A file may be dropped anywhere on the page: outside of the form the browser would leave the page for it.
let depth = 0;
addEventListener("dragenter", (event) => { if (hasFile(event)) show(depth += 1); });
addEventListener("dragleave", (event) => { if (hasFile(event)) show(depth = Math.max(0, depth - 1)); });
addEventListener("dragover", (event) => { if (hasFile(event)) event.preventDefault(); });
addEventListener("drop", (event) => {
  if (!hasFile(event)) return;
  event.preventDefault();
  show(depth = 0);
  open(event.dataTransfer?.files[0]);
});

// A text that is pasted on the page, such as the line of a position, is opened as a file is.
addEventListener("paste", (event) => {
  const into = /** @type {Element | null} */ (event.target);
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (document.documentElement.dataset.role !== "referee" || into?.closest("input, textarea, select") || !text.trim()) return;
  event.preventDefault();
  open(new File([text], words("open.pasted")));
});

/** @param {DragEvent} event */
function hasFile(event) {
  return document.documentElement.dataset.role === "referee" && Boolean(event.dataTransfer?.types.includes("Files"));
}

/** @param {number} dragged how many elements the file is over */
function show(dragged) {
  form.classList.toggle("above", dragged > 0);
}

/** @param {File | undefined} file */
async function open(file) {
  if (!file) return;
  const line = byId("open-error");
  byId("open-wait").hidden = false;
  await attempt(line, async () => {
    const text = decode(await file.arrayBuffer());
    const { games, known } = await send("/api/games/import", { name: file.name, text, game: byId("open-game").value });
    location.assign(games.length > 1 ? `/games?opened=${games.length - known}&known=${known}` : `/games/${games[0]}${known ? "?known=1" : ""}`);
  });
  line.classList.toggle("as-named", line.textContent?.startsWith(file.name)); // in its own letters
  byId("open-wait").hidden = true;
  input.value = ""; // so that the same file can be chosen again
}

/** @param {ArrayBuffer} bytes */
function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(OLD_LETTERS).decode(bytes);
  }
}
