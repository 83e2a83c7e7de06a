"""The state of a table for its pages: a tree of values, which is their JSON; players count from 1.

``static/common/types.d.ts`` is made from these classes by ``python -m tools.page_types``, comments and all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from languages import in_all_languages
from referee.events import Event, FoulSeen, QuestionAsked
from referee.game import Game
from referee.game_events import WARNED_TURNS, game_ended
from referee.moves import Capture, Move, Rotate, to_action, turn_text
from referee.resumption import is_mover_open
from web.colour_names import colour_names
from web.game import event_sentences as said
from web.game.first_record import first_played, medium_of
from web.game.game_state import Clock, GameState, Proposal
from web.page_words import Sentences

Texts = Mapping[str, str]  # by language
Action = Mapping[str, Any]  # a move, as in the answers of the command line
Act = Mapping[str, Any]  # a lawful act: an `Action`, and in notation as ``text``
Step = Mapping[str, Any]  # a stone of this colour goes from a point to a point; None is the hand, or beside the board


@dataclass(frozen=True)
class Announcement:
    """One thing that the referee announced."""

    seq: int | None  # in the journal; null for what that does not keep
    game: int
    kind: str
    texts: Texts
    spoken: Texts | None = None  # where other words are heard than read
    title: Texts | None = None
    why: Texts | None = None  # the reasons of a turn that Millchen has laid itself

    @classmethod
    def of(cls, seq: int | None, game: int, kind: str, sentences: Sentences) -> Announcement:
        """Return the announcement that consists of these sentences."""
        return cls(seq, game, kind, **uses(sentences, "texts", "spoken", "title", "why"))


@dataclass(frozen=True)
class FoulView:
    """A foul that stands on the board, and how to put it right."""

    kind: str
    player: int | None
    points: tuple[str, ...]
    steps: tuple[Step, ...]
    texts: Texts
    title: Texts
    spoken: Texts | None = None


@dataclass(frozen=True)
class QuestionView:
    """What the referee asks, with each answer."""

    options: tuple[str, ...]
    texts: Texts
    answers: tuple[Texts, ...]


@dataclass(frozen=True)
class OutcomeView:
    """How a game has ended."""

    winner: int | None
    reason: str
    decider: str | None
    texts: Texts
    spoken: Texts | None = None


@dataclass(frozen=True)
class LastMoves:
    """The moves that were made last: of a turn that has begun, else of the last complete one."""

    player: int
    moves: tuple[Action, ...]
    mills: tuple[tuple[str, ...], ...]
    taken: Mapping[str, int]  # whose stones were taken, by point


@dataclass(frozen=True)
class PartnerView:
    """A player for whom Millchen plays."""

    player: int
    strength: str
    explain: bool
    laid_by_people: bool


@dataclass(frozen=True)
class LessonView:
    """The lesson that is laid, and what its first turn was: "right", "wrong", or "" before it."""

    number: int
    verdict: str = ""
    turn: str = ""


@dataclass(frozen=True)
class ClockView:
    """The players' clock."""

    kind: str = "off"  # "off", "down" or "up"
    minutes: float = 0.0
    increment: float = 0.0
    seconds: tuple[float, ...] = ()  # that each player has left; counting up: has used
    running: int | None = None


@dataclass(frozen=True)
class GameView:
    """A game as it stands, with the moves of a turn that has begun."""

    id: int
    name: str
    board: str
    points: tuple[str, ...]
    players: int
    max_height: int  # how many stones a point can hold
    ply: int
    stacks: Mapping[str, tuple[tuple[int, int], ...]]  # for each point with stones, bottom first: paint and owner
    hands: tuple[int, ...]
    stones: tuple[int, ...]  # on the board, for each player
    to_move: int | None
    mover_open: bool  # a position was taken over as it lay, and nobody has said whose turn it is
    phase: str  # "placing", "moving", "flying", "capture" or "over"
    out: tuple[int, ...]  # players who are out of the game while others play on
    quiet_turns_left: int | None  # turns without a mill until the game is drawn, null where none are counted
    warned_turns: int  # so many turns before a draw by counting it is announced
    occurrences: int | None  # how many times the position has occurred, null where that is not counted
    owed: int
    to_do: Texts  # what the player to move may do; empty in replays
    acts: tuple[Act, ...] | None  # what may be done now where people play on the page; null where a camera looks
    begun: int  # moves of the open turn that were made by hand
    last: LastMoves | None
    mills: tuple[tuple[str, ...], ...]
    foul: FoulView | None
    question: QuestionView | None
    outcome: OutcomeView | None
    names: tuple[str, ...]  # of the players, empty where unknown
    partners: tuple[PartnerView, ...]  # the players for whom Millchen plays
    can_redo: bool  # a turn was taken back and can be restored
    photographs: bool  # whether a photograph of every accepted turn is kept
    lesson: LessonView | None
    clock: ClockView = ClockView()
    seq: int = 0  # the journal's number of its newest record; 0 in replays


@dataclass(frozen=True)
class AlikeStones:
    """Two players, 0 is the board, whose stones are hard to tell apart, and the share that would be mistaken."""

    one: int
    other: int
    share: float


@dataclass(frozen=True)
class SeenPosition:
    """The seen board that nothing explains, and its player to move where the stones tell."""

    tops: tuple[int, ...]
    to_move: int | None


@dataclass(frozen=True)
class Sight:
    """What the vision process sees."""

    sight: str = "opening"  # "opening", "searching", "watching", "hand", "lost", "disputed" or "over"
    reason: str = ""  # why the field is not seen; empty while it is
    points: tuple[tuple[float, float], ...] = ()  # where each point lies in the picture; empty while unknown
    hidden: tuple[bool, ...] = ()  # whether something is in the way, for each point; empty while unknown
    size: tuple[int, int] | None = None  # of the picture
    # ``#rrggbb`` of each player's stones, empty while unknown: as vision sees them, on the page as they are shown
    colours: tuple[str, ...] = ()
    note: Texts = field(default_factory=dict)  # what became of a measured table, and what disturbs the camera
    alike: tuple[AlikeStones, ...] = ()  # while a game begins, the worst pair first
    plain: tuple[int, ...] = ()  # rings (0 outermost) that look so much the same all around that they need a mark
    seen: SeenPosition | None = None
    compared: bool = True  # whether the table was compared with a game that began before it was seen
    names: tuple[str, ...] = field(init=False)  # of the colours
    reasons: Texts = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", colour_names(self.colours))
        object.__setattr__(self, "reasons", in_all_languages(self.reason))


@dataclass(frozen=True)
class SourceStatus:
    """The source of the pictures and how it fares."""

    name: str  # as people typed it; "demo" is the bundled clip
    kind: str  # "demo", "camera", "phone", "hand", "address", "file" (a film) or "photographs"
    # "opening", "live", "stale" (nothing new for a moment), "lost" (tried again by itself), "ended" (the film is over)
    # or "failed" (needs another)
    state: str = "opening"
    reason: str = ""
    has_answered: bool = True  # whether anything has come from it since it was chosen
    medium: str = field(init=False)
    reasons: Texts = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "medium", medium_of(self.kind))
        object.__setattr__(self, "reasons", in_all_languages(self.reason))

    @property
    def is_away(self) -> bool:
        """Whether people play on the page: there is no camera, or it has gone."""
        return self.kind == "hand" or (not self.is_film and self.state in ("lost", "failed", "ended"))

    @property
    def is_film(self) -> bool:
        """Whether it has a beginning and an end, unlike a camera."""
        return self.medium in ("film", "photographs")


@dataclass(frozen=True)
class LastGame:
    """The last game of people, which a new game is offered."""

    game: str
    options: Mapping[str, Any]
    names: tuple[str, ...]


@dataclass(frozen=True)
class OtherGame:
    """The games that the board in sight fits, and the question whether one of them is played."""

    games: tuple[str, ...]
    texts: Texts


@dataclass(frozen=True)
class Offer:
    """Asks whether the reopened game continues; it does until people say otherwise."""

    game: int
    ply: int  # complete turns that it had; with the next one it goes on, and nothing is asked any more
    played: str  # when something happened in it last; ISO 8601 with time zone
    photograph: int | None  # number of the record of its last turn, where a photograph of that was kept
    instead: Mapping[str, Any]  # body of the first record of the game that the command asked for


@dataclass(frozen=True)
class PartnerStatus:
    """What Millchen does as a partner."""

    thinking: bool
    hints: bool  # whether people may ask for hints
    lays: bool  # whether it lays its stones itself


@dataclass(frozen=True)
class Proposed:
    """A turn that Millchen wants to be made, or advises."""

    player: int
    moves: tuple[Action, ...]  # what is still to be done
    texts: Texts
    spoken: Texts | None = None
    why: Texts | None = None  # the reasons, where it explains


@dataclass(frozen=True)
class Snapshot:
    """The table as a page shows it."""

    version: int
    game: GameView
    sight: Sight
    source: SourceStatus
    saved: bool  # false while the journal cannot be written; what happens meanwhile waits to be announced
    last: LastGame
    other_game: OtherGame | None
    offer: Offer | None
    partner: PartnerStatus
    proposal: Proposed | None
    hint: Proposed | None
    said: tuple[Announcement, ...] = ()  # the newest announcements of this game, oldest first


def uses(sentences: Sentences, *names: str) -> dict[str, Texts]:
    """Return sentences by use ("texts", "spoken" ...), those that are wanted of them."""
    return {use: by_language for use, by_language in sentences.items() if use in names}


# ---------------------------------------------------------------- a game, made from its state


def game_view(
    number: int,
    state: GameState,
    begun: Game,
    colours: tuple[str, ...] = (),
    *,
    instructs: bool = False,
    is_played_by_hand: bool = False,
) -> GameView:
    """Return the game as the page shows it, its clock off and without the number of its newest record.

    ``begun`` is the same game with the moves of a turn that has begun; ``colours`` are names of those of the stones.
    A page that ``instructs`` says what the player to move may do; one that ``is_played_by_hand`` shows the acts.
    """
    callers = said.callers_of(state.called, colours)

    def sentences_of(event: Event) -> Sentences:
        return said.sentences_of_event(event, callers, begun.variant.board, colours)

    position, variant = begun.position, begun.variant
    board = variant.board
    moves = begun.legal_moves if is_played_by_hand and state.foul is None and not state.lays_own_stones else ()
    acts = tuple({"text": str(move), **to_action(move)} for move in moves)
    return GameView(
        id=number,
        name=variant.name,
        board=board.name,
        points=board.points,
        players=variant.players,
        max_height=variant.max_height,
        ply=begun.ply,
        stacks={
            name: tuple((stone.paint + 1, stone.owner + 1) for stone in stack)
            for name, stack in zip(board.points, position.stacks, strict=True)
            if stack
        },
        hands=position.hands,
        stones=position.counts,
        to_move=None if begun.outcome is not None or is_mover_open(begun) else position.to_move + 1,
        mover_open=is_mover_open(begun),
        phase=begun.phase,
        out=tuple(player + 1 for player in range(variant.players) if position.out[player] and variant.players > 2),
        quiet_turns_left=begun.quiet_turns_left,
        warned_turns=WARNED_TURNS,
        occurrences=begun.occurrences,
        owed=position.owed,
        to_do=said.instructions(position, callers) if instructs and begun.outcome is None else {},
        acts=acts if is_played_by_hand else None,
        begun=len(state.begun),
        last=_last_moves(begun),
        mills=position.standing_mills,
        foul=_foul(state.foul, board.points, sentences_of),
        question=_question(state.question, sentences_of),
        outcome=_outcome(begun, state.decider, sentences_of),
        names=state.names or ("",) * variant.players,
        partners=tuple(PartnerView(player + 1, *partner) for player, partner in state.partners.items()),
        can_redo=bool(state.undone_turns),
        photographs=state.keeps_photographs,
        lesson=_lesson(state),
    )


def restoring_steps(before: Sequence[int], tops: Sequence[int], points: Sequence[str]) -> list[Step]:
    """Return the steps ``{"paint", "from", "to"}`` (None: beside the board) that bring the tops ``before`` back."""
    differences = [i for i, (a, b) in enumerate(zip(before, tops, strict=True)) if a != b]
    steps: list[Step] = []
    for paint in sorted({*before, *tops} - {0}):
        too_many = [points[i] for i in differences if tops[i] == paint]
        too_few = [points[i] for i in differences if before[i] == paint]
        for start, to in zip_longest(too_many, too_few):
            steps.append({"paint": paint, "from": start, "to": to})
    return steps


def _last_moves(game: Game) -> LastMoves | None:
    """Return the moves that were made last: those of a turn that has begun, else those of the last complete turn."""
    if not game.pending and not game.turns:
        return None
    turns_before = game.turns if game.pending else game.turns[:-1]
    before = turns_before[-1].after if turns_before else game.first_position
    if game.pending:
        player, moves, mills = game.position.to_move, game.pending, game.position.closed
    else:
        player, moves, mills = game.turns[-1].player, game.turns[-1].moves, game.turns[-1].mills
    points = [move.at for move in moves if isinstance(move, Capture)]
    is_turned = any(isinstance(move, Rotate) for move in moves)  # then a stone was taken elsewhere than it lay before
    owners = {} if is_turned else {point: before.tops[before.board.index[point]] for point in points}
    return LastMoves(player + 1, tuple(map(to_action, moves)), tuple(map(tuple, mills)), owners)


def _foul(foul: FoulSeen | None, points: Sequence[str], sentences_of: Callable[[Event], Sentences]) -> FoulView | None:
    if foul is None:
        return None
    # A capture that is still due is not put right by going back: the sentence says what to do.
    is_due = foul.kind == "capture_missing"
    steps = () if is_due else tuple(restoring_steps(foul.before_tops, foul.seen_tops, points))
    player = None if foul.player is None else foul.player + 1
    return FoulView(str(foul.kind), player, foul.points, steps, **uses(sentences_of(foul), "texts", "spoken", "title"))


def _question(question: QuestionAsked | None, sentences_of: Callable[[Event], Sentences]) -> QuestionView | None:
    if question is None:
        return None
    sentences = sentences_of(question)
    answers = tuple(sentences[f"answer{k}"] for k in range(len(question.options)))
    return QuestionView(question.options, sentences["texts"], answers)


def _outcome(game: Game, decider: str | None, sentences_of: Callable[[Event], Sentences]) -> OutcomeView | None:
    if game.outcome is None:
        return None
    winner, reason = game.outcome.winner, str(game.outcome.termination)
    sentences = said.with_decider(sentences_of(game_ended(game)), decider, reason)
    return OutcomeView(None if winner is None else winner + 1, reason, decider, **uses(sentences, "texts", "spoken"))


def _lesson(state: GameState) -> LessonView | None:
    """Return the lesson that is laid, and what its first turn was worth; None in a game."""
    if state.lesson is None:
        return None
    turn = first_played(state.game.turns)
    if turn is None:
        return LessonView(state.lesson_number)
    verdict = "right" if state.lesson.is_solved_by(turn) else "wrong"
    return LessonView(state.lesson_number, verdict, turn_text(turn.moves))


def proposal_view(state: GameState, pending: Sequence[Move], callers: Sequence[str]) -> Proposed | None:
    """Return the turn that Millchen wants to be made; a camera sees the ``pending`` moves of the open turn."""
    if (proposal := state.proposal) is None:
        return None
    open_moves = state.begun or pending
    if proposal.moves and proposal.allows(open_moves) and len(open_moves) > len(proposal.begun):
        sentences = said.remaining_sentences(proposal.remaining(open_moves), state.page_game.position)
    else:
        sentences = said.said_by_partner(proposal, state, callers)
    why = said.why_sentences(proposal.reasons, callers) if said.is_explained(proposal, state) else None
    return _proposed(proposal, open_moves, sentences, why)


def hint_view(state: GameState, pending: Sequence[Move], callers: Sequence[str]) -> Proposed | None:
    """Return the advice that was asked for."""
    if (hint := state.hint) is None:
        return None
    return _proposed(hint, state.begun or pending, said.hint_sentences(hint, state.page_game.position, callers), None)


def _proposed(proposal: Proposal, open_moves: Sequence[Move], sentences: Sentences, why: Texts | None) -> Proposed:
    moves = tuple(map(to_action, proposal.remaining(open_moves)))
    return Proposed(proposal.player + 1, moves, **uses(sentences, "texts", "spoken"), why=why)


def clock_view(clock: Clock, now_s: float) -> ClockView:
    """Return a clock for the page."""
    used = clock.used(now_s)
    times_s = used if clock.kind == "up" else tuple(60 * clock.minutes - spent for spent in used)
    running = None if clock.running is None else clock.running + 1
    return ClockView(clock.kind, clock.minutes, clock.increment_s, tuple(round(s, 2) for s in times_s), running)
