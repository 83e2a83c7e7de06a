// @ts-check
/**
 * The events of the table. A browser opens only six connections to one server, so one visible tab holds the stream (a
 * lock chooses it) and passes the events on to the others. A hidden tab holds none. Only the tab with the stream speaks.
 */

import { whileVisible } from "../common/dom.js";
import { language } from "../common/words.js";

const FIRST_STATE_DELAY_MS = 250;
const SILENCE_MS = 12_000; // the server sends something every five seconds

/**
 * @param {{state: (state: import("../common/types.js").Snapshot) => void,
 *          said: (said: import("../common/types.js").Announcement, isSpeaker: boolean) => void,
 *          connected: (isConnected: boolean) => void,
 *          lastSeq: () => number}} page `lastSeq` returns the number of the newest announcement that the page shows
 */
export function listen(page) {
  const channel = "BroadcastChannel" in window ? new BroadcastChannel(`millchen ${language}`) : null;
  /** @type {AbortController | null} */
  let waiting = null;
  let last = "";
  let isFirst = true;
  let isHolding = false;

  if (channel) {
    channel.onmessage = ({ data }) => {
      if (document.hidden) return;
      if (data.kind === "state") page.state(data.data);
      if (data.kind === "said") page.said(data.data, false);
      if (data.kind === "connected") page.connected(data.data);
    };
  }

  /** @param {string} kind @param {any} data */
  const broadcast = (kind, data) => channel?.postMessage({ kind, data });

  /** Hold the stream until `stop` aborts. @param {AbortSignal} stop @returns {Promise<void>} */
  const hold = (stop) =>
    new Promise((done) => {
      isHolding = true;
      const stream = new EventSource(`/api/events?after=${page.lastSeq()}&lang=${language}`);
      let silence = 0;
      const tell = (/** @type {boolean} */ isConnected) => { page.connected(isConnected); broadcast("connected", isConnected); };
      /** Something has come; a network that is lost tells nobody, and is known by its silence. */
      const hear = () => {
        clearTimeout(silence);
        silence = setTimeout(() => { tell(false); stream.close(); done(); }, SILENCE_MS);
      };
      for (const kind of ["open", "state", "said", "beat"]) stream.addEventListener(kind, hear);
      stream.addEventListener("open", () => tell(true));
      stream.addEventListener("error", () => {
        clearTimeout(silence);
        tell(false);
        if (stream.readyState === EventSource.CLOSED) setTimeout(done, 3000); // refused (too many pages): try again later
      });
      stream.addEventListener("state", (event) => {
        const state = JSON.parse(event.data);
        page.state(state);
        broadcast("state", state);
      });
      stream.addEventListener("said", (event) => {
        if (event.lastEventId && event.lastEventId === last) return;
        last = event.lastEventId || last;
        const announcement = JSON.parse(event.data);
        page.said(announcement, true);
        broadcast("said", announcement);
      });
      stop.addEventListener("abort", () => { clearTimeout(silence); isHolding = false; stream.close(); done(); });
    });

  const start = async () => {
    if (waiting) return;
    const control = new AbortController();
    waiting = control;
    if (!isFirst) await refresh(page); // announcements that were missed are shown, not spoken
    isFirst = false;
    // The tab with the stream may have passed on a state before this tab could listen: fetch it once.
    setTimeout(() => { if (!isHolding && !control.signal.aborted) refresh(page); }, FIRST_STATE_DELAY_MS);
    while (!control.signal.aborted) {
      try {
        if (navigator.locks) await navigator.locks.request(`millchen-stream ${language}`, { signal: control.signal }, () => hold(control.signal));
        else await hold(control.signal);
      } catch (why) {
        if (!control.signal.aborted) throw why;
      }
    }
  };
  whileVisible(start, () => { waiting?.abort(); waiting = null; });
}

/**
 * Show the newest state at once in a tab that comes back, whichever tab holds the stream.
 * @param {{state: (state: import("../common/types.js").Snapshot) => void}} page
 */
async function refresh(page) {
  try {
    const answer = await fetch(`/api/state?lang=${language}`);
    if (answer.ok) page.state(await answer.json());
  } catch {
    // The stream reports it when the server is away.
  }
}
