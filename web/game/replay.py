"""Rebuilds the state of a game from the records of the journal, one record at a time.

The live table and a restart apply records with the same function (`apply_record`), so the page shows what it would show
after a power cut.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from referee.endings import Termination
from referee.events import (
    BoardFound,
    Event,
    FoulSeen,
    MillClosed,
    QuestionAsked,
    Restored,
    Resumed,
    TurnAmended,
    TurnPlayed,
)
from referee.fen import parse_fen
from referee.game import Game
from referee.moves import parse_move
from referee.presets import find_variant
from referee.record import Record as GameRecord
from referee.record import to_json
from referee.record_reader import from_json
from referee.resumption import play_as_read, resume
from referee.search.lessons import Lesson
from referee.turns import Turn
from web.game.clock import Clock, parse_clock
from web.game.event_records import event_of_record, is_judged
from web.game.hand_corrections import correct_point, replace_turns, rotate_ring
from web.game.lesson_record import lesson_of_body
from web.game.partners import (
    Partner,
    Proposal,
    names_with_partners,
    partner_body,
    partner_of_body,
    proposal_of_body,
)
from web.journal.journal_record import JournalRecord

IMPORTED = "imported"
"""Kind of the first record of a game that came from a file; it holds the whole game."""

LAID_FIELD = "laid"
"""Field of a first record that holds the position from which a game begins, and the colours of its stones by player."""

MAX_CACHED_RECORDS = 256
"""Most games from files that are kept in memory: the list of games plays each of them through. Source: chosen."""

MAX_NAME_CHARACTERS = 40
"""Longest name of a player. Source: chosen."""

ARBITER_TAG = "Arbiter"
"""Name of the tag that says which referee ended the game. Source: chosen; the PGN standard has none."""

UNNAMED_ARBITER = "referee"
"""What the tag says where nobody has given a name."""

DECIDED_ENDINGS = (Termination.ARBITER, Termination.ABANDONED)
"""Endings that a referee decides."""


@dataclass(frozen=True, eq=False)
class GameState:
    """A game together with what only its records say.

    Attributes:
        game: The accepted turns.
        foul: The foul in dispute.
        question: The question to the players that is still open.
        announced_mill: A mill that was announced and whose turn is not complete yet.
        begun: Moves, in notation, of a turn that was begun by hand on the page and still owes its captures.
        last_event_s: Time of the source at which the newest event was seen; None before the first.
        names: tuple of str, by player. Names of the players; empty where nobody has given any.
        keeps_photographs: Whether a photograph of every accepted turn is kept.
        clock: What was agreed about time, and the seconds used at the last turn; it never runs in here.
        colours: tuple of str, by player. ``#rrggbb`` of the stones as they were seen; empty while unknown.
        undone_turns: Turns that were taken back and can be played again, the next one first.
        decider: The referee who decided how the game ended, empty where nobody has said a name; None where the rules or
            the players ended it.
        file_record: What stood in the file that the game was opened from; None where it was played here.
        source: Where its pictures came from last, as people named it; its first record says where they came from first.
        partners: The players (0 first) for whom Millchen plays.
        partners_at_end: Those for whom it played when the game ended; empty before.
        allows_hints: Whether people may ask for hints; None where nobody has said so: then they may where Millchen
            plays.
        proposal: The turn that Millchen wants people to make now.
        hint: The advice that was given about the position that lies there now.
        lesson: The lesson that is laid; None where it is a game.
        lesson_number: Its number among those of its game, 1 first.
    """

    game: Game
    foul: FoulSeen | None = None
    question: QuestionAsked | None = None
    announced_mill: MillClosed | None = None
    begun: tuple[str, ...] = ()
    last_event_s: float | None = None
    names: tuple[str, ...] = ()
    keeps_photographs: bool = False
    clock: Clock = Clock()
    colours: tuple[str, ...] = ()
    undone_turns: tuple[Turn, ...] = ()
    decider: str | None = None
    file_record: GameRecord | None = None
    source: str = ""
    partners: Mapping[int, Partner] = field(default_factory=dict)
    partners_at_end: Mapping[int, Partner] = field(default_factory=dict)
    allows_hints: bool | None = None
    proposal: Proposal | None = None
    hint: Proposal | None = None
    lesson: Lesson | None = None
    lesson_number: int = 0

    @property
    def called(self) -> tuple[str, ...]:
        """What each player is called in sentences: the name, else Millchen where that plays, else empty."""
        if not self.partners:
            return self.names
        return names_with_partners(self.names, self.game.variant.players, self.partners)

    @property
    def recorded_names(self) -> tuple[str, ...]:
        """What records call each player: the name that people gave, else ``Millchen (medium)``, else empty.

        Where people and Millchen have played for the same player, it counts who did so last; who is chosen when the
        game is over is chosen for the next one.
        """
        partners = self.partners if self.game.outcome is None else self.partners_at_end
        return names_with_partners(self.names, self.game.variant.players, partners, with_strength=True)

    @property
    def trial(self) -> Turn | None:
        """The first turn that was made in a lesson, as long as no other one has followed; None in a game."""
        played = [turn for turn in self.game.turns if turn.moves]
        return played[0] if self.lesson is not None and len(played) == 1 else None

    @property
    def may_hint(self) -> bool:
        """Whether people may ask for hints."""
        return bool(self.partners) if self.allows_hints is None else self.allows_hints


def start_record_body(game: str, options: Mapping[str, Any], source: str, table: str = "") -> dict[str, Any]:
    """Return the body of the record that begins a game; ``table`` names the table among several."""
    return {"game": game, "options": dict(options), "source": source} | ({"table": table} if table else {})


def source_record_body(source: str, table: str = "") -> dict[str, Any]:
    """Return the body of the record that says from which source, and at which table, a game goes on."""
    return {"source": source} | ({"table": table} if table else {})


def initial_state(record: JournalRecord) -> GameState:
    """Return the state after a ``start`` record, or after an ``imported`` one, which holds a whole game.

    Raises:
        ValueError: When it names a game or an option that is not known here, or its game cannot be played through.
    """
    if record.kind == IMPORTED:
        return _imported_state(read_record(record.body))
    variant, source = find_variant(record.body["game"], **record.body["options"]), str(record.body.get("source", ""))
    lesson, number = lesson_of_body(record.body)
    if (laid := record.body.get(LAID_FIELD)) is not None:
        return GameState(Game(parse_fen(laid["fen"], variant)), source=source, colours=tuple(laid["colours"]))
    game = Game.start(variant) if lesson is None else Game(lesson.position(variant))
    return GameState(game, source=source, lesson=lesson, lesson_number=number)


def import_record_body(record: GameRecord, file: str) -> dict[str, Any]:
    """Return the body of the record that holds a game from a file."""
    variant = record.game.variant
    return {
        "game": variant.name,
        "options": dict(variant.chosen),
        "source": f"file:{file}",
        "record": to_json(record),
    }


def read_record(body: Mapping[str, Any]) -> GameRecord:
    """Return the game from a file that a body of `import_record_body` holds."""
    return _read_record(json.dumps(body["record"]))


@lru_cache(MAX_CACHED_RECORDS)
def _read_record(text: str) -> GameRecord:
    return from_json(json.loads(text))


def _imported_state(record: GameRecord) -> GameState:
    if record.problem:
        raise ValueError(record.problem)
    tags, game = dict(record.tags), record.game
    names = tuple(_name_in(tags.get(role, "")) for role in player_tags(game.variant.players))
    arbiter = tags.get(ARBITER_TAG)
    is_decided = game.outcome is not None and game.outcome.termination in DECIDED_ENDINGS
    decider = None if not is_decided else "" if arbiter in (None, UNNAMED_ARBITER) else _name_in(arbiter or "")
    return GameState(game, names=names if any(names) else (), decider=decider, file_record=record)


def _name_in(tag: str) -> str:
    """Return the name of a player in a tag, cut to what the page can show."""
    return "" if tag == "?" else "".join(filter(str.isprintable, tag)).strip()[:MAX_NAME_CHARACTERS]


def player_tags(n_players: int) -> tuple[str, ...]:
    """Return the names of the tags that name the players of a game."""
    return ("White", "Black") if n_players == 2 else tuple(f"Player{k}" for k in range(1, n_players + 1))


def apply_record(state: GameState, record: JournalRecord) -> GameState:
    """Return the state after one more record."""
    after = APPLY_BY_KIND.get(record.kind, _apply_event)(state, record)
    after = _without_void_proposal(after)
    if state.game.outcome is None and after.game.outcome is not None:
        after = replace(after, partners_at_end=after.partners)
    if after.game.turns is state.game.turns or record.kind in ("amended", "redone"):
        return after
    return replace(after, undone_turns=())  # the game has gone another way


def replay_states(records: Iterable[JournalRecord]) -> Iterator[GameState]:
    """Yield the state of a game after each of its records, from its ``start`` record on."""
    records = iter(records)
    yield (state := initial_state(next(records)))
    for record in records:
        yield (state := apply_record(state, record))


def replay(records: Iterable[JournalRecord]) -> GameState:
    """Return the state of a game after all its records, from its ``start`` record on."""
    *_, state = replay_states(records)
    return state


def carried_over(
    before: GameState | None, after: GameState, *, swap: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield kind and body of the records that carry settings over from one game of the same people to the next.

    With ``swap`` the second player becomes the first, who begins, and so on: everybody plays another colour.
    """
    if before is None or before.game.variant.players != after.game.variant.players:
        return
    if any(before.names):
        names = [*before.names[1:], before.names[0]] if swap else list(before.names)
        yield "named", {"names": names}
    if before.keeps_photographs:
        yield "pictures", {"on": True}
    if before.clock.kind != "off":
        yield "clock", before.clock.settings()
    if after.lesson is not None:
        return  # nobody helps in a lesson
    n_players = before.game.variant.players
    for player, partner in before.partners.items():
        yield "partner", partner_body((player - 1) % n_players if swap else player, partner)
    if before.allows_hints is not None:
        yield "hints", {"on": before.allows_hints}


# ---------------------------------------------------------------- applying a record, by its kind


def _settled(state: GameState, game: Game) -> GameState:
    """Return the state with another game, in which nothing is in dispute or open."""
    return replace(
        state,
        game=game,
        foul=None,
        question=None,
        announced_mill=None,
        begun=(),
        decider=None,
        proposal=None,
        hint=None,
    )


def _without_void_proposal(state: GameState) -> GameState:
    """Return the state without a proposal or hint that the open turn has left."""
    board = state.game.variant.board
    begun = [parse_move(text, board) for text in state.begun]
    if state.proposal is not None and not state.proposal.allows(begun):
        state = replace(state, proposal=None)
    if state.hint is not None and list(state.hint.begun) != list(state.begun):
        state = replace(state, hint=None)
    return state


def _apply_partner(state: GameState, record: JournalRecord) -> GameState:
    player, partner = partner_of_body(record.body)
    partners = {who: kept for who, kept in state.partners.items() if who != player}
    proposal = state.proposal if state.proposal is None or state.proposal.player != player else None
    # What Millchen meant is no matter any more where it does not play.
    foul = state.foul if partner is not None or state.foul is None or not state.foul.meant else None
    after = {**partners, **({} if partner is None else {player: partner})}
    return replace(state, partners=dict(sorted(after.items())), proposal=proposal, foul=foul)


def _apply_hints_rule(state: GameState, record: JournalRecord) -> GameState:
    return replace(state, allows_hints=record.body["on"])


def _apply_proposal(state: GameState, record: JournalRecord) -> GameState:
    return replace(state, proposal=proposal_of_body(record.body, state.game.variant.board), hint=None)


def _apply_hint(state: GameState, record: JournalRecord) -> GameState:
    return replace(state, hint=proposal_of_body(record.body, state.game.variant.board))


def _apply_names(state: GameState, record: JournalRecord) -> GameState:
    return replace(state, names=_all_of(str, record.body["names"]))


def _apply_photographs(state: GameState, record: JournalRecord) -> GameState:
    return replace(state, keeps_photographs=record.body["on"])


def _apply_source(state: GameState, record: JournalRecord) -> GameState:
    source = str(record.body["source"])
    return replace(state, source=source, proposal=state.proposal if source == state.source else None)


def _apply_clock(state: GameState, record: JournalRecord) -> GameState:
    return replace(state, clock=parse_clock(record.body, state.game.variant.players))


def _apply_agreed_draw(state: GameState, _: JournalRecord) -> GameState:
    return _settled(state, state.game.agree_draw())


def _apply_resignation(state: GameState, record: JournalRecord) -> GameState:
    return _settled(state, state.game.resign(record.body["player"] - 1))


def _apply_time_out(state: GameState, record: JournalRecord) -> GameState:
    return _settled(state, state.game.time_out(record.body["player"] - 1))


def _apply_decision(state: GameState, record: JournalRecord) -> GameState:
    winner = record.body["winner"]
    game = state.game.decide(None if winner is None else winner - 1)
    return replace(_settled(state, game), decider=record.body["decider"])


def _apply_abandonment(state: GameState, record: JournalRecord) -> GameState:
    return replace(_settled(state, state.game.abandon()), decider=record.body["decider"])


def _apply_redo(state: GameState, _: JournalRecord) -> GameState:
    game = state.game.play_turn(state.undone_turns[0])
    return replace(_settled(state, game), undone_turns=state.undone_turns[1:])


def _apply_board(state: GameState, record: JournalRecord) -> GameState:
    variant = state.game.variant
    return replace(state, game=Game.start(find_variant(variant.name, **dict(variant.chosen), **record.body["options"])))


def _apply_correction(state: GameState, record: JournalRecord) -> GameState:
    body = record.body
    if "moves" in body:
        game = replace_turns(state.game, body["moves"], body["over"])
    elif record.kind == "turned":
        game = rotate_ring(state.game, body["ring"], body["steps"], is_judged=is_judged(record))
    else:
        height = body.get("height")
        game = correct_point(state.game, body["point"], body["top"], height, is_judged=is_judged(record))
    return replace(_settled(state, game), last_event_s=body["t"])


def _apply_foul_stood(state: GameState, record: JournalRecord) -> GameState:
    if "moves" in record.body:  # a lawful turn, though not the one that was meant
        game = state.game
        for text in record.body["moves"]:
            game = game.play(parse_move(text, game.variant.board))
        return _settled(state, game)
    to_move = record.body["to_move"] - 1 if "to_move" in record.body else None
    tops, heights = record.body["tops"], record.body.get("heights")
    return _settled(state, state.game.play_on(tops, heights, to_move, is_judged=is_judged(record)))


def _apply_event(state: GameState, record: JournalRecord) -> GameState:
    """Return the state after a record of what the camera saw."""
    event = event_of_record(record, state.game)
    state = replace(state, last_event_s=event.time_s)
    match event:
        case TurnPlayed(player=player, moves=moves):
            clock = replace(state.clock, used_s=_all_of((int, float), record.body.get("clock", state.clock.used_s)))
            colours = _all_of(str, record.body.get("colours", state.colours))
            return replace(_settled(state, play_as_read(state.game, moves, player)), clock=clock, colours=colours)
        case TurnAmended(moves=moves):
            game = state.game.take_back()
            undone = (state.game.turns[-1], *state.undone_turns) if moves is None and record.by == "hand" else ()
            game = game if moves is None else play_as_read(game, moves)
            return replace(_settled(state, game), undone_turns=undone)
        case MillClosed():
            foul = None if _begun_moves(record) else state.foul  # people let stand what they have begun by hand
            return replace(state, announced_mill=event, question=None, begun=_begun_moves(record), foul=foul)
        case FoulSeen():
            return replace(state, foul=event, question=None)
        case Resumed(to_move=to_move):
            return _settled(state, resume(state.game, event.tops, to_move, is_judged=is_judged(record)))
        case Restored():
            return replace(state, foul=None, question=None, begun=_begun_moves(record))
        case QuestionAsked():
            return replace(state, question=event)
        case _:
            return state


def _all_of(kind: type | tuple[type, ...], values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values of a record as a tuple. Raises TypeError where one is of another kind, and would fail later."""
    found = tuple(values)
    if not all(isinstance(value, kind) for value in found):
        raise TypeError(f"a value of the record is of another kind: {found!r:.100}")
    return found


def _begun_moves(record: JournalRecord) -> tuple[str, ...]:
    """Return the moves of a turn that has begun by hand, as a record has them; a camera's records have none."""
    return tuple(record.body.get("begun", ()))


APPLY_BY_KIND: Mapping[str, Callable[[GameState, JournalRecord], GameState]] = {
    "remark": lambda state, _: state,
    "named": _apply_names,
    "pictures": _apply_photographs,
    "clock": _apply_clock,
    "source": _apply_source,
    "agreed": _apply_agreed_draw,
    "resigned": _apply_resignation,
    "timed_out": _apply_time_out,
    "decided": _apply_decision,
    "abandoned": _apply_abandonment,
    "redone": _apply_redo,
    "board": _apply_board,
    "corrected": _apply_correction,
    "turned": _apply_correction,
    "stood": _apply_foul_stood,
    "partner": _apply_partner,
    "hints": _apply_hints_rule,
    "proposed": _apply_proposal,
    "hinted": _apply_hint,
}
"""From the kind of a record to the function that applies it; every other kind is that of an event (`_apply_event`)."""


# ---------------------------------------------------------------- what a record would add


def hole_count_options(event: BoardFound, state: GameState) -> dict[str, Any] | None:
    """Return the options that give a game which has just begun the number of holes that was found, else None.

    Only discs differ from table to table: they have as many holes as their maker liked. The function returns None where
    the game has begun, the board has no rings, or the number is right already.
    """
    board = state.game.variant.board
    is_open = not (state.game.turns or state.game.is_set_up)
    if not is_open or not board.rings or len(event.points) == len(board.points):
        return None
    return {"fields": len(event.points) // len(board.rings)}


def is_already_recorded(event: Event, state: GameState) -> bool:
    """Return whether the journal has the event already: a new vision process sees an open mill, say, once more."""
    match event:
        case MillClosed(player, line):
            mill = state.announced_mill
            return mill is not None and (mill.player, mill.line) == (player, line)
        case FoulSeen(seen_tops=seen):
            return state.foul is not None and state.foul.seen_tops == seen
        case Resumed(to_move=to_move):
            return resume(state.game, event.tops, to_move) == state.game
        case _:
            return False
