// @ts-check
/**
 * A lesson on the real board: what still has to be laid, and whether the turn that the camera saw is the answer. The
 * server is asked again and again while the page is looked at; a wrong turn is taken back, so that it can be put back.
 */

import { areSure, ask, send } from "../common/ask.js";
import { byId, html } from "../common/dom.js";

const PERIOD_MS = 700;

/** @typedef {{is_asked: boolean, task?: string, labels?: string[], colours?: string[], phase: string, text?: string, spoken?: string, sound?: string, steps?: string[], towers?: string[], seen: {game: number, seq: number}}} AtTable */

export class LessonAtTable {
  /**
   * @param {`/api/lessons/${string}/${number}`} path of the lesson's API
   * @param {() => void} onRight
   * @param {(now: AtTable) => void} onColours called where the camera has seen what the stones look like
   * @param {(now: AtTable) => void} onNews called with what is to be said aloud, once
   * @param {string} noAnswer
   */
  constructor(path, onRight, onColours, onNews, noAnswer) {
    this.path = path;
    this.onRight = onRight;
    this.onColours = onColours;
    this.onNews = onNews;
    this.noAnswer = noAnswer;
    /** Why the last turn was wrong; it stays until the next one. */
    this.why = "";
    this.takenBack = 0;
    this.said = "";
    this.isAsked = false; // before a game at the table is set aside
    byId("lay").addEventListener("click", async () => {
      await this.look(); // a game may have begun meanwhile
      if (!this.isAsked || await areSure(byId("sure"))) this.say("lay");
    });
    byId("lies").addEventListener("click", () => this.say("lies"));
    this.look();
    setInterval(() => { if (!document.hidden) this.look(); }, PERIOD_MS);
  }

  /** @param {"lay" | "lies"} what lay it, or say that it does lie though the eyes do not see it */
  async say(what) {
    this.why = this.said = "";
    await send(`${this.path}/${what}`, {}).catch((why) => this.tell("unlawful", why.message));
    this.look();
  }

  async look() {
    /** @type {AtTable | null} */
    const now = await ask(`${this.path}/table`).catch(() => null);
    if (!now) { this.tell("unlawful", this.noAnswer); return; }
    const isUnwatched = now.phase === "none" && Boolean(now.text);
    this.isAsked = now.phase === "none" && now.is_asked;
    byId("laid").hidden = now.phase === "none" && !isUnwatched;
    byId("lay").hidden = isUnwatched || (now.phase !== "none" && now.phase !== "right");
    byId("lies").hidden = now.phase !== "laying";
    if (now.phase === "none") { this.tell("", now.text ?? ""); return; }
    this.onColours(now);
    if (now.phase === "wrong") this.takeBack(now);
    if (now.phase === "right") { this.why = ""; this.onRight(); }
    this.tell(now.phase, now.text ?? "");
    if (now.spoken && now.spoken !== this.said) this.onNews(now);
    this.said = now.spoken || this.said; // a hand that passes by is no reason to say it again
    this.list("table-steps", now.steps ?? []);
    this.list("table-towers", now.phase === "laying" || now.phase === "your_move" ? now.towers ?? [] : []);
  }

  /** The turn was lawful, but not the answer: it does not count. @param {AtTable} now */
  takeBack(now) {
    this.why = now.text ?? "";
    if (this.takenBack === now.seen.seq) return; // it is on its way
    this.takenBack = now.seen.seq;
    send("/api/take-back", { seen: now.seen }).catch(() => { this.takenBack = 0; });
  }

  /** @param {string} phase @param {string} text */
  tell(phase, text) {
    const isWrong = this.why !== "" && ["wrong", "put_back", "your_move", "laying", "hand"].includes(phase);
    const told = isWrong && text !== this.why ? `${this.why} ${phase === "your_move" ? text : ""}`.trim() : text;
    const verdict = byId("table-verdict");
    if (verdict.textContent !== told) verdict.textContent = told;
    verdict.dataset.verdict = isWrong && phase !== "your_move" ? "wrong" : phase;
  }

  /** @param {"table-steps" | "table-towers"} id @param {string[]} lines */
  list(id, lines) {
    const list = byId(id), told = lines.join("\n");
    if (list.dataset.told === told) return;
    list.dataset.told = told;
    list.replaceChildren(...lines.map((line) => html("li", {}, line)));
  }
}
