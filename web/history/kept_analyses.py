"""Analyses of games, kept beside the journal: one file for a game and the number of positions that were searched.

They are no records of the journal, where each would stay for ever: a search can be repeated, and a deeper one finds
better. And only one Millchen may write a journal, so that ``millchen games analyse`` beside a running page could keep
nothing. The name of a file is a digest of rules and turns: a corrected game has another one, and the same game from a
file has the same.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from referee.bounded_json import parse_json
from referee.endings import Outcome
from referee.game import Game
from referee.record import GameRecord, to_json
from referee.search.analysis import TurnAnalysis, analyse_turn, games_of, standing, turning_point
from referee.search.thought import Limits, Value
from referee.typed_json import limits, read, write
from web.journal.data_folder import write_whole

log = logging.getLogger("millchen.thinking")

ANALYSES_FOLDER = "analyses"

FILE_FORMAT = 1  # grows with every change of the file's format

Ask = Callable[..., Any]  # calls a function with its arguments, here or elsewhere, and returns its answer


@dataclass(frozen=True)
class KeptAnalysis:
    """What is known about a game so far."""

    positions: int  # that each search looked at, at most
    n_turns: int  # of the game
    end: Value | None = None  # what the last position was worth; None before that was looked at
    turns: tuple[TurnAnalysis, ...] = ()  # the last ones of the game, as many as are done, in the order of the game
    format: Annotated[int, limits(minimum=FILE_FORMAT, maximum=FILE_FORMAT)] = FILE_FORMAT

    def __post_init__(self) -> None:
        if [one.ply for one in self.turns] != list(range(self.n_turns - len(self.turns) + 1, self.n_turns + 1)):
            raise ValueError("turns of the analysis are missing")

    @property
    def is_whole(self) -> bool:
        """Whether every turn was looked at."""
        return self.end is not None and len(self.turns) == self.n_turns

    @property
    def is_exact(self) -> bool:
        """Whether all that is said is certain."""
        values = [self.end, *(value for one in self.turns for value in (one.before, one.after) if value is not None)]
        return all(value is not None and value.is_proved for value in values)

    @property
    def standings(self) -> tuple[Value | None, ...]:
        """What the beginning was worth, and the position after each turn; None where that is not known yet."""
        unknown = self.n_turns - len(self.turns)
        return (*[None] * unknown, *(one.before for one in self.turns), self.end)

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The key by which analyses of a game are compared: a whole one is better, then a deeper one."""
        return self.is_whole, self.positions, len(self.turns)

    def turning_point(self, outcome: Outcome | None) -> int | None:
        """Number of the turn that changed the result; None where no turn did, or not every turn is known."""
        if not self.is_whole or self.end is None:
            return None
        return turning_point(self.turns, outcome, self.end)


def game_digest(game: Game) -> str:
    """Return the digest of a game's rules and turns: 32 hexadecimal digits."""
    record = to_json(GameRecord(game))
    text = json.dumps([record[key] for key in ("game", "options", "fen", "turns")], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def continue_analysis(analysis: KeptAnalysis, game: Game, ask: Ask) -> Iterator[KeptAnalysis]:
    """Yield the analysis after each of the steps that are left: the end, then turn by turn to the first one."""
    most = Limits(positions=analysis.positions)
    games = games_of(game)
    if analysis.end is None:
        analysis = replace(analysis, end=ask(standing, games[-1], most))
        yield analysis
    while not analysis.is_whole:
        n = analysis.n_turns - len(analysis.turns) - 1
        after = analysis.turns[0].before if analysis.turns else analysis.end
        turn_analysis: TurnAnalysis = ask(analyse_turn, games[n], game.turns[n], most, after)
        analysis = replace(analysis, turns=(turn_analysis, *analysis.turns))
        yield analysis


class KeptAnalyses:
    """The files of a folder, which is created with the first one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def beside(cls, journal: Path) -> KeptAnalyses:
        """Those of the games of a journal."""
        return cls(journal.with_name(ANALYSES_FOLDER))

    def find(self, game: Game, positions: int = 0) -> KeptAnalysis | None:
        """Return the best analysis of a game that searched at least so many positions, or None."""
        if not game.turns:
            return None
        analyses = filter(None, map(_read, self.folder.glob(f"{game_digest(game)}-*.json")))
        deep = (one for one in analyses if one.n_turns == game.ply and one.positions >= positions)
        return max(deep, key=lambda one: one.rank, default=None)

    def load(self, game: Game, positions: int) -> KeptAnalysis:
        """Return the analysis with so many positions for each search; one without turns where none was begun."""
        analysis = _read(self._path(game, positions))
        if analysis is not None and (analysis.positions, analysis.n_turns) == (positions, game.ply):
            return analysis
        return KeptAnalysis(positions, game.ply)

    def save(self, game: Game, analysis: KeptAnalysis) -> bool:
        """Keep an analysis; return False where the disk does not take it: then it is made anew another time."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(write(analysis), ensure_ascii=False) + "\n"
            write_whole(self._path(game, analysis.positions), text.encode(), f".{os.getpid()}")
        except OSError as why:
            log.debug("an analysis was not kept: %s", why)
            return False
        return True

    def delete(self, game: Game) -> None:
        """Throw the analyses of a game away; another game with the same turns is analysed anew."""
        for path in self.folder.glob(f"{game_digest(game)}-*"):
            path.unlink(missing_ok=True)

    def _path(self, game: Game, positions: int) -> Path:
        return self.folder / f"{game_digest(game)}-{positions}.json"


def _read(path: Path) -> KeptAnalysis | None:
    try:
        return read(KeptAnalysis, parse_json(path.read_text(encoding="utf-8")))
    except OSError:
        return None
    except ValueError:
        log.warning("the analysis %s is damaged and is made anew", path.name)
        return None
