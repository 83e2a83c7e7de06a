"""The page while its referee is dead: it says so, holds what is tapped, and sends it when that is right."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.web.browsing import Page, Visit, expect, free_port, wait_until
from tests.web.caller import Caller
from tests.web.table_nursery import Nursery
from tests.web.test_hand_play import spot


@dataclass
class Program:
    """A table in a process of its own, which dies and comes again."""

    nursery: Nursery
    data: Path
    address: str = ""
    pid: int = 0

    def start(self, port: int) -> Caller:
        self.address = f"http://127.0.0.1:{port}/"
        self.pid = self.nursery.start("hand", "nine_mens_morris", port, self.data)
        caller = Caller(port)
        caller.wait_for_state()
        return caller

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            while True:  # its folder is free when it is gone, not while its last threads end
                os.kill(self.pid, 0)
                time.sleep(0.01)
        self.pid = 0


@pytest.fixture
def program(nursery: Nursery, tmp_path: Path) -> Iterator[Program]:
    made = Program(nursery, tmp_path / "data")
    yield made
    if made.pid:
        made.kill()


def killed_under(page: Page, program: Program, point: str) -> None:
    """Kill the program and tap a point: the page says both."""
    program.kill()
    expect(page.locator("#sight")).to_have_attribute("data-sight", "gone")
    expect(page.locator("#sight-words")).to_have_text("The referee is gone")
    page.locator(spot(point)).click()
    expect(page.locator("#command-state")).to_contain_text("waits here and is sent when it is back")
    expect(page.locator(".sent-marks .meant-stone")).to_be_visible()


def stones(caller: Caller) -> dict[str, Any]:
    return dict(caller.wait_for_state()["game"]["stacks"])


def test_what_is_tapped_while_the_referee_is_dead_is_done_once_when_it_is_back(program: Program, visit: Visit) -> None:
    port = free_port()
    program.start(port).close()
    page = visit(program)
    page.locator(spot("a1")).click()
    expect(page.locator(spot("a1"))).to_have_attribute("aria-label", "a1: Player\u00a01")
    killed_under(page, program, "d6")
    page.locator(spot("f4")).click()  # a second one is not taken
    expect(page.locator(".sent-marks .meant-stone")).to_have_count(1)
    caller = program.start(port)
    expect(page.locator("#command-state")).to_have_text("Saved")
    expect(page.locator(spot("d6"))).to_have_attribute("aria-label", "d6: Player\u00a02")
    expect(page.locator("#sight")).to_have_attribute("data-sight", "watching")
    expect(page.locator(".sent-marks")).to_have_count(0)
    assert stones(caller) == {"a1": [[1, 1]], "d6": [[2, 2]]}
    caller.close()


def test_what_was_tapped_on_a_board_that_has_changed_is_refused_with_a_sentence(program: Program, visit: Visit) -> None:
    port = free_port()
    program.start(port).close()
    page = visit(program)
    killed_under(page, program, "d6")
    elsewhere = program.start(free_port())
    game = elsewhere.wait_for_state()["game"]
    seen = {"game": game["id"], "seq": game["seq"]}
    assert elsewhere.ask("/api/act", {"act": "g7", "seen": seen})[0] == 200
    elsewhere.close()
    program.kill()
    caller = program.start(port)
    expect(page.locator("#command-state")).to_contain_text("What waited was not done: the game has gone on meanwhile")
    expect(page.locator(spot("g7"))).to_have_attribute("aria-label", "g7: Player\u00a01")
    assert stones(caller) == {"g7": [[1, 1]]}
    page.wait_for_timeout(200)
    expect(page.locator("#command-state")).to_be_visible()
    page.keyboard.press("Tab")  # it stays until somebody is there
    expect(page.locator("#command-state")).to_be_hidden()
    caller.close()


def test_a_network_that_falls_silent_is_noticed(program: Program, visit: Visit) -> None:
    program.start(free_port()).close()
    page = visit(program, has_clock=True)
    page.locator(spot("a1")).click()
    wait_until(page, "document.querySelectorAll('#story li').length === 1")
    os.kill(program.pid, signal.SIGSTOP)  # its lines stay open, and nothing comes any more
    page.clock.fast_forward(12_000)
    expect(page.locator("#sight")).to_have_attribute("data-sight", "gone")
    os.kill(program.pid, signal.SIGCONT)
    expect(page.locator("#sight")).to_have_attribute("data-sight", "watching")
