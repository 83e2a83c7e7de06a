"""From a person's turn to the pixels of a page while two hundred watch: where the milliseconds go.

    python -m tools.benchmarks.bench_viewers [events]

A real command, by hand, serves 199 plain listeners and one Chromium. Stones are put down one by one; told are, from the
sending of each: when the answer was there (it is written by then), when the listeners heard it, when the page heard it,
when it had changed, and when the picture with the change had been handed to the screen. All of it runs on one machine,
so a pace is told beside: seconds on the wall for one of the processor, 1.0 on a quiet one.
"""

import selectors
import socket
import sys
import threading
import time
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.web.browsing import ARGUMENTS, CHROMIUM
from tests.web.caller import Caller
from tests.web.pace import slowness
from tools.benchmarks.shared_measures import figures, serving

PORT = 18_540
LISTENERS = 199
INTERVAL_S = 0.5
ASK = b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
WATCH = """
window.marks = {};
const now = () => (performance.timeOrigin + performance.now()) / 1000;
const Stream = window.EventSource;
window.EventSource = class extends Stream {
  constructor(address) {
    super(address);
    this.addEventListener("said", ({ lastEventId }) => {
      window.newest = lastEventId;
      window.marks[lastEventId] = { heard: now() };
    });
  }
};
document.addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
  const mark = window.marks[window.newest];
  if (!mark || mark.changed) return;
  mark.changed = now();
  requestAnimationFrame(() => setTimeout(() => { mark.painted = now(); }));
}).observe(document.getElementById("story"), { childList: true, subtree: true }));
"""


class Listeners(threading.Thread):
    """Plain callers of the stream, all in one thread; when each heard each event."""

    def __init__(self, n: int) -> None:
        super().__init__(daemon=True)
        self._selector = selectors.DefaultSelector()
        self.heard_s: dict[int, list[float]] = {}
        self.stops = False
        for _ in range(n):
            caller = socket.create_connection(("127.0.0.1", PORT), timeout=30)
            caller.sendall(ASK)
            caller.setblocking(False)
            self._selector.register(caller, selectors.EVENT_READ)

    def run(self) -> None:
        """Listen until it is told to stop."""
        while not self.stops:
            for key, _ in self._selector.select(0.1):
                read = key.fileobj.recv(65536)  # type: ignore[union-attr]
                now_s = time.time()
                for line in read.split(b"\n"):
                    if line.startswith(b"id: "):
                        self.heard_s.setdefault(int(line[4:]), []).append(now_s)


def put_stones(page: Page, caller: Caller, n: int) -> dict[int, tuple[float, float]]:
    """Put stones down and take them away again; by the number of the event when it was sent and answered."""
    sent: dict[int, tuple[float, float]] = {}
    for k in range(n):
        game = caller.wait_for_state()["game"]
        point = game["points"][k // 2 % len(game["points"])]
        body = {"point": point, "top": 0 if game["stacks"].get(point) else 1}
        began = time.time()
        status, answer = caller.ask("/api/correct", body | {"seen": {"game": game["id"], "seq": game["seq"]}})
        if status != 200:
            raise SystemExit(f"refused: {answer}")
        done = time.time()
        page.wait_for_timeout(1000 * INTERVAL_S)
        sent[caller.wait_for_state()["game"]["seq"]] = began, done
    return sent


def main() -> None:
    """Print the table."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    by_hand = ["--game", "nine_mens_morris", "--source", "hand"]
    with serving(by_hand, PORT) as caller, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        page = chromium.new_page()
        page.add_init_script(WATCH)
        page.goto(f"http://127.0.0.1:{PORT}/")
        listeners = Listeners(LISTENERS)
        listeners.start()
        page.wait_for_timeout(3000)
        pace = slowness()
        sent = put_stones(page, caller, n)
        marks: dict[str, Any] = page.evaluate("window.marks")
        listeners.stops = True
        chromium.close()
    seen = {seq: marks[str(seq)] for seq in sent if str(seq) in marks}
    heard = [at - sent[seq][0] for seq in sent for at in listeners.heard_s.get(seq, [])]
    print(f"{len(seen)} of {n} events on the page, {len(heard)} of {n * LISTENERS} by listeners; pace {pace:.1f}")
    print(figures("sent to answered", [done - began for began, done in sent.values()]))
    print(figures("sent to heard by the listeners", heard))
    print(figures("sent to heard by the page", [mark["heard"] - sent[seq][0] for seq, mark in seen.items()]))
    print(figures("heard by the page to changed", [mark["changed"] - mark["heard"] for mark in seen.values()]))
    print(figures("changed to painted", [mark["painted"] - mark["changed"] for mark in seen.values()]))
    print(figures("sent to painted", [mark["painted"] - sent[seq][0] for seq, mark in seen.items()]))


if __name__ == "__main__":
    main()
