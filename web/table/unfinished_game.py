"""The games of the journal that are not over: which one a table goes on with, and what is asked about it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from languages import message
from web.errors import MillchenError
from web.game.first_record import first_played, is_demo_source
from web.game.game_state import GameState
from web.game.imported_games import IMPORTED
from web.game.page_state import Offer
from web.game.replay import replay_states
from web.journal.data_folder import TurnPhotographs
from web.journal.journal import Journal
from web.journal.journal_record import KEY_FIELD, JournalRecord

log = logging.getLogger("millchen.game")


@dataclass(frozen=True)
class UnfinishedGame:
    """A game of the journal that is not over, with the state after each record."""

    records: tuple[JournalRecord, ...]
    states: tuple[GameState, ...]

    @property
    def number(self) -> int:
        """Its number in the journal."""
        return self.records[0].game

    @property
    def state(self) -> GameState:
        """The state after the last record."""
        return self.states[-1]

    @property
    def is_of_demo(self) -> bool:
        """Whether it was played in a bundled clip."""
        return is_demo_source(str(self.records[0].body["source"]))

    @property
    def is_begun(self) -> bool:
        """Whether anything would be lost with it: a stone, the names of the players, a lesson that is not solved."""
        state = self.state
        if state.lesson is not None:
            played = first_played(state.game.turns)
            return played is None or not state.lesson.is_solved_by(played)
        return bool(state.game.turns or state.game.is_set_up or state.begun or any(state.names))

    def is_as_asked(self, wanted: Mapping[str, Any]) -> bool:
        """Return whether it is the game of a first record with this body, and is watched through that source now."""
        return {**self.records[0].body, "source": self.state.source, KEY_FIELD: ""} == {**wanted, KEY_FIELD: ""}

    def offer(self, instead: Mapping[str, Any], photographs: TurnPhotographs) -> Offer | None:
        """Return the question whether it goes on; None where it is what was asked for."""
        if self.is_as_asked(instead):
            return None
        ply = self.state.game.ply
        last = next((one.seq for one in reversed(self.records) if one.kind == "turn" and one.ply == ply), None)
        seen = last if last is not None and photographs.has(last) else None
        return Offer(self.number, ply, self.records[-1].wall_time, seen, instead)


def find_unfinished(journal: Journal, wanted: Mapping[str, Any]) -> UnfinishedGame | None:
    """Return the game with which a table goes on when it is opened; None where it begins what is asked for.

    That is the newest game of people at this table, whatever is asked for, if there is anything in it. Where that is
    over, it is the newest game of all, if it is what is asked for: a demo, say.
    """
    table = str(wanted.get("table", ""))
    for number in (
        journal.last_game_of_table(table, lambda body: not is_demo_source(str(body["source"]))),
        journal.last_game_of_table(table),
    ):
        try:
            game = None if number is None else _replayed(journal, number)
        except MillchenError as why:
            log.error("%s; another one begins", why)
            continue
        if game is None or game.state.game.outcome is not None:
            continue
        if game.is_as_asked(wanted) or (game.is_begun and not game.is_of_demo):
            return game
    return None


def read_unfinished(journal: Journal, number: int) -> UnfinishedGame:
    """Return a game that people may go on with; refuse one that is damaged, from a file or a demo, or over."""
    game = _replayed(journal, number)
    if game.is_of_demo:
        raise MillchenError(message("go_on.demo", number=number))
    if game.state.game.outcome is not None:
        raise MillchenError(message("go_on.over", number=number))
    return game


def _replayed(journal: Journal, number: int) -> UnfinishedGame:
    """Return a game that was played here, over or not."""
    if not 0 < number <= (journal.last_game() or 0):
        raise MillchenError(message("page.no_game", number=number))
    try:
        records = journal.records(number)
        states = () if records[0].kind == IMPORTED else tuple(replay_states(records))
    except (MillchenError, ValueError, KeyError, TypeError, IndexError) as why:
        log.warning("game %s of the journal: %s", number, why)
        raise MillchenError(message("go_on.damaged", number=number)) from why
    if not states:
        raise MillchenError(message("go_on.imported", number=number))
    return UnfinishedGame(records, states)
