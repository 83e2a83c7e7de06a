"""What the page shows of a command until it is written, and when it is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from languages import message
from tests.web.browsing import Serve, Visit, expect
from web.errors import NotWrittenError
from web.table.current_game import CommittedCommand, Sent


def test_a_command_is_pending_then_done_or_refused(served: Serve, visit: Visit) -> None:
    at = served()
    at.table.new_game("nine_mens_morris", {}, "hand")
    page = visit(at)
    line = page.locator("#command-state")
    carry_out = at.table.carry_out
    answer = threading.Event()

    def slowly(sent: Sent, command: Callable[[], Any]) -> CommittedCommand:
        answer.wait(30)
        return carry_out(sent, command)

    at.table.carry_out = slowly  # type: ignore[method-assign]
    page.locator(".touch[aria-label^='d6:']").click()
    expect(line).to_have_text("Being saved …")
    answer.set()
    expect(line).to_have_text("Saved")
    expect(line).to_be_hidden()

    def refuse(sent: Sent, command: Callable[[], Any]) -> CommittedCommand:
        raise NotWrittenError(message("game.not_written"))

    at.table.carry_out = refuse  # type: ignore[method-assign]
    page.locator(".touch[aria-label^='d7:']").click()
    expect(line).to_have_text("this could not be saved and was not done (is the disk full?): try again in a moment")
    assert at.table.publisher.snapshot.game.ply == 1

    def late(sent: Sent, command: Callable[[], Any]) -> CommittedCommand:
        return carry_out(Sent(sent.game, 1, sent.key), command)  # as from a page that has not heard of d6

    at.table.carry_out = late  # type: ignore[method-assign]
    page.locator(".touch[aria-label^='d7:']").click()
    expect(line).to_have_text("the game has gone on meanwhile: look again")
