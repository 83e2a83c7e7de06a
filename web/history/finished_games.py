"""Games that have been played, as the page shows them: the list, and each game turn by turn.

Players count from 1; every turn carries the same view of the board as the running game (`web.game.game_json`), so that
one drawing shows both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.events import Event
from referee.game import Game
from referee.moves import turn_text
from web.drawing.colour_names import colour_names, display_colours
from web.game.announcements import Say, announcement
from web.game.game_json import game_view
from web.game.player_commands import ENDINGS
from web.game.replay import Course, begin, tell
from web.history.journal_reader import JournalReader, ReplayedGame
from web.journal.journal_record import Record
from web.journal.turn_photographs import TurnPhotographs

INTERIM_KINDS = ("foul", "restored", "question")
"""What happens between two turns and is told beside the first of them."""

CONSTANT_VIEW_KEYS = (
    "id", "name", "board", "points", "players", "may_turn", "max_height", "names", "can_redo", "photographs",
    "question",
)  # fmt: skip
"""Entries of a view that no turn changes, or that only the running game needs."""


@dataclass(frozen=True)
class Ply:
    """The table after a turn; number 0 is the beginning.

    Attributes
    ----------
    game : Game
    record : Record
        What brought it about.
    text : str
        What was announced of it.
    interim_events : tuple of (record, text)
        What happened before the next turn.
    """

    game: Game
    record: Record
    text: str = ""
    interim_events: tuple[tuple[Record, str], ...] = ()


@dataclass(frozen=True)
class GameHistory:
    """A game of the journal.

    Attributes
    ----------
    number : int
    plies : tuple of Ply
    course : Course
        Where it has led.
    remarks : mapping
        What people have written beside its turns, by ply.
    problem : str
        One sentence on what could not be read, else empty.
    """

    number: int
    plies: tuple[Ply, ...]
    course: Course
    remarks: Mapping[int, str]
    problem: str = ""

    @property
    def game(self) -> Game:
        """All of it."""
        return self.course.game

    @property
    def begun(self) -> str:
        """When it began; ISO 8601 with zone."""
        return self.plies[0].record.wall_time

    @property
    def ended(self) -> str:
        """When the last turn was accepted."""
        return self.plies[-1].record.wall_time

    @property
    def spoken_names(self) -> tuple[str, ...]:
        """What each player is called in sentences: a name, else the name of a colour, else nothing."""
        return called(self.course)


def called(course: Course) -> tuple[str, ...]:
    """What each player is called in sentences: a name, else the name of a colour, else nothing."""
    n = course.game.variant.players
    colours = (*colour_names(course.colours), *[""] * n)[:n]
    names = (*course.names, *[""] * n)[:n]
    return tuple(name or colour for name, colour in zip(names, colours, strict=True))


def find_games(archive: JournalReader, query: str = "") -> list[GameHistory]:
    """The games in which every word of ``query`` occurs (names, game, date, remarks), newest first."""
    wanted = query.casefold().split()
    found = []
    for entry in archive.entries():
        if not entry.name:
            continue  # its beginning is damaged
        past = game_history(archive.replay(entry.number))
        words = search_text(past)
        if all(word in words for word in wanted):
            found.append(past)
    return found[::-1]


N_OPENING_TURNS = 6
"""Turns by which an opening is known."""


def search_text(past: GameHistory) -> str:
    """The words by which a game is found: game, date, players, colours, remarks, and how it was opened."""
    return " ".join(
        [
            past.game.variant.name.replace("_", " "),
            past.begun[:10],
            *past.course.names,
            *colour_names(past.course.colours),
            *past.remarks.values(),
            " ".join(turn_text(turn.moves) for turn in past.game.turns[:N_OPENING_TURNS] if turn.moves),
        ]
    ).casefold()


def game_history(played: ReplayedGame, say: Say | None = None, language: str = "en") -> GameHistory:
    """A game turn by turn, told in one language where ``say`` is given.

    Raises
    ------
    ValueError
        When not even its beginning can be read.
    """
    if not played.records:
        raise ValueError(played.problem or "the game has no beginning")
    first = played.records[0]
    course = begin(first)
    plies = [Ply(course.game, first)]
    remarks: dict[int, str] = {}
    end = played.course if played.course is not None else course
    for record in played.records[1:]:
        before, course = course, tell(course, record)
        if record.kind == "remark":
            remarks[record.ply or 0] = record.body["text"]
            continue
        text = _announcement_text(record, replace(course, names=end.names, colours=end.colours), say, language)
        if course.game is before.game:
            if record.kind in INTERIM_KINDS:
                plies[-1] = replace(plies[-1], interim_events=(*plies[-1].interim_events, (record, text)))
            continue
        n = _n_common(before.game, course.game)
        read_anew = plies[n + 1 : course.game.ply + 1]
        del plies[n + 1 :]  # turns that were taken back
        if "amends" in record.body and read_anew:
            plies += _reread_plies(read_anew, course.game, text)
            continue
        if course.game.ply > n:
            plies.append(Ply(course.game, record, text))
        else:
            asides = (*plies[-1].interim_events, (record, text)) if record.kind in ENDINGS else plies[-1].interim_events
            plies[-1] = replace(plies[-1], game=course.game, interim_events=asides)
    return GameHistory(first.game, tuple(plies), course, {n: text for n, text in remarks.items() if text}, played.problem)


def _reread_plies(plies: Sequence[Ply], game: Game, text: str) -> list[Ply]:
    """Turns of which the first has been read anew: each keeps the photograph that was taken when it was accepted."""
    first = game.ply - len(plies) + 1
    find_games = [Game.replay(game.first_position, game.turns[:n]) for n in range(first, game.ply)] + [game]
    told = [replace(ply, game=after) for ply, after in zip(plies, find_games, strict=True)]
    told[0] = replace(told[0], text=text, record=replace(told[0].record, by="hand"))
    return told


def _n_common(one: Game, other: Game) -> int:
    """How many turns two games have in common."""
    n = 0
    for a, b in zip(one.turns, other.turns, strict=False):
        if a != b:
            break
        n += 1
    return n


def _announcement_text(record: Record, course: Course, say: Say | None, language: str) -> str:
    if say is None:
        return ""
    said = announcement(record, course, colour_names(course.colours), say)
    return said.sentences["texts"][language] if said is not None else ""


# ---------------------------------------------------------------- for the page


def game_summary(past: GameHistory) -> dict[str, Any]:
    """A line of the list."""
    game, outcome = past.game, past.game.outcome
    return {
        "id": past.number,
        "game": game.variant.name,
        "board": game.variant.board.name,
        "begun": past.begun,
        "ended": past.ended,
        "turns": game.ply,
        "names": list((*past.course.names, *[""] * game.variant.players)[: game.variant.players]),
        "colours": list(display_colours(past.course.colours)),
        "colour_names": list(colour_names(past.course.colours)),
        "over": outcome is not None,
        "winner": None if outcome is None or outcome.winner is None else outcome.winner + 1,
        "reason": None if outcome is None else str(outcome.termination),
        "problem": past.problem or None,
    }


def replay_json(
    past: GameHistory,
    album: TurnPhotographs | None,
    language: str,
    say: Callable[[Event], Mapping[str, Mapping[str, str]]],
    base: str = "",
) -> Any:
    """The whole game for the replay: what is constant, and a view of the board after each turn.

    Parameters
    ----------
    past : Past
    album : Album or None
        Its photographs, where they are on this computer.
    language : str
    say : callable
    base : str
        Where pages about this game are; empty for a game of the table's own journal.
    """
    seen = album.has if album is not None else lambda _: False
    end = past.course
    whole = game_view(past.number, end, end.game, say)
    plies = []
    for n, ply in enumerate(past.plies):
        view = game_view(past.number, replace(end, game=ply.game, foul=None, question=None), ply.game, say)
        turn = ply.game.turns[-1] if ply.game.turns else None
        body = ply.record.body
        plies.append(
            {
                "view": {key: value for key, value in view.items() if key not in CONSTANT_VIEW_KEYS},
                "text": ply.text,
                "notation": turn_text(turn.moves) if turn is not None and turn.moves else "",
                "player": None if turn is None else turn.player + 1,
                "kind": ply.record.kind,
                "by": ply.record.by,
                "seq": ply.record.seq if seen(ply.record.seq) else None,
                "took": _turn_seconds(past.plies, n),
                "time": ply.record.wall_time,
                "clock": body.get("clock"),
                "remark": past.remarks.get(n, ""),
                "asides": [
                    {"kind": record.kind, "text": text, "seq": record.seq if seen(record.seq) else None}
                    for record, text in ply.interim_events
                    if text
                ],
            }
        )
    return {
        **game_summary(past),
        "base": base or f"/games/{past.number}",
        "may_edit": not base,
        "constant": {key: whole[key] for key in CONSTANT_VIEW_KEYS if key != "question"},
        "outcome": None if whole["outcome"] is None else whole["outcome"]["texts"][language],
        "plies": plies,
        "statistics": game_statistics(past),
    }


def _turn_seconds(plies: Sequence[Ply], n: int) -> float | None:
    """Seconds between a turn and the one before, by the time of the source."""
    if n == 0 or "t" not in plies[n].record.body:
        return None
    before = plies[n - 1].record.body.get("t")
    took = float(plies[n].record.body["t"]) - float(before) if before is not None else None
    return took if took is not None and took >= 0 else None


def game_statistics(past: GameHistory) -> dict[str, Any]:
    """What people like to know of a game: mills, captures and thinking time of each player, and its special turns."""
    game = past.game
    n_players = game.variant.players
    mills, captures, turns = [0] * n_players, [0] * n_players, [0] * n_players
    took: list[list[float]] = [[] for _ in range(n_players)]
    longest: tuple[float, int] | None = None
    busiest: Counter[str] = Counter()
    made: Counter[tuple[str, ...]] = Counter()
    for n, turn in enumerate(game.turns, start=1):
        if turn.remarks:
            continue
        turns[turn.player] += 1
        mills[turn.player] += len(turn.mills)
        made.update(tuple(sorted(mill)) for mill in turn.mills)
        captures[turn.player] += sum(1 for move in turn.moves if hasattr(move, "at"))
        busiest.update(move.to for move in turn.moves if hasattr(move, "to"))
        seconds = _turn_seconds(past.plies, n) if n < len(past.plies) else None
        if seconds is not None:
            took[turn.player].append(seconds)
            if longest is None or seconds > longest[0]:
                longest = (seconds, n)
    leads = _stone_counts(past.plies)
    point, times = busiest.most_common(1)[0] if busiest else ("", 0)
    mill, n_made = made.most_common(1)[0] if made else ((), 0)
    return {
        "turns": turns,
        "mills": mills,
        "captures": captures,
        "average_s": [round(sum(all_) / len(all_), 1) if all_ else None for all_ in took],
        "longest": None if longest is None else {"ply": longest[1], "seconds": round(longest[0], 1)},
        "busiest": {"point": point, "times": times} if times > 1 else None,
        "hungriest": {"mill": list(mill), "times": n_made} if n_made > 1 else None,
        "fouls": sum(1 for ply in past.plies for record, _ in ply.interim_events if record.kind == "foul"),
        "leads": leads,
    }


def _stone_counts(plies: Sequence[Ply]) -> list[list[int]]:
    """For each ply the stones that each player has, in hand and on the board: the course of a game at a glance."""
    return [
        [hand + stones for hand, stones in zip(ply.game.position.hands, ply.game.position.counts, strict=True)]
        for ply in plies
    ]
