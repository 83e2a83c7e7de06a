"""What Millchen says as a partner: the turn that it means, that another one was made, and hints, in every language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from languages import LANGUAGES, catalogue, grammar
from referee.announce import Speaker, spoken_point
from referee.board import Board
from referee.events import FoulSeen
from referee.moves import Capture, Decline, Move, Place, Rotate, Slide
from referee.position import Position
from referee.search.reasons import Reason, reason_sentences
from web.game.partners import Proposal

Sentences = Mapping[str, Mapping[str, str]]
"""By use ("texts" to read, "spoken" to hear) and language."""

CANNOT_THINK = "cannot_think"
"""Key of the sentence where the process that thinks has died again and again."""


class _Millchen:
    """Millchen in one language, for eyes or ears, in one position."""

    def __init__(self, language: str, spoken: bool, position: Position | None = None) -> None:
        self._language, self._spoken = language, spoken
        self._phrases: Mapping[str, str] = catalogue(language, "partner")
        self._referee: Mapping[str, Any] = catalogue(language, "referee")["phrases"]
        self._position = position

    def say(self, key: str, **values: object) -> str:
        """A sentence with its places filled."""
        return grammar(self._language)(self._phrases[key].format(**values))

    def turn(self, moves: Sequence[Move]) -> str:
        """What Millchen does, and the request to do it."""
        acts = [move for move in moves if not isinstance(move, Capture | Decline)]
        taken = [move for move in moves if isinstance(move, Capture)]
        if not acts and taken:
            return self.take(moves)
        said = [self.say(f"i_{key}", **values) for key, values in map(self._clause, acts)]
        if taken:
            said.append(self.say("i_take" if len(taken) == 1 else "i_takes", points=self._points(taken)))
        if any(isinstance(move, Decline) for move in moves):
            said.append(self.say("i_decline"))
        kind = {Place: "please_place", Slide: "please_move", Rotate: "please_turn"}.get(type(acts[0])) if acts else None
        if kind is not None:
            said.append(self.say("please_both" if taken else kind))
        return " ".join(said)

    def take(self, moves: Sequence[Move]) -> str:
        """The request to take what is still to be taken."""
        taken = [move for move in moves if isinstance(move, Capture)]
        if not taken:
            return self.say("i_decline")
        return self.say("please_take" if len(taken) == 1 else "please_takes", points=self._points(taken))

    def name_of(self, moves: Sequence[Move]) -> str:
        """A turn as a few words that stand after a colon: "d2 to d3, and c3 taken"."""
        said = [
            self.say(f"name_{key}", **values)
            for key, values in map(self._clause, [move for move in moves if not isinstance(move, Capture | Decline)])
        ]
        taken = [move for move in moves if isinstance(move, Capture)]
        if taken:
            said.append(self.say("name_take", points=self._points(taken)))
        return ", ".join(said) or self.say("name_pass")

    def chance(self, reason: Reason, callers: Sequence[str]) -> str:
        """What somebody could close."""
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
        return spoken_point(name, self._language) if self._spoken else name

    def _points(self, captures: Sequence[Capture]) -> str:
        return f" {self._referee['and']} ".join(self._point(move.at) for move in captures)


def _in_all_languages(say: Callable[[str, bool], str]) -> dict[str, dict[str, str]]:
    return {
        use: {language: say(language, spoken) for language in LANGUAGES}
        for use, spoken in (("texts", False), ("spoken", True))
    }


def proposal_sentences(
    proposal: Proposal, position: Position, callers: Sequence[str], *, explain: bool, name: str = ""
) -> Sentences:
    """Return what Millchen says when it wants people to make a turn.

    Args:
        position: In which it is made: a stone on a tower is put on top.
        callers: What each player is called.
        explain: Whether the reasons follow.
        name: Said first where Millchen plays for several players.
    """

    def say(language: str, spoken: bool) -> str:
        speaker = _Millchen(language, spoken, position)
        text = speaker.turn(proposal.moves) if proposal.moves else speaker.say(CANNOT_THINK)
        if explain and proposal.reasons:
            text = f"{text} {reason_sentences(proposal.reasons, language, callers, spoken=spoken)}"
        return catalogue(language, "page")["label"].format(name=name, text=text) if name else text

    return _in_all_languages(say)


def why_sentences(reasons: Sequence[Reason], callers: Sequence[str]) -> dict[str, str]:
    """Return reasons to read, by language."""
    return {language: reason_sentences(reasons, language, callers) for language in LANGUAGES}


def with_reasons(sentences: Sentences, reasons: Sequence[Reason], callers: Sequence[str]) -> Sentences:
    """Return the sentences of a turn that Millchen has laid itself with its reasons: heard after it, read beside it."""
    spoken = {
        language: f"{text} {reason_sentences(reasons, language, callers, spoken=True)}"
        for language, text in sentences["spoken"].items()
    }
    return {**sentences, "spoken": spoken, "why": why_sentences(reasons, callers)}


def remaining_sentences(moves: Sequence[Move], position: Position) -> Sentences:
    """Return the request to make the rest of a turn that was begun."""
    return _in_all_languages(lambda language, spoken: _Millchen(language, spoken, position).turn(moves))


def other_turn_sentences(foul: FoulSeen, board: Board, stones: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return what Millchen says when people have made another turn for it than it meant, and how to put that right.

    ``stones`` are what those of each player are called: by their colour, else by their player.
    """

    def say(language: str, spoken: bool) -> str:
        speaker = _Millchen(language, spoken)
        said = [speaker.say("not_meant", meant=speaker.name_of(foul.meant), played=speaker.name_of(foul.played))]
        if any(isinstance(move, Rotate) for move in foul.played):
            said.append(speaker.say("put_back"))
        else:
            before, seen = foul.before_tops, foul.seen_tops
            said.append(Speaker(language, stones, spoken=spoken).put_back(before, seen, board.points))
        return " ".join([*filter(None, said), speaker.say("or_stand")])

    return _in_all_languages(say) | {
        "title": {language: catalogue(language, "partner")["other_title"] for language in LANGUAGES}
    }


def begun_otherwise_sentences(proposal: Proposal, position: Position) -> Sentences:
    """Return what Millchen says when a mill was closed for it by another move than it meant."""
    return _in_all_languages(
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
        said = [speaker.chance(reason, callers) for reason in (*hint.own, *hint.threats)]
        said.append(speaker.say("hint_best", turn=speaker.name_of(hint.moves)))
        if hint.reasons:
            said.append(reason_sentences(hint.reasons, language, callers, spoken=spoken))
        return " ".join(said)

    return _in_all_languages(say)
