"""Events in, sentences in any language out; the phrases are in ``languages/xx/referee.json``.

Slots stand in braces. ``{player}`` begins a sentence, ``{of}`` is "of that player", ``{for_}`` "for that player",
``{stone}`` and ``{a_stone}`` are objects of the verb ("the red stone", "a red stone"). They are filled here so that
articles, plurals and colours agree; ``test_announce.py`` reads every sentence. Marks such as ``(n)`` and ``d(e)`` are
for the language's grammar (``languages.grammar``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from languages import catalogue, grammar, translated
from referee import events
from referee.board import Board
from referee.endings import Termination
from referee.events import Event, FoulSeen, GameEnded, MillClosed, QuestionAsked, Resumed, TurnPlayed
from referee.fouls import Foul
from referee.legal import forbidden_centre, legal_moves
from referee.moves import Capture, Decline, Move, Place, Rotate, RotateUnseen, Slide
from referee.position import Due, Position
from referee.presets import game_name
from referee.question_options import Reading, in_doubt, readings

Colours = Sequence[str] | None

_WHY: Mapping[str, str] = {
    "fewer_than_three": "why_fewer",
    "no_moves": "why_no_moves",
    "no_mill": "why_no_mill",
    "repetition": "why_repetition",
    "resignation": "why_resignation",
    "time": "why_time",
}
"""Phrases for endings that name a player or a count."""


def sentence(
    event: Event,
    language: str = "en",
    colours: Colours = None,
    board: Board | None = None,
    *,
    spoken: bool = False,
    stones: Colours = None,
) -> str:
    """Say what happened, for players.

    ``colours`` are the colours of each player's stones (``red``, ``grey``: ``colours`` in ``referee.json``), or names;
    empty where unknown. Where they are names, ``stones`` has the colours: somebody has to find the stones. ``board``
    names the points of a foul that has to be put right. ``spoken`` points have names that cannot be confused by ear.

    >>> from referee.moves import Slide
    >>> turn = TurnPlayed(7, 0, (Slide("d6", "d5"), Capture("c3")), (("c5", "d5", "e5"),), 0.99, 1.0, 30)
    >>> print(sentence(turn, "en", ("red", "grey")))
    Red moves from d6 to d5, closes a mill and takes the stone on c3.
    >>> print(sentence(turn, "de", ("red", "grey")))
    Rot zieht von d6 nach d5, schließt eine Mühle und nimmt den Stein auf c3.
    >>> print(sentence(turn, "fr"))
    Le joueur 1 va de d6 à d5, ferme un moulin et prend le pion en c3.
    >>> print(sentence(turn, "lb", ("red", "grey")))
    Rout zitt vun d6 op d5, mécht eng Millen an hëlt de Steen op c3.
    """
    return Speaker(language, colours, spoken=spoken, stones=stones).say(event, board)


def spoken_point(name: str, language: str = "en") -> str:
    """The name of a point for ears.

    >>> spoken_point("b4", "en"), spoken_point("ne", "de"), spoken_point("o3", "fr")
    ('Bravo 4', 'Nordosten', 'extérieur 3')
    """
    names = catalogue(language, "referee")
    if name in names["winds"]:
        return str(names["winds"][name])
    letter, number = name[0], name[1:]
    if letter in "omi":
        return f"{names['rings']['omi'.index(letter)]} {number}"
    return f"{names['letters']['abcdefg'.index(letter)]} {number}"


def written_point(name: str, language: str = "en") -> str:
    """The written name of a point: winds have the letters of the language.

    >>> written_point("b4", "fr"), written_point("sw", "fr")
    ('b4', 'so')
    """
    return str(catalogue(language, "referee")["wind_letters"].get(name, name))


def foul_words(kind: str, language: str = "en", rule: str = "") -> str:
    """The foul, as the end of a sentence.

    >>> foul_words("rotated_without_stone", rule="ring")
    'a ring was turned on which no stone of that player lies'
    """
    words: Mapping[str, str] = catalogue(language, "referee")["fouls"]
    return words.get(f"{kind}.{rule}", words[kind])


def _phrase_of(event: events.BoardFound | events.Restored | events.FoulStood) -> str:
    if isinstance(event, events.FoulStood):
        return "resumed" if event.player is None else "stood"  # where nobody was accused no foul stands
    return "board_found" if isinstance(event, events.BoardFound) else "restored"


class Speaker:
    """Fills the phrases of one language, for players of these colours (or names) as in ``sentence``."""

    def __init__(
        self, language: str = "en", colours: Colours = None, *, spoken: bool = False, stones: Colours = None
    ) -> None:
        self._language = language
        self._texts = catalogue(language, "referee")
        self._phrases: Mapping[str, str] = self._texts["phrases"]
        self._join = grammar(language)
        self._colours = tuple(colours or ())
        self._stone_colours = tuple(stones or ())
        self._spoken = spoken

    # ------------------------------------------------------------ words

    def _fill(self, phrase: str, **slots: object) -> str:
        return self._join(self._phrases[phrase].format(**slots))

    def _colour(self, player: int) -> str:
        return self._colours[player] if player < len(self._colours) else ""

    def player(self, player: int) -> str:
        """The player as the subject that begins a sentence."""
        colour = self._colour(player)
        if not colour:
            return self._fill("player", n=player + 1)
        return str(self._texts["colours"].get(colour, (colour, ""))[0])

    def _of(self, player: int) -> str:
        if not self._colour(player):
            return self._fill("of_numbered", n=player + 1)
        return self._fill("of", name=self.player(player))

    def inside(self, player: int) -> str:
        """The player within a sentence."""
        return self.player(player) if self._colour(player) else self._fill("of_player", n=player + 1)

    def stone(self, player: int, article: str) -> str:
        """``the`` or ``a`` stone of the player, as the object of a sentence."""
        stone_colour = self._stone_colours[player] if player < len(self._stone_colours) else ""
        adjective = self._texts["colours"].get(stone_colour or self._colour(player))
        if adjective is None and self._colour(player):
            return self._fill(f"{article}_named", name=self._colour(player))
        if adjective is None:
            return self._fill(f"{article}_numbered", n=player + 1)
        return self._fill(f"{article}_coloured", adjective=adjective[1])

    def point(self, name: str) -> str:
        """The name of a point, for eyes or ears."""
        return (spoken_point if self._spoken else written_point)(name, self._language)

    def points(self, names: Sequence[str]) -> str:
        """The names of points, as a list."""
        return self._list([self.point(name) for name in names], "and")

    def _list(self, parts: Sequence[str], word: str) -> str:
        if len(parts) < 2:
            return "".join(parts)
        return self._join(f"{', '.join(parts[:-1])} {self._phrases[word]} {parts[-1]}")

    # ------------------------------------------------------------ sentences

    def say(self, event: Event, board: Board | None) -> str:
        """The sentence, or sentences, of an event."""
        match event:
            case TurnPlayed():
                return self._turn(event)
            case MillClosed():
                return self._mill(event)
            case events.BoardFound() | events.Restored() | events.FoulStood():
                return self._fill(_phrase_of(event))
            case events.BoardLost(reason):
                return self._fill("board_lost", reason=reason.rstrip("."))
            case events.PictureSkipped(file, reason):
                return self._fill("picture_skipped", file=file, reason=translated(reason, self._language))
            case events.TurnAmended(ply, None):
                return self._fill("never", ply=ply)
            case events.TurnAmended(ply, tuple(moves)):
                return self._amended(ply, event.player, moves)
            case FoulSeen():
                return self._foul(event, board)
            case Resumed():
                return self._resumed(event)
            case events.OtherGameSeen(chosen, options):
                names = self._list([game_name(name, self._language) for name in options], "or")
                return self._fill("other_game", chosen=game_name(chosen, self._language), games=names)
            case QuestionAsked():
                return self._question(event, board)
            case events.PlayerOut() | events.OwnerChanged() | events.DrawNear():
                return self._consequence(event)
            case GameEnded(winner):
                why = self._why(event)
                if winner is None:
                    return self._fill("no_result" if event.reason == Termination.ABANDONED else "draw", why=why)
                return self._fill("wins", player=self.player(winner), why=why)
        raise TypeError(f"not an event: {event!r}")

    def _consequence(self, event: events.PlayerOut | events.OwnerChanged | events.DrawNear) -> str:
        if isinstance(event, events.DrawNear):
            return self._fill(f"warning_{event.kind}", n=event.left)
        if isinstance(event, events.OwnerChanged):
            key = "owner" if len(event.points) == 1 else "owners"
            return self._fill(key, points=self.points(event.points), for_=self.inside(event.owner))
        sentences = [self._fill(f"out_{event.reason}", player=self.player(event.player))]
        if event.removed:
            key = "out_remove" if len(event.removed) == 1 else "out_remove_all"
            sentences.append(self._fill(key, points=self.points(event.removed)))
        return " ".join(sentences)

    def _why(self, event: GameEnded) -> str:
        phrase, n = _WHY.get(event.reason, ""), event.n
        if phrase == "why_fewer" and n in (0, 1):
            phrase = "why_one_left" if n else "why_none_left"
        slots = {"loser": None if event.loser is None else self.inside(event.loser)}
        slots["n"] = None if n is None else self.number(n)
        if not phrase or any(f"{{{name}}}" in self._phrases[phrase] for name, value in slots.items() if value is None):
            return str(self._texts["endings"].get(event.reason, event.reason))
        return self._fill(phrase, **slots)

    def number(self, n: int) -> str:
        """A number of stones, turns or times, as a word where the language has one for it."""
        return str(self._texts["numbers"].get(str(n), n))

    def _amended(self, ply: int, player: int | None, moves: tuple[Move, ...]) -> str:
        acts = self._list(self._clauses(moves, "past_") or [self._fill("past_pass")], "and")
        if player is None:
            return self._fill("amended_by_nobody", ply=ply, text=acts)
        return self._fill("amended", ply=ply, player=self.inside(player), acts=acts)

    def _mill(self, event: MillClosed) -> str:
        if event.due is None:
            points = ", ".join(self.point(name) for name in event.line)
            return self._fill("mill_closed", for_=self.inside(event.player), points=points)
        return f"{self._fill('mill_due', for_=self.inside(event.player))} {self.take(event.due)}."

    # ------------------------------------------------------------ what to do next

    def take(self, dues: Sequence[Due]) -> str:
        """The request to take stones for a mill, without its full stop."""
        required, offered = ([due for due in dues if due.optional is optional] for optional in (False, True))
        if not dues:
            return self._fill("take_nothing")
        if not required:
            return self._fill("take_may", what=self._stones(offered))
        request = self._fill("take_must", what=self._stones(required))
        return self._fill("take_also", take=request, what=self._stones(offered)) if offered else request

    def _stones(self, dues: Sequence[Due]) -> str:
        """The stones that are due: from one player, or as many from each of several."""
        parts: list[str] = []
        for n in sorted({due.n for due in dues}):
            choices = [due.players for due in dues if due.n == n]
            if len(choices) == 1:
                parts.append(self._list([self._stones_of(player, n) for player in choices[0]], "or"))
                continue
            names = self._list([self.inside(player) for choice in choices for player in choice], "and")
            parts.append(self._fill("each_one" if n == 1 else "each_many", n=self.number(n), names=names))
        return self._list(parts, "and")

    def _stones_of(self, player: int, n: int) -> str:
        if n == 1 and self._colour(player) in self._texts["colours"]:
            return self.stone(player, "a")
        return self._fill("stone_of" if n == 1 else "stones_of", n=self.number(n), of=self._of(player))

    def to_do(self, position: Position) -> str:
        """What the player to move may do now, without a full stop; empty where the game is over.

        >>> from referee.presets import find_variant
        >>> lasker = Position.set_up(find_variant("lasker_morris"), {"d6": [0]}, (9, 9), 0)
        >>> Speaker("de").to_do(lasker)
        'Setz einen Stein, oder zieh einen Stein eine Linie weiter'
        """
        if position.dues:
            return self._fill("do_take", take=self.take(position.dues))
        if position.removing:  # a stone is taken for once without a mill
            others = sum(
                1 << player for player, out in enumerate(position.out) if not out and player != position.to_move
            )
            return self.take((Due(others, 1, False),))
        moves, variant = legal_moves(position), position.variant
        kinds = {type(move) for move in moves}
        towers = "_towers" if variant.max_height > 1 else ""
        clauses: list[str] = []
        if Place in kinds:
            clauses.append("do_place_rim" if forbidden_centre(position) is not None else f"do_place{towers}")
        if Slide in kinds:
            clauses.append(f"do_jump{towers}" if position.may_fly(position.to_move) else
                           f"do_move{towers or ('_rings' if variant.rotates else '')}")  # fmt: skip
        if Rotate in kinds:
            clauses.append("do_turn")
        text = f", {self._phrases['or']} ".join(self._fill(clause) for clause in clauses)
        return text[:1].upper() + text[1:]

    def _resumed(self, event: Resumed) -> str:
        n_stones = sum(top > 0 for top in event.tops)
        what = self._fill("resumed")
        if event.is_begun:
            what = self._fill("begun_one" if n_stones == 1 else "begun_many", n=self.number(n_stones))
            what = what[:1].upper() + what[1:]
        if event.to_move is None:
            return f"{what} {self._fill('resumed_open')}"
        return f"{what} {self._fill('resumed_to_move', player=self.player(event.to_move))}"

    def foul(self, kind: str, player: int | None = None, rule: str = "") -> str:
        """The foul and who did it; ``put_back`` says how to put it right. ``rule`` as in ``FoulSeen``."""
        what = foul_words(kind, self._language, rule)
        if player is None:
            return self._fill("foul", what=what)
        return self._fill("foul_by", of=self._of(player), what=what)

    def put_back(self, before: Sequence[int], tops: Sequence[int], names: Sequence[str]) -> str:
        """The way back from the seen tops to the former ones; ``names`` are the names of their points."""
        came = [i for i in range(len(names)) if tops[i] and tops[i] != before[i]]
        went = [i for i in range(len(names)) if before[i] and tops[i] != before[i]]
        sentences: list[str] = []
        for i in came:
            stone = self.stone(tops[i] - 1, "the")
            home = next((j for j in went if before[j] == tops[i] and j != i), None)
            if home is None:
                sentences.append(self._fill("back_remove", stone=stone, at=self.point(names[i])))
            else:
                went.remove(home)
                start, to = self.point(names[i]), self.point(names[home])
                sentences.append(self._fill("back_move", stone=stone, start=start, to=to))
        for i in went:
            sentences.append(self._fill("back_return", a_stone=self.stone(before[i] - 1, "a"), at=self.point(names[i])))
        return " ".join(sentences)

    def _foul(self, event: FoulSeen, board: Board | None) -> str:
        differences = [i for i, (a, b) in enumerate(zip(event.before_tops, event.seen_tops, strict=True)) if a != b]
        sentences = [self.foul(event.kind, event.player, event.rule)]
        if event.kind == Foul.CAPTURE_MISSING and event.player is not None:
            sentences.append(self._fill("back_capture", player=self.player(event.player)))
        elif event.kind in (Foul.ROTATED_BACK, Foul.ROTATED_WITHOUT_STONE):
            sentences.append(self._fill("back_ring"))
        elif board is not None and len(board.points) == len(event.before_tops):
            sentences.append(self.put_back(event.before_tops, event.seen_tops, board.points))
        elif len(differences) == len(event.points):  # the points of a foul stand in the order of the board
            before, after = ([tops[i] for i in differences] for tops in (event.before_tops, event.seen_tops))
            sentences.append(self.put_back(before, after, event.points))
        else:
            sentences.append(self._fill("back_all"))
        return " ".join(filter(None, sentences))

    def _question(self, event: QuestionAsked, board: Board | None) -> str:
        """The question about what the options differ in, or about the options where their player is unknown."""
        readings_in_doubt = () if board is None else in_doubt(readings(event, board))
        if not readings_in_doubt:
            return self._fill("question", options=self._list(event.options, "or"))
        whose = {(reading.ply, *(player for player, _ in reading.turns)) for reading in readings_in_doubt}
        if len(whose) == 1 and len(readings_in_doubt[0].turns) == 1:  # one turn of one player: she or he is named once
            acts = self._list([self._asked_acts(reading.turns[0][1]) for reading in readings_in_doubt], "or")
            clauses = [self._asked_in(self._did(readings_in_doubt[0].turns[0][0], acts), readings_in_doubt[0])]
        else:
            clauses = [self._clause_of(reading) for reading in readings_in_doubt]
        text = f", {self._phrases['or']} ".join(clauses)
        return self._fill("asked_end", asked=text[0].upper() + text[1:])

    def _clause_of(self, reading: Reading) -> str:
        if short := self._without_turns(reading, "asked"):
            return short
        clauses = [self._did(player, self._asked_acts(moves)) for player, moves in reading.turns]
        return self._asked_in(self._list(clauses, "and"), reading)

    def _without_turns(self, reading: Reading, form: str) -> str:
        """The sentence of a reading without turns: something unlawful was done, or turns were taken back."""
        if reading.unlawful:
            return self._fill(f"{form}_else")
        return self._fill(f"{form}_back{'s' if reading.back > 1 else ''}", n=reading.back) if reading.back else ""

    def _asked_in(self, clause: str, reading: Reading) -> str:
        return clause if reading.ply is None else self._fill("asked_in", asked=clause, ply=reading.ply)

    def _did(self, player: int, acts: str) -> str:
        return self._fill("did", player=self.inside(player), acts=acts)

    def _asked_acts(self, moves: tuple[Move, ...]) -> str:
        return self._list(self._clauses(moves, "asked_"), "and")

    def answers(self, event: QuestionAsked, board: Board) -> list[str]:
        """The options of a question as sentences, or as they are where their player is unknown.

        >>> from referee.layouts import TRIALECTIC
        >>> question = QuestionAsked(("b3", "="), 1.0, 30, players=((2,), ()))
        >>> Speaker("en", ("yellow", "red", "blue")).answers(question, TRIALECTIC)
        ['Blue places on b3.', 'Nothing was played.']
        """
        return [self._answer(reading) for reading in readings(event, board)] or list(event.options)

    def _answer(self, reading: Reading) -> str:
        if short := self._without_turns(reading, "answer"):
            return short
        sentences = [
            f"{self.player(player)} {self._list(self._clauses(moves), 'and')}." for player, moves in reading.turns
        ]
        return " ".join(sentences) or self._fill("answer_none")

    def _turn(self, event: TurnPlayed) -> str:
        clauses = self._clauses([move for move in event.moves if not isinstance(move, Capture | Decline)])
        if event.mills:
            n = len(event.mills)
            count = self._phrases.get({2: "two", 3: "three"}.get(n, ""), str(n))
            clauses.append(self._fill("mill") if n == 1 else self._fill("mills", n=count))
        clauses += self._clauses([move for move in event.moves if isinstance(move, Capture | Decline)])
        if not clauses:
            clauses.append(self._fill("pass"))
        sentences = [f"{self.player(event.player)} {self._list(clauses, 'and')}."]
        sentences += [self._fill("skipped", player=self.player(player)) for player in event.skipped]
        return " ".join(sentences)

    def _clauses(self, moves: Sequence[Move], form: str = "") -> list[str]:
        """The clauses of moves, captures last and together; ``asked_`` is the form that follows "did"."""
        clauses = [self._act(move, form) for move in moves if not isinstance(move, Capture | Decline)]
        captured_points = [move.at for move in moves if isinstance(move, Capture)]
        if captured_points:
            phrase = "capture" if len(captured_points) == 1 else "captures"
            clauses.append(self._fill(f"{form}{phrase}", points=self.points(captured_points)))
        if any(isinstance(move, Decline) for move in moves):
            clauses.append(self._fill(f"{form}decline"))
        return clauses

    def _act(self, move: Move, form: str = "") -> str:
        match move:
            case Place(to):
                return self._fill(f"{form}place", to=self.point(to))
            case Slide(start, to):
                return self._fill(f"{form}slide", start=self.point(start), to=self.point(to))
            case Rotate(ring, steps):
                direction = self._phrases["clockwise" if steps > 0 else "anticlockwise"]
                return self._fill(f"{form}rotate", ring=self._phrases[f"ring{ring}"], direction=direction)
            case RotateUnseen():
                return self._fill(f"{form}rotate_unseen")
            case _:
                return self._fill(f"{form}pass")
