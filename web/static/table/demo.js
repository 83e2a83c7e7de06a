// @ts-check
/** What a demo shows, in a sentence at a time: picked by what has happened in the game, and by nothing else. */

import { byId } from "../common/dom.js";
import { words } from "../common/words.js";

/** @typedef {import("../common/types.js").Snapshot} State */

/** The first whose test holds is shown. @type {[string, (state: State) => unknown][]} */
const CAPTIONS = [
  ["over", ({ game }) => game.outcome],
  ["foul", ({ game }) => game.foul],
  ["lost", ({ sight }) => sight.sight === "lost"],
  ["restored", ({ game, said }) => said.filter((one) => one.game === game.id).at(-1)?.kind === "restored"],
  ["mill", ({ game }) => game.owed > 0 || game.last?.mills.length],
  ["moving", ({ game }) => game.ply > 0 && game.phase !== "placing"],
  ["placing", ({ game }) => game.ply > 0],
  ["found", ({ sight }) => sight.points.length > 0],
  ["searching", () => true],
];

const SMALL = "(width < 54em), (height < 51em)"; // as in layout.css
const FIRST_LOOK_MS = 15_000; // to read what this is
const FOLDED_KEY = "millchen.demo_folded"; // in this tab
let isAwaited = false;

/** Fold the line away where room is scarce, once it has been read; a tap unfolds it. */
function fold() {
  if (!matchMedia(SMALL).matches) return;
  byId("demo").removeAttribute("open");
  sessionStorage.setItem(FOLDED_KEY, "yes");
}

/** @param {State} next */
export function showDemo(next) {
  byId("demo").hidden = next.source.kind !== "demo";
  if (next.source.kind !== "demo") return;
  if (!isAwaited) setTimeout(fold, sessionStorage.getItem(FOLDED_KEY) ? 0 : FIRST_LOOK_MS);
  isAwaited = true;
  const [name] = CAPTIONS.find(([, isSo]) => isSo(next)) ?? [""];
  const caption = byId("demo-caption"), text = words(`demo.${name}`);
  if (caption.textContent !== text) caption.textContent = text; // screen readers hear each once
}
