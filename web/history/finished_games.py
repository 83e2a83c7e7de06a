"""A replayed game in, its turns with their sentences, summary and statistics out; players count from 1."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise, takewhile
from typing import Any

from languages import DEFAULT_LANGUAGE, LANGUAGES
from referee.game import Game
from referee.moves import turn_text
from web.colour_names import colour_names, display_colours
from web.game.event_sentences import callers_of
from web.game.game_state import GameState
from web.game.page_state import game_view
from web.game.records import HAND_ENDINGS, announce_record, imported_turn_sentences
from web.game.replay import ReplayedGame
from web.history.kept_analyses import KeptAnalysis
from web.journal.data_folder import TurnPhotographs
from web.journal.journal_record import JournalRecord
from web.page_words import words

INTERIM_KINDS = ("foul", "restored", "question", "out", "owner", "warning")
"""Kinds of records between two turns that are shown beside the first of them."""

CONSTANT_VIEW_KEYS = (
    "id", "name", "board", "points", "players", "max_height", "names", "can_redo", "photographs",
    "question", "mover_open", "clock",
)  # fmt: skip
"""Keys of a view that no turn changes, or that only the running game needs."""

ANALYSIS_COMMENT = "Millchen: "  # how a comment in the record begins that an analysis has written, and no person

COMMAND = re.compile(r"\[%\w+ [^\]]*\]")
"""What programs write into comments for one another: ``[%clk 0:09:58]``. Source: PGN specification, supplement."""

_DATE = re.compile(r"(\d{4})[.-](\d{1,2})[.-](\d{1,2})")

LONGEST_TURN_S = 3600.0  # seconds that a turn by hand takes at most; after that people have been away

N_OPENING_TURNS = 6  # turns of the opening, by which a game can be found


@dataclass(frozen=True)
class Ply:
    """The state after a turn; number 0 is the beginning."""

    game: Game  # up to this turn
    record: JournalRecord  # of the turn
    text: str = ""  # its announcement
    interim_events: tuple[tuple[JournalRecord, str], ...] = ()  # records before the next turn, and their announcements


@dataclass(frozen=True)
class GameHistory:
    """A game of the journal, turn by turn."""

    number: int
    plies: tuple[Ply, ...]  # the beginning and the state after each turn
    state: GameState  # after the last record
    remarks: Mapping[int, str]  # what people have written about its turns, by ply
    language: str = DEFAULT_LANGUAGE  # of its sentences
    problem: str = ""  # one sentence about what could not be read
    analysis: KeptAnalysis | None = None  # None where nobody has asked for one, or the caller needs none

    @property
    def game(self) -> Game:
        """The whole game."""
        return self.state.game

    @property
    def begun(self) -> str:
        """Time of its beginning, or the day where its file names one; ISO 8601."""
        return self._day or self.plies[0].record.wall_time

    @property
    def ended(self) -> str:
        """Time at which the last turn was accepted, or the day as `begun`; ISO 8601."""
        return self._day or self.plies[-1].record.wall_time

    @property
    def _day(self) -> str:
        """The day that the file of the game names, or nothing."""
        file = self.state.file_record
        day = None if file is None else _DATE.fullmatch(dict(file.tags).get("Date", ""))
        if day is None:
            return ""
        try:
            return date(*map(int, day.groups())).isoformat()
        except ValueError:
            return ""  # the 31st of February

    @property
    def spoken_names(self) -> tuple[str, ...]:
        """The names of the players in sentences: a name, else the name of a colour, else nothing."""
        return self._or_colours(self.state.called)

    @property
    def listed_names(self) -> tuple[str, ...]:
        """The names of the players where games are listed or shown: as records have them, else as `spoken_names`."""
        return self._or_colours(self.state.recorded_names)

    def _or_colours(self, names: Sequence[str]) -> tuple[str, ...]:
        n = self.game.variant.players
        return callers_of((*names, *[""] * n)[:n], colour_names(self.state.colours))[:n]


def search_text(history: GameHistory) -> str:
    """Return the text in which a game is searched: game, date, players, colours, remarks, opening; in lower case."""
    return " ".join(
        [
            history.game.variant.name.replace("_", " "),
            history.begun[:10],
            *history.state.recorded_names,
            *colour_names(history.state.colours),
            *history.remarks.values(),
            " ".join(turn_text(turn.moves) for turn in history.game.turns[:N_OPENING_TURNS] if turn.moves),
        ]
    ).casefold()


def game_history(replayed: ReplayedGame, language: str | None = None) -> GameHistory:
    """Return a game turn by turn; no sentences if ``language`` is None. Raises ValueError where it has no beginning.

    A game that cannot be read to its end has no ending.
    """
    if not replayed.records:
        raise ValueError(replayed.problem or "the game has no beginning")
    first, state, end = replayed.records[0], replayed.states[0], replayed.states[-1]
    remarks: dict[int, str] = {}
    plies = imported_plies(first, state.game, end, language)
    if state.file_record is not None:
        remarks |= written_remarks(state.file_record.comments)
    for record, (before, state) in zip(replayed.records[1:], pairwise(replayed.states), strict=True):
        if record.kind == "remark":
            remarks[record.ply or 0] = record.body["text"]
            continue
        with_names = replace(state, names=end.called, colours=end.colours)
        text = "" if language is None else announced_text(record, with_names, colour_names(end.colours), language) or ""
        if state.game is before.game:
            if record.kind in INTERIM_KINDS:
                plies[-1] = replace(plies[-1], interim_events=(*plies[-1].interim_events, (record, text)))
            continue
        common = takewhile(lambda pair: pair[0] == pair[1], zip(before.game.turns, state.game.turns, strict=False))
        n = sum(1 for _ in common)
        read_anew = plies[n + 1 : state.game.ply + 1]
        del plies[n + 1 :]  # turns that were taken back or read anew
        if "amends" in record.body and read_anew:
            plies += _reread_plies(read_anew, state.game, text)
            continue
        if record.kind == "turn":  # it has shown what was open when a position was taken over, see `play_as_read`
            games = _games_after(state.game, n + 1, state.game.ply - 1)
            plies += [replace(ply, game=game) for ply, game in zip(read_anew, games, strict=True)]
        if state.game.ply >= len(plies):
            plies.append(Ply(state.game, record, text))
        else:
            events = plies[-1].interim_events
            if record.kind in HAND_ENDINGS:
                events = (*events, (record, text))
            plies[-1] = replace(plies[-1], game=state.game, interim_events=events)
    if replayed.problem:
        state = replace(state, game=replace(state.game, outcome=None))
        plies[-1] = replace(plies[-1], game=state.game)
    texts = {n: text for n, text in remarks.items() if text}
    return GameHistory(first.game, tuple(plies), state, texts, language or DEFAULT_LANGUAGE, replayed.problem)


def announced_text(record: JournalRecord, state: GameState, colours: tuple[str, ...], language: str) -> str | None:
    """Return the announcement of a record in one language, or None; ``state`` is the game after it."""
    announced = announce_record(record, state, colours)
    return None if announced is None else announced.texts[language]


def imported_plies(first: JournalRecord, game: Game, end: GameState, language: str | None) -> list[Ply]:
    """Return the beginning of a game, and each of the turns that its first record holds."""
    before = Game(game.first_position)
    plies = [Ply(before, first)]
    for turn in game.turns:
        after = before.play_turn(turn)
        turns = () if language is None else imported_turn_sentences(before, after, end)
        plies.append(Ply(after, first, " ".join(sentences["texts"][language or ""] for sentences in turns)))
        before = after
    plies[-1] = replace(plies[-1], game=game)  # with how it ended, and with a turn that has begun
    return plies


def written_remarks(comments: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return what people have written in the comments of a record, by ply, without what programs wrote."""
    remarks: dict[int, str] = {}
    taken_over = [words(language)["taken_over"] for language in LANGUAGES]
    for ply, text in comments:
        plain = COMMAND.sub("", text).strip()
        if plain and plain not in taken_over and not plain.startswith(ANALYSIS_COMMENT):
            remarks[ply] = f"{remarks[ply]}\n{plain}" if ply in remarks else plain
    return remarks


def _reread_plies(plies: Sequence[Ply], game: Game, text: str) -> list[Ply]:
    """Return the turns of the game as it is now, from a first turn that was read anew.

    Each keeps the record, and so the photograph, of the turn that was first accepted.
    """
    games = _games_after(game, game.ply - len(plies) + 1, game.ply - 1) + [game]
    reread = [replace(ply, game=after) for ply, after in zip(plies, games, strict=True)]
    reread[0] = replace(reread[0], text=text, record=replace(reread[0].record, by="hand"))
    return reread


def _games_after(game: Game, first: int, last: int) -> list[Game]:
    """Return the game up to each of its turns from number ``first`` to ``last``."""
    return [Game.replay(game.first_position, game.turns[:n]) for n in range(first, last + 1)]


def game_summary(history: GameHistory) -> dict[str, Any]:
    """Return what a list of games shows of one; JSON values."""
    game, outcome = history.game, history.game.outcome
    return {
        "id": history.number,
        "game": game.variant.name,
        "board": game.variant.board.name,
        "begun": history.begun,
        "ended": history.ended,
        "turns": game.ply,
        "names": list(history.state.recorded_names),
        "colours": list(display_colours(history.state.colours)),
        "colour_names": list(colour_names(history.state.colours)),
        "over": outcome is not None,
        "winner": None if outcome is None or outcome.winner is None else outcome.winner + 1,
        "reason": None if outcome is None else str(outcome.termination),
        "decider": history.state.decider,
        "problem": history.problem or None,
    }


def replay_json(history: GameHistory, photographs: TurnPhotographs | None, base: str = "") -> Any:
    """Return the whole game for the replay page as JSON; ``base`` is the URL of its pages, empty for the usual one."""
    has_photograph = photographs.has if photographs is not None else lambda _: False
    end, colours = history.state, colour_names(history.state.colours)
    whole = game_view(history.number, end, end.game, colours)
    plies = []
    for n, ply in enumerate(history.plies):
        state = replace(end, game=ply.game, foul=None, question=None)
        view = game_view(history.number, state, ply.game, colours)
        turn = ply.game.turns[-1] if ply.game.turns else None
        body = ply.record.body
        plies.append(
            {
                "view": {key: value for key, value in vars(view).items() if key not in CONSTANT_VIEW_KEYS},
                "text": ply.text,
                "notation": turn_text(turn.moves) if turn is not None and turn.moves else "",
                "player": None if turn is None else turn.player + 1,
                "mills": 0 if turn is None else len(turn.counted_mills),
                "kind": ply.record.kind,
                "by": ply.record.by,
                "seq": ply.record.seq if has_photograph(ply.record.seq) else None,
                "took": turn_seconds(history.plies, n),
                "time": ply.record.wall_time,
                "clock": body.get("clock"),
                "remark": history.remarks.get(n, ""),
                "asides": [
                    {"kind": record.kind, "text": text, "seq": record.seq if has_photograph(record.seq) else None}
                    for record, text in ply.interim_events
                    if text
                ],
            }
        )
    return {
        **game_summary(history),
        "given": list((*end.names, *[""] * history.game.variant.players)[: history.game.variant.players]),
        "base": base or f"/games/{history.number}",
        "may_edit": not base,
        "constant": {key: getattr(whole, key) for key in CONSTANT_VIEW_KEYS if key != "question"},
        "outcome": None if whole.outcome is None else whole.outcome.texts[history.language],
        "plies": plies,
        "statistics": game_statistics(history),
    }


def turn_seconds(plies: Sequence[Ply], n: int) -> float | None:
    """Return the seconds between a turn and the one before; None when unknown.

    A turn by hand has the time of this computer's clock, what a camera saw that of the source.
    """
    if n == 0:
        return None
    before, now = plies[n - 1].record, plies[n].record
    if now.by != "camera" and now.kind == before.kind == "turn":
        took = (datetime.fromisoformat(now.wall_time) - datetime.fromisoformat(before.wall_time)).total_seconds()
        return took if 0 <= took <= LONGEST_TURN_S else None
    t_before, t_now = before.body.get("t"), now.body.get("t")
    return float(t_now) - float(t_before) if t_now is not None and t_before is not None and t_now >= t_before else None


def game_statistics(history: GameHistory) -> dict[str, Any]:
    """Return mills, captures and thinking time of each player, and the special turns of a game; JSON values."""
    plies, positions = history.plies, [ply.game.position for ply in history.plies]
    turns = [(n, turn) for n, turn in enumerate(history.game.turns, start=1) if not turn.remarks]
    took = {n: seconds for n, _ in turns if n < len(plies) and (seconds := turn_seconds(plies, n)) is not None}
    of_players = [[one for one in turns if one[1].player == k] for k in range(history.game.variant.players)]
    times = [[took[n] for n, _ in own if n in took] for own in of_players]
    longest = max(took, key=took.__getitem__, default=None)
    point, n_visits = _most_common(move.to for _, turn in turns for move in turn.moves if hasattr(move, "to"))
    mill, n_made = _most_common(tuple(sorted(mill)) for _, turn in turns for mill in turn.counted_mills)
    events = [record for ply in plies for record, _ in ply.interim_events]
    return {
        "turns": [len(own) for own in of_players],
        "mills": [sum(len(turn.counted_mills) for _, turn in own) for own in of_players],
        "captures": [sum(hasattr(move, "at") for _, turn in own for move in turn.moves) for own in of_players],
        "average_s": [round(sum(own) / len(own), 1) if own else None for own in times],
        "longest": None if longest is None else {"ply": longest, "seconds": round(took[longest], 1)},
        "busiest": {"point": point, "times": n_visits} if n_visits > 1 else None,
        "hungriest": {"mill": list(mill), "times": n_made} if n_made > 1 else None,
        # a lawful turn that Millchen did not mean is no foul of the player
        "fouls": sum(record.kind == "foul" and "meant" not in record.body for record in events),
        "leads": [[hand + n for hand, n in zip(one.hands, one.counts, strict=True)] for one in positions],
    }


def _most_common(values: Iterable[Any]) -> tuple[Any, int]:
    return next(iter(Counter(values).most_common(1)), (None, 0))
