#!/usr/bin/env python3
"""Take the README's picture of the page: the demo, after its fourth mill.

    python tools/picture_of_page.py docs/page.png

Takes a minute or two, as the film runs at its own pace; drives the Chromium of the tests.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the Chromium that tests drive

from tests.web.browsing import ARGUMENTS, CHROMIUM

PLY = 17
"""The turn after which it is taken: a mill by a stone placed, with twelve stones on the board."""

REACHED = "fetch('/api/state').then(answer => answer.json()).then(state => state.game.ply)"


def main() -> None:
    """Run the demo until then, in an empty data folder, and write the picture."""
    with TemporaryDirectory() as data, sync_playwright() as playwright:
        words = [sys.executable, "millchen.py", "--no-browser", "--port", "0", "--data", data]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]) as program:
            try:
                assert program.stderr is not None
                address = program.stderr.readline().split(" is at ")[1].split()[0]
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(address)
                page.mouse.click(640, 5)  # the page may speak, and does not ask for it
                while page.evaluate(REACHED) < PLY:
                    page.wait_for_timeout(200)
                page.wait_for_timeout(1500)  # the stone has come to rest
                page.screenshot(path=sys.argv[1])
                browser.close()
            finally:
                program.terminate()


if __name__ == "__main__":
    main()
