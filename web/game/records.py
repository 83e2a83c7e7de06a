"""Record kinds: body, effect on the game, announcement; players count from 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from languages import grammar
from referee import events
from referee.announce import spoken_point
from referee.board import Board
from referee.endings import WITHDRAWN, Outcome, Termination
from referee.events import Event, FoulStood, MillClosed, Moves, Resumed, TurnAmended, TurnPlayed
from referee.fouls import Foul
from referee.game import Game
from referee.game_events import consequences, game_ended, turn_played
from referee.moves import Capture, Decline, Move, parse_turn
from referee.presets import find_variant
from referee.resumption import MOVER_OPEN, play_as_read, resume
from referee.search.reasons import Reason
from referee.search.thought import Value
from referee.typed_json import read, write
from web.game import event_sentences as said
from web.game.game_state import GameState, Partner, Proposal, parse_clock
from web.game.hand_corrections import correct_point, replace_turns, rotate_ring
from web.game.page_state import Announcement
from web.journal.journal_record import JournalRecord, UnwrittenRecord
from web.page_words import Sentences, words

# ---------------------------------------------------------------- what stands in the body of a record

FOLLOWING = (events.PlayerOut, events.OwnerChanged, events.DrawNear)
"""Events that follow from a turn, and are written together with it."""

UNRECORDED = (events.BoardFound, events.BoardLost, events.OtherGameSeen, events.PictureSkipped)
"""Events that the journal does not keep: where the field was seen, and which other one."""


BODIES: Mapping[str, type[Event]] = {
    "turn": events.TurnPlayed,
    "amended": events.TurnAmended,
    "mill": events.MillClosed,
    "foul": events.FoulSeen,
    "restored": events.Restored,
    "resumed": events.Resumed,
    "question": events.QuestionAsked,
    "out": events.PlayerOut,
    "owner": events.OwnerChanged,
    "warning": events.DrawNear,
    "over": events.GameEnded,
}
"""From the kind of a record to the event that stands in its body, without the number of the turn."""

_KINDS = {event: kind for kind, event in BODIES.items()}


def record_of_event(event: events.Event) -> UnwrittenRecord:
    """Return the record of an event. Raises TypeError where the journal does not keep such events."""
    if isinstance(event, events.FoulStood):
        return UnwrittenRecord("stood", event.ply, {"tops": list(event.tops), "to_move": event.to_move + 1})
    if (kind := _KINDS.get(type(event))) is None:
        raise TypeError(f"not kept in the journal: {event!r}")
    body = write(event)
    return UnwrittenRecord(kind, body.pop("ply", None), body, event)


def record_of_turn(game: Game, time_s: float) -> UnwrittenRecord:
    """Return the record of the last turn of a game, which was made by hand."""
    return record_of_event(turn_played(game, 1.0, time_s, 0))._replace(after=game)


def event_of_record(record: JournalRecord, game: Game) -> events.Event:
    """Return the event that a record keeps. Raises ValueError where there is no event of this kind."""
    if record.event is not None:
        return cast(events.Event, record.event)
    if record.kind not in BODIES:
        raise ValueError(f"unknown kind of record: {record.kind!r}")
    return read(BODIES[record.kind], {**record.body, "ply": record.ply or 0}, game.variant.board)


def partner_body(player: int, partner: Partner | None) -> dict[str, Any]:
    """Return the body of the record that Millchen plays for a player (0 first), or does not any more."""
    settings = {"strength": None, "explain": False, "laid_by_people": False} if partner is None else write(partner)
    return {"player": player + 1, **settings}


def partner_of_body(body: Mapping[str, Any]) -> tuple[int, Partner | None]:
    """Return player (0 first) and partner of such a record."""
    return body["player"] - 1, None if body["strength"] is None else read(Partner, body)


def proposal_body(proposal: Proposal, value: Value | None) -> dict[str, Any]:
    """Return the body of a record of a proposal or a hint."""
    return {**write(proposal), "value": None if value is None else write(value)}


# ---------------------------------------------------------------- what a record changes, and what is said of it

Said = tuple[str, Sentences]  # the kind of an announcement, and its sentences

Apply = Callable[[GameState, JournalRecord], GameState]


class Telling(NamedTuple):
    """A record that is announced, and the game after it."""

    record: JournalRecord
    state: GameState
    callers: tuple[str, ...]  # what each player is called
    colours: tuple[str, ...]  # name of the colour of each player's stones
    medium: str = ""  # what is looked at just now ("camera", "film" ...); empty in replays

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self.state.game.variant.board

    def of(self, event: Event) -> Sentences:
        """Return the sentences of the referee for an event."""
        return said.sentences_of_event(event, self.callers, self.board, self.colours)


class Kind(NamedTuple):
    """A kind of record: its effect on the game, and its announcement."""

    apply: Apply
    say: Callable[[Telling], Said | None] = lambda _: None
    # whether it leaves board and turn as they are: commands that were sent before it stay valid
    leaves_board: bool = False
    # whether people say by it that the reading is wrong; vision learns what the points look like
    is_correction: bool = False
    is_ending: bool = False  # whether people end the game by it, without a move


def _all_of(kind: type | tuple[type, ...], values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values of a record as a tuple. Raises TypeError where one is of another kind, and would fail later."""
    items = tuple(values)
    if not all(isinstance(value, kind) for value in items):
        raise TypeError(f"a value of the record is of another kind: {items!r:.100}")
    return items


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
        undone_turns=state.undone_turns if game.turns is state.game.turns else (),  # else it has gone another way
    )


def _refuse(_: GameState, record: JournalRecord) -> GameState:
    raise ValueError(f"a record that begins a game: {record.kind!r}")


# ---------------------------------------------------------------- what the referee saw


def _apply_event(change: Callable[[GameState, JournalRecord, Any], GameState] = lambda state, *_: state) -> Apply:
    """Return the function that applies a record of an event."""

    def apply(state: GameState, record: JournalRecord) -> GameState:
        event = event_of_record(record, state.game)
        return change(replace(state, last_event_s=record.body["t"]), record, event)

    return apply


def _say_event(tell: Telling) -> Said:
    return tell.record.kind, tell.of(event_of_record(tell.record, tell.state.game))


def _turn(state: GameState, record: JournalRecord, event: TurnPlayed) -> GameState:
    if event.ply != state.game.ply + 1:  # whoever has seen it has another game
        raise ValueError(f"turn {event.ply} cannot follow on turn {state.game.ply}")
    clock = replace(state.clock, used_s=_all_of((int, float), record.body.get("clock", state.clock.used_s)))
    colours = _all_of(str, record.body.get("colours", state.colours))
    game = record.after or play_as_read(state.game, event.moves, event.player)
    return replace(_settled(state, game), clock=clock, colours=colours)


def _say_turn(tell: Telling) -> Said:
    kind, sentences = _say_event(tell)
    if "reasons" in tell.record.body:  # Millchen has laid it itself
        sentences = said.with_reasons(sentences, read(tuple[Reason, ...], tell.record.body["reasons"]), tell.callers)
    return kind, sentences


def _amended(state: GameState, record: JournalRecord, event: TurnAmended) -> GameState:
    game = state.game.take_back()
    undone = (state.game.turns[-1], *state.undone_turns) if event.moves is None and record.by == "hand" else ()
    game = game if event.moves is None else play_as_read(game, event.moves)
    return replace(_settled(state, game), undone_turns=undone)


def _mill(state: GameState, record: JournalRecord, event: MillClosed) -> GameState:
    begun = _begun_moves(state, record)
    foul = None if begun else state.foul  # people let stand what they have begun by hand
    return replace(state, announced_mill=event, question=None, begun=begun, foul=foul)


def _begun_moves(state: GameState, record: JournalRecord) -> tuple[Move, ...]:
    """Return the moves of a turn that has begun by hand, as a record has them; a camera's records have none."""
    if record.after is not None:
        return cast(Game, record.after).pending
    return read(Moves, record.body.get("begun", []), state.game.variant.board)


def _say_mill(tell: Telling) -> Said:
    """Say the rest of Millchen's proposed turn, if it has begun, else that there is a mill."""
    kind, state = tell.record.kind, tell.state
    proposal = state.proposal
    if proposal is None or not proposal.moves or tell.record.body["player"] != proposal.player + 1:
        return _say_event(tell)
    if state.begun:
        return kind, said.remaining_sentences(proposal.remaining(state.begun), state.game.position)
    acts = [move for move in proposal.moves if not isinstance(move, Capture | Decline)]
    after = state.game
    for move in acts:  # a camera's record has no moves: was it the mill that was meant?
        after = after.play(move)
    if tuple(tell.record.body["line"]) in after.position.closed:
        return kind, said.remaining_sentences(proposal.remaining(acts), after.position)
    return kind, said.begun_otherwise_sentences(proposal, state.game.position)


def _board(state: GameState, record: JournalRecord) -> GameState:
    variant = state.game.variant
    return replace(state, game=Game.start(find_variant(variant.name, **dict(variant.chosen), **record.body["options"])))


# ---------------------------------------------------------------- what people have done


def _correction(state: GameState, record: JournalRecord) -> GameState:
    return replace(_settled(state, record.after or _corrected(state.game, record)), last_event_s=record.body["t"])


def _corrected(game: Game, record: JournalRecord) -> Game:
    body = record.body
    if "moves" in body:
        return replace_turns(game, read(Moves, body["moves"], game.variant.board), body["over"])
    if record.kind == "turned":
        return rotate_ring(game, body["ring"], body["steps"])
    return correct_point(game, body["point"], body["top"], body.get("height"))


def _say_correction(tell: Telling) -> Said:
    body = tell.record.body
    if "moves" in body:
        return _say_turn_by_hand(tell)
    if tell.record.kind == "turned":
        key = "by_hand.turned" if body["steps"] > 0 else "by_hand.turned_back"
        return "turned", said.read_and_spoken(lambda language, _: words(language)[key].format(n=body["ring"] + 1))
    return tell.record.kind, said.read_and_spoken(lambda language, spoken: _stone_by_hand(tell, language, spoken))


def _stone_by_hand(tell: Telling, language: str, spoken: bool) -> str:
    catalogue, body = words(language), tell.record.body
    point, top = body["point"], body["top"]
    if spoken:
        point = spoken_point(point, language)
    if top == 0:
        return catalogue["by_hand.bare"].format(point=point)
    caller = tell.callers[top - 1] if top <= len(tell.callers) else ""
    key = "by_hand.on_top" if body.get("height", 1) > 1 else "by_hand.stone"
    stone = catalogue.get(f"colour.{caller}") if caller else catalogue[f"player.{top}"]
    if stone is not None:
        return catalogue[key].format(point=point, stone=stone)
    return grammar(language)(catalogue[f"{key}_of"].format(point=point, player=caller))


def _say_by_hand(tell: Telling) -> Said:
    """Say that a turn was taken back or played again, and with a camera what to do on the table."""
    n, key = tell.record.ply, "by_hand.back" if tell.record.kind == "amended" else "by_hand.again"

    def say(language: str, _: bool) -> str:
        catalogue = words(language)
        return catalogue.get(f"{key}.{tell.medium}", catalogue[key]).format(n=n)

    return tell.record.kind, said.read_and_spoken(say)


def _say_turn_by_hand(tell: Telling) -> Said:
    """Say a turn that people made or corrected on the page, and the end of the game."""
    record, game, events = tell.record, tell.state.game, list[Event]()
    if is_amended := "amends" in record.body:
        ply = record.body["amends"]
        mover = game.turns[ply - 1].player if 0 < ply <= game.ply else None
        events.append(TurnAmended(ply, parse_turn(record.body["was"], tell.board), 0.0, 0, player=mover))
    else:
        events.append(turn_played(game, 1.0, 0.0, 0))
    if game.outcome is not None:
        events.append(game_ended(game))
    is_plain = is_amended or record.kind == "stood"

    def say(language: str, spoken: bool) -> str:
        text = " ".join(tell.of(event)["spoken" if spoken else "texts"][language] for event in events)
        return text if is_plain else words(language)["by_hand.turn"].format(text=text)

    return "turn" if game.outcome is None else "over", said.read_and_spoken(say)


def _foul_stood(state: GameState, record: JournalRecord) -> GameState:
    body, game = record.body, state.game
    if "moves" in body:  # a lawful turn, though not the one that was meant
        moves = read(Moves, body["moves"], game.variant.board)
        return _settled(state, record.after or replace_turns(game, moves, 0))
    to_move = body["to_move"] - 1 if "to_move" in body else None
    return _settled(state, game.play_on(body["tops"], body.get("heights"), to_move))


# from the kinds of records that end a game to why it is over
_ENDINGS = {
    **WITHDRAWN,
    "agreed": Termination.AGREEMENT,
    "decided": Termination.ARBITER,
    "abandoned": Termination.ABANDONED,
}


def _end(state: GameState, record: JournalRecord) -> GameState:
    body, why = record.body, _ENDINGS[record.kind]
    if record.kind in WITHDRAWN:
        game = state.game.withdrawn(body["player"] - 1, why)
    else:
        game = state.game.ended(Outcome(body.get("winner") and body["winner"] - 1, why))
    return replace(_settled(state, game), decider=body.get("decider"))


def _say_end(tell: Telling) -> Said:
    if tell.state.game.outcome is not None:
        end = game_ended(tell.state.game)
        return "over", said.with_decider(tell.of(end), tell.state.decider, end.reason)
    player, key = tell.record.body["player"], "resigned" if tell.record.kind == "resigned" else "time"
    caller = tell.callers[player - 1] if player <= len(tell.callers) else ""

    def say(language: str, _: bool) -> str:
        catalogue = words(language)
        who = catalogue.get(f"colour.{caller}", caller) if caller else catalogue[f"player.{player}"]
        return catalogue[f"by_hand.{key}"].format(player=who)

    return tell.record.kind, said.read_and_spoken(say)


def _source(state: GameState, record: JournalRecord) -> GameState:
    source = str(record.body["source"])
    return replace(state, source=source, proposal=state.proposal if source == state.source else None)


# ---------------------------------------------------------------- Millchen as a partner


def _partner(state: GameState, record: JournalRecord) -> GameState:
    player, partner = partner_of_body(record.body)
    partners = {who: other for who, other in state.partners.items() if who != player}
    proposal = state.proposal if state.proposal is None or state.proposal.player != player else None
    # What Millchen meant is no matter any more where it does not play.
    foul = state.foul if partner is not None or state.foul is None or not state.foul.meant else None
    after = {**partners, **({} if partner is None else {player: partner})}
    return replace(state, partners=dict(sorted(after.items())), proposal=proposal, foul=foul)


def _proposed(state: GameState, record: JournalRecord) -> Proposal:
    return read(Proposal, record.body, state.game.variant.board)


def _say_proposal(tell: Telling) -> Said:
    proposal = _proposed(tell.state, tell.record)
    return "proposed", said.said_by_partner(
        proposal, tell.state, tell.callers, explain=said.is_explained(proposal, tell.state)
    )


def _say_hint(tell: Telling) -> Said:
    return "hinted", said.hint_sentences(
        _proposed(tell.state, tell.record), tell.state.page_game.position, tell.callers
    )


KINDS: Mapping[str, Kind] = {
    "start": Kind(
        _refuse,  # the beginning of a lesson is announced with its task
        lambda t: (
            None if t.state.lesson is None else ("lesson", said.task_sentences(t.state.lesson, t.state.game, t.callers))
        ),
    ),
    "imported": Kind(_refuse),
    "board": Kind(_board),
    "turn": Kind(_apply_event(_turn), _say_turn),
    "amended": Kind(
        _apply_event(_amended), lambda tell: (_say_by_hand if tell.record.by == "hand" else _say_event)(tell)
    ),
    "mill": Kind(_apply_event(_mill), _say_mill),
    "foul": Kind(_apply_event(lambda state, _, event: replace(state, foul=event, question=None)), _say_event),
    "restored": Kind(
        _apply_event(
            lambda state, record, _: replace(state, foul=None, question=None, begun=_begun_moves(state, record))
        ),
        _say_event,
    ),
    "resumed": Kind(
        _apply_event(lambda state, _, event: _settled(state, resume(state.game, event.tops, event.to_move))), _say_event
    ),
    "question": Kind(_apply_event(lambda state, _, event: replace(state, question=event)), _say_event),
    **dict.fromkeys(("out", "owner", "warning", "over"), Kind(_apply_event(), _say_event)),
    **dict.fromkeys(("corrected", "turned"), Kind(_correction, _say_correction, is_correction=True)),
    "stood": Kind(_foul_stood, lambda tell: _say_turn_by_hand(tell) if "moves" in tell.record.body else None),
    "redone": Kind(
        lambda state, _: replace(
            _settled(state, state.game.play_turn(state.undone_turns[0])), undone_turns=state.undone_turns[1:]
        ),
        _say_by_hand,
    ),
    **dict.fromkeys(_ENDINGS, Kind(_end, _say_end, is_ending=True)),
    "proposed": Kind(
        lambda state, record: replace(state, proposal=_proposed(state, record), hint=None),
        _say_proposal,
        leaves_board=True,
    ),
    "hinted": Kind(lambda state, record: replace(state, hint=_proposed(state, record)), _say_hint, leaves_board=True),
    "partner": Kind(_partner, leaves_board=True),
    "hints": Kind(lambda state, record: replace(state, allows_hints=record.body["on"]), leaves_board=True),
    "named": Kind(lambda state, record: replace(state, names=_all_of(str, record.body["names"])), leaves_board=True),
    "pictures": Kind(lambda state, record: replace(state, keeps_photographs=record.body["on"]), leaves_board=True),
    "clock": Kind(
        lambda state, record: replace(state, clock=parse_clock(record.body, state.game.variant.players)),
        leaves_board=True,
    ),
    "source": Kind(_source, leaves_board=True),
    "remark": Kind(lambda state, _: state, leaves_board=True),
}
"""Every kind of record that a journal of games may hold."""

HAND_ENDINGS = tuple(name for name, kind in KINDS.items() if kind.is_ending)
"""Kinds of record by which people end a game without a move."""


def apply_record(state: GameState, record: JournalRecord) -> GameState:
    """Return the state after one more record."""
    if record.kind not in KINDS:
        raise ValueError(f"unknown kind of record: {record.kind!r}")
    after = KINDS[record.kind].apply(state, record)
    if after.proposal is not None and not after.proposal.allows(after.begun):  # the open turn has left it
        after = replace(after, proposal=None)
    if after.hint is not None and after.hint.begun != after.begun:
        after = replace(after, hint=None)
    if state.game.outcome is None and after.game.outcome is not None:
        after = replace(after, partners_at_end=after.partners)
    return after


def announce_record(
    record: JournalRecord,
    state: GameState,
    colours: tuple[str, ...],
    medium: str = "",
) -> Announcement | None:
    """Return the announcement of a record, None where nothing is announced; ``state`` is the game after it."""
    callers = said.callers_of(state.called, colours)
    announced = KINDS[record.kind].say(Telling(record, state, callers, colours, medium))
    if announced is None:
        return None
    kind, sentences = announced
    if state.lesson is not None and state.trial is not None and (record.kind == "turn" or "moves" in record.body):
        sentences = said.with_verdict(sentences, state.lesson, state.game.variant, state.trial, callers)
    return Announcement.of(record.seq, record.game, kind, sentences)


def imported_turn_sentences(before: Game, game: Game, end: GameState) -> Sequence[Sentences]:
    """Return the sentences of the last turn of ``game``, which came from a file, and of its consequences."""
    turn, board, n = game.turns[-1], game.variant.board, game.variant.players
    callers = (*end.names, *[""] * n)[:n]
    events: list[Event] = []
    if turn.moves:
        events.append(turn_played(game, 1.0, 0.0, 0))
    elif turn.remarks[0] in list(Foul):
        stood = FoulStood(game.ply, turn.player, turn.remarks[0], turn.after.tops, turn.after.to_move, 0.0, 0)
        events.append(stood)
    elif turn.remarks[0] not in WITHDRAWN:  # the position was taken over, or set by hand
        events.append(Resumed((), None if MOVER_OPEN in turn.remarks else turn.after.to_move, 0.0, 0))
    all_events = (*events, *consequences(before, game))
    return [said.sentences_of_event(event, callers, board) for event in all_events]
