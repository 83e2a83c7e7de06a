"""Events, turns and reasons in, sentences of referee and Millchen out; each is made when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from languages import catalogue, grammar
from referee.announce import Speaker, sentence, spoken_point, written_point
from referee.board import Board
from referee.endings import Termination
from referee.events import Event, FoulSeen, QuestionAsked
from referee.game import Game
from referee.moves import Capture, Decline, Move, Place, Rotate, Slide, turn_text
from referee.position import Position
from referee.search.lesson_texts import task_text, trial_text, tried
from referee.search.lessons import Lesson
from referee.search.reasons import Reason, reason_sentences
from referee.turns import Turn
from referee.variant import Variant
from web.game.game_state import GameState, Proposal
from web.page_words import Sentences, Texts, words

CANNOT_THINK = "cannot_think"  # key of the sentence where the process that thinks has died again and again


def read_and_spoken(say: Callable[[str, bool], str]) -> dict[str, Texts]:
    """Return a sentence to read and to hear; ``say`` takes the language and whether it is spoken."""
    for_eyes, for_ears = (lambda language: say(language, False)), (lambda language: say(language, True))
    return {"texts": Texts(for_eyes), "spoken": Texts(for_ears)}


def followed_by(sentences: Sentences, more: Callable[[str, bool], str]) -> dict[str, Texts]:
    """Return a sentence to read and to hear with another one after it."""
    return read_and_spoken(
        lambda language, spoken: f"{sentences['spoken' if spoken else 'texts'][language]} {more(language, spoken)}"
    )


class _Millchen:
    """Millchen in one language, for eyes or ears, in one position."""

    def __init__(self, language: str, spoken: bool, position: Position | None = None) -> None:
        self._language, self._spoken = language, spoken
        self._phrases: Mapping[str, str] = catalogue(language, "partner")
        self._referee: Mapping[str, Any] = catalogue(language, "referee")["phrases"]
        self._position = position

    def say(self, key: str, **values: object) -> str:
        """Fill the places of a sentence."""
        return grammar(self._language)(self._phrases[key].format(**values))

    def turn(self, moves: Sequence[Move]) -> str:
        """Say Millchen's turn, and ask people to make it."""
        acts = [move for move in moves if not isinstance(move, Capture | Decline)]
        captures = [move for move in moves if isinstance(move, Capture)]
        if not acts and captures:
            return self.take(moves)
        parts = [self.say(f"i_{key}", **values) for key, values in map(self._clause, acts)]
        if captures:
            parts.append(self.say("i_take" if len(captures) == 1 else "i_takes", points=self._points(captures)))
        if any(isinstance(move, Decline) for move in moves):
            parts.append(self.say("i_decline"))
        kind = {Place: "please_place", Slide: "please_move", Rotate: "please_turn"}.get(type(acts[0])) if acts else None
        if kind is not None:
            parts.append(self.say("please_both" if captures else kind))
        return " ".join(parts)

    def take(self, moves: Sequence[Move]) -> str:
        """Ask people to take the stones that are due."""
        captures = [move for move in moves if isinstance(move, Capture)]
        if not captures:
            return self.say("i_decline")
        return self.say("please_take" if len(captures) == 1 else "please_takes", points=self._points(captures))

    def name_of(self, moves: Sequence[Move]) -> str:
        """Name a turn in a few words, for after a colon: "d2 to d3, and c3 taken"."""
        parts = [
            self.say(f"name_{key}", **values)
            for key, values in map(self._clause, [move for move in moves if not isinstance(move, Capture | Decline)])
        ]
        captures = [move for move in moves if isinstance(move, Capture)]
        if captures:
            parts.append(self.say("name_take", points=self._points(captures)))
        return ", ".join(parts) or self.say("name_pass")

    def chance(self, reason: Reason, callers: Sequence[str]) -> str:
        """Say which mill somebody could close."""
        points = f" {self._referee['and']} ".join(map(self._point, reason.points))
        if reason.player == (None if self._position is None else self._position.to_move):
            return self.say(reason.kind, points=points)
        other = "" if reason.player is None else Speaker(self._language, callers).inside(reason.player)
        return self.say(reason.kind, points=points, other=other[:1].upper() + other[1:])

    def _clause(self, move: Move) -> tuple[str, dict[str, str]]:
        match move:
            case Place(to):
                return ("place_top" if self._is_tower(to) else "place"), {"to": self._point(to)}
            case Slide(start, to):
                key = "move_top" if self._is_tower(to) else "move"
                return key, {"start": self._point(start), "to": self._point(to)}
            case Rotate(ring, steps):
                way = self._referee["clockwise" if steps > 0 else "anticlockwise"]
                return "turn", {"ring": self._referee[f"ring{ring}"], "direction": way}
            case _:
                return "pass", {}

    def _is_tower(self, point: str) -> bool:
        return self._position is not None and bool(self._position.stacks[self._position.board.index[point]])

    def _point(self, name: str) -> str:
        return (spoken_point if self._spoken else written_point)(name, self._language)

    def _points(self, captures: Sequence[Capture]) -> str:
        return f" {self._referee['and']} ".join(self._point(move.at) for move in captures)


def said_by_partner(
    proposal: Proposal, state: GameState, callers: Sequence[str], *, explain: bool = False
) -> Sentences:
    """Return the sentences by which Millchen asks people to make a turn; with its name where it plays for several.

    With ``explain`` its reasons follow.
    """
    is_named = len(state.partners) > 1 and proposal.player < len(callers)
    name = callers[proposal.player] if is_named else ""

    def say(language: str, spoken: bool) -> str:
        speaker = _Millchen(language, spoken, state.page_game.position)
        text = speaker.turn(proposal.moves) if proposal.moves else speaker.say(CANNOT_THINK)
        if explain and proposal.reasons:
            text = f"{text} {reason_sentences(proposal.reasons, language, callers, spoken=spoken)}"
        return catalogue(language, "page")["label"].format(name=name, text=text) if name else text

    return read_and_spoken(say)


def why_sentences(reasons: Sequence[Reason], callers: Sequence[str]) -> Texts:
    """Return reasons to read, by language."""
    return Texts(lambda language: reason_sentences(reasons, language, callers))


def with_reasons(sentences: Sentences, reasons: Sequence[Reason], callers: Sequence[str]) -> Sentences:
    """Return the sentences of a turn that Millchen has laid itself with its reasons: heard after it, read beside it."""
    more = followed_by(sentences, lambda language, spoken: reason_sentences(reasons, language, callers, spoken=spoken))
    return {**sentences, "spoken": more["spoken"], "why": why_sentences(reasons, callers)}


def remaining_sentences(moves: Sequence[Move], position: Position) -> Sentences:
    """Return the request to make the rest of a turn that was begun."""
    return read_and_spoken(lambda language, spoken: _Millchen(language, spoken, position).turn(moves))


def other_turn_sentences(foul: FoulSeen, board: Board, stones: Sequence[str]) -> dict[str, Texts]:
    """Return what Millchen says when people have made another turn for it than it meant, and how to put that right."""

    def say(language: str, spoken: bool) -> str:
        speaker = _Millchen(language, spoken)
        parts = [speaker.say("not_meant", meant=speaker.name_of(foul.meant), played=speaker.name_of(foul.played))]
        if any(isinstance(move, Rotate) for move in foul.played):
            parts.append(speaker.say("put_back"))
        else:
            before, tops = foul.before_tops, foul.seen_tops
            parts.append(Speaker(language, stones, spoken=spoken).put_back(before, tops, board.points))
        return " ".join([*filter(None, parts), speaker.say("or_stand")])

    return read_and_spoken(say) | {"title": Texts(lambda language: str(catalogue(language, "partner")["other_title"]))}


def begun_otherwise_sentences(proposal: Proposal, position: Position) -> Sentences:
    """Return what Millchen says when a mill was closed for it by another move than it meant."""
    return read_and_spoken(
        lambda language, spoken: (speaker := _Millchen(language, spoken, position)).say(
            "not_begun", meant=speaker.name_of(proposal.moves)
        )
    )


def hint_sentences(hint: Proposal, position: Position, callers: Sequence[str]) -> Sentences:
    """Return a hint: what can be closed, what the others threaten, and the best turn with its reasons."""

    def say(language: str, spoken: bool) -> str:
        if not hint.moves:
            return _Millchen(language, spoken).say(CANNOT_THINK)
        speaker = _Millchen(language, spoken, position)
        parts = [speaker.chance(reason, callers) for reason in (*hint.own, *hint.threats)]
        parts.append(speaker.say("hint_best", turn=speaker.name_of(hint.moves)))
        if hint.reasons:
            parts.append(reason_sentences(hint.reasons, language, callers, spoken=spoken))
        return " ".join(parts)

    return read_and_spoken(say)


def is_explained(proposal: Proposal, state: GameState) -> bool:
    """Return whether Millchen says the reasons of its turn."""
    partner = state.partners.get(proposal.player)
    return partner is not None and partner.explain


def callers_of(names: Sequence[str], colours: Sequence[str]) -> tuple[str, ...]:
    """Return what each player is called: by name, else by the colour of the stones, empty where neither is known."""
    return tuple(name or colour for name, colour in zip_longest(names, colours, fillvalue=""))


def sentences_of_event(
    event: Event, callers: tuple[str, ...], board: Board, colours: tuple[str, ...] = ()
) -> dict[str, Texts]:
    """Return the sentences of an event: ``title``, a short one, for a foul; ``answer0``, ``answer1`` for a question.

    ``callers`` are names, or the colours of the stones (``red``), empty where unknown; ``colours`` always the latter.
    """
    if isinstance(event, FoulSeen) and event.meant:
        return other_turn_sentences(event, board, callers_of(colours, callers))
    sentences = read_and_spoken(
        lambda language, spoken: sentence(event, language, callers, board, spoken=spoken, stones=colours)
    )
    if isinstance(event, FoulSeen):
        sentences["title"] = Texts(
            lambda language: Speaker(language, callers).foul(event.kind, event.player, event.rule)
        )
    if isinstance(event, QuestionAsked):
        for k in range(len(event.options)):
            sentences[f"answer{k}"] = Texts(
                lambda language, k=k: Speaker(language, callers).answers(event, board)[k]  # type: ignore[misc]
            )
    return sentences


def with_decider(sentences: Sentences, decider: str | None, reason: str) -> Sentences:
    """Return the sentences of an ending, each followed by the referee who decided it; None adds nothing."""
    if decider is None or (not decider and reason == Termination.ARBITER):  # the sentence says so itself
        return sentences
    return followed_by(
        sentences,
        lambda language, _: words(language)["end.decision"].format(name=decider or words(language)["the_referee"]),
    )


def task_sentences(lesson: Lesson, game: Game, callers: Sequence[str]) -> Sentences:
    """Return the task of a lesson."""

    def task(language: str, _: bool) -> str:
        text = task_text(lesson, game.variant, language, _names(game.variant, language, callers))
        return text[:1].upper() + text[1:]

    return read_and_spoken(task)


def with_verdict(
    sentences: Sentences, lesson: Lesson, variant: Variant, turn: Turn, callers: Sequence[str]
) -> Sentences:
    """Return the sentences of the first turn in a lesson, each followed by whether it solves the lesson, and why."""
    trial = tried(lesson, variant, turn_text(turn.moves))

    def verdict(language: str, spoken: bool) -> str:
        names = _names(variant, language, callers)
        return trial_text(lesson, variant, trial, language, names, spoken=spoken, on_table=True)

    return followed_by(sentences, verdict)


def _names(variant: Variant, language: str, callers: Sequence[str]) -> list[str]:
    return [Speaker(language, callers).inside(player) for player in range(variant.players)]


def instructions(position: Position, callers: tuple[str, ...]) -> Texts:
    """Return what the player to move may do."""
    return Texts(lambda language: Speaker(language, callers[: position.variant.players]).to_do(position))
