"""The stories that may explain what the table shows: everything that people do between two quiet looks.

A story says what the table should show if it is true, and what it costs, in nats, to believe it:

* nothing; a lawful turn; a turn whose capture is still due, and then that capture; two lawful turns between two looks;
* turns taken back; the last turn read wrongly, and another one in its place (its own evidence is weighed again);
* after a foul: the table put right, put right and a turn played, or the foul let stand and a turn played on;
* and the open alternative: any stones anywhere. It is never forbidden, only dear, so a foul can be seen and a
  misread point is no foul. What it means is for the referee to say (``referee.rulings``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from referee.game import Game
from referee.moves import Move, Place, Rotate, Slide
from referee.position import Position
from referee.rules import Turn, legal_turns, partial_turns
from vision.decoding.belief import Belief, Steps, Tops
from vision.rotation.angle_at_rest import ROTATION_STEPS

COST_NOTHING_DONE = 3.0
"""Nats against nothing having been done when a hand has been over the board: one visit in twenty is idle."""

COST_TURN = 2.0
"""Nats against a lawful turn, before it is shared out among the turns that are possible."""

COST_SECOND_TURN = 5.0
"""Nats more for a second turn between two looks: people wait for each other, mostly."""

LEAST_LEANING = -8.0
"""Log posterior of what did not come to mind in a rest that ended without a decision."""

COST_COVERED = 3.5
"""Nats more for two turns between two looks of which the second covers what the first has changed: of all points it
must be that one, and players of a tower look at what they cover."""

COST_TAKE_BACK = 6.0
COST_TAKE_BACK_MORE = 1.0
"""Nats for taking back one turn, and for each further one."""

COST_TURN_BACK = 6.5
"""Nats more where a ring was turned: the next player who turns it back, which is a foul, looks just the same."""

COST_PUT_BACK = 3.5
"""Nats for several turns that were just taken back and lie there again: a stone was only lifted, say."""

COST_MISREAD = 5.0
"""Nats for having read the last turn wrongly, or for a stone put elsewhere by whoever laid it, to which comes what the
evidence of that turn says against it: what was plainly seen then needs a foul to look otherwise now."""

COST_PLAY_ON = 5.0
"""Nats for letting a foul stand and playing on: most people put it right."""

COST_OPEN = 6.5
COST_OPEN_EDIT = 2.5
"""Nats for something that no rule explains, and for each point that it changes."""

COST_NOBODY = 6.0
"""Nats more for it when nothing has moved over the board: fouls are made by hands."""

COST_FROM_NOWHERE = 4.0
"""Nats for each stone more on the table than its player has left to lay: stones do not multiply."""

COST_GONE = 3.0
"""Nats for each stone that has left the table unexplained: it is likelier that it lies somewhere unseen."""

COST_UNSEEN = 3.0
"""Nats for each point that a story changes out of the picture's sight: what cannot be seen explains everything."""

MOST_TAKEN_BACK = 6
"""Turns that may be taken back between two looks."""


class Kind(Enum):
    """What a hypothesis says happened since the last decision."""

    SAME = auto()
    TURN = auto()
    MILL = auto()
    CHANGED_MIND = auto()
    TWO_TURNS = auto()
    TAKEN_BACK = auto()
    MISREAD = auto()
    RESTORED = auto()
    PLAYED_ON = auto()
    OPEN = auto()


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One story of what happened, with what the table should show if it is true.

    Attributes
    ----------
    kind : Kind
    tops : tuple of int
        Appearance per point: 0 bare, k the stone on top is painted in the colour of player k - 1.
    cost : float
        Minus the log of the prior, up to a constant; nats.
    game : Game
        The game before ``turns``, if the story is true.
    turns : tuple of Turn
        Lawful turns played since, in order.
    pending : Turn or None
        A turn begun whose capture is still due.
    undone : int
        How many accepted turns the story takes away.
    """

    kind: Kind
    tops: Tops
    cost: float
    game: Game
    turns: tuple[Turn, ...] = ()
    pending: Turn | None = None
    undone: int = 0
    steps: Steps = ()
    """How far each ring has turned since the last decision, if the story is true; empty where nothing turns."""

    @property
    def heights(self) -> Tops | None:
        """Stones on each point, if the story is true; None for a story that tells of tops alone."""
        if self.kind is Kind.OPEN:
            return None
        if self.pending is not None:
            return self.pending.after.heights
        return self.turns[-1].after.heights if self.turns else self.game.position.heights


def lawful_stories(belief: Belief) -> Iterator[Hypothesis]:
    """Tell everything lawful that may have happened, but for second turns."""
    return (_with_steps(story, belief) for story in _told(belief))


def next_turns(belief: Belief, first: Hypothesis) -> Iterator[Hypothesis]:
    """Follow up a story that ends in a turn by every next turn."""
    game = first.game
    for turn in first.turns:
        game = game.play_turn(turn)
    for second in _turns(game, Kind.TWO_TURNS, COST_SECOND_TURN):
        both = replace(
            first,
            kind=first.kind if first.kind in (Kind.MISREAD, Kind.PLAYED_ON) else Kind.TWO_TURNS,
            tops=second.tops,
            cost=first.cost + second.cost,
            turns=first.turns + second.turns,
            pending=second.pending,
        )
        if game.variant.max_height > 1 and unseen(both) and not unseen(first):
            both = replace(both, cost=both.cost + COST_COVERED * (game.position.tops != first.game.position.tops))
        yield _with_steps(both, belief)


def unseen(story: Hypothesis) -> bool:
    """Whether a turn of it before the last one shows in nothing: covered again, or laid on a stone of its colour."""
    after = [turn.after.tops for turn in (*story.turns, *((story.pending,) if story.pending is not None else ()))]
    before = story.game.position.tops
    for tops in after[:-1]:
        if not any(now != then and now == last for then, now, last in zip(before, tops, after[-1], strict=True)):
            return True
        before = tops
    return False


def carried(belief: Belief, story: Hypothesis) -> float:
    """Nats by which a story is cheaper, or dearer, because of what an undecided rest before this one has shown.

    Its last turn was played since then, or nothing was and the turns before explain that rest already; or all of it was
    played since, and what lay there was taken back.
    """
    if not belief.leaning or story.kind not in (Kind.SAME, Kind.TURN, Kind.MILL, Kind.TWO_TURNS):
        return 0.0
    turns = tuple(turn.moves for turn in story.turns)
    idle = _leant(belief, story, turns) - COST_NOTHING_DONE
    if story.kind is Kind.SAME:
        return max(idle, -COST_TAKE_BACK) + story.cost
    earlier = turns if story.pending is not None else turns[:-1]
    played = _leant(belief, story, earlier) - COST_TURN - 0.5 * float(np.log(len(story.tops)))
    since = max(_leant(belief, story, ()), -COST_TAKE_BACK) - story.cost
    return max(idle, played, since) + story.cost


def _leant(belief: Belief, story: Hypothesis, turns: tuple[tuple[Move, ...], ...]) -> float:
    """Log posterior of what explains the last rest, without what rings and towers showed then and show in this one."""
    nats = belief.leaning.get(turns, LEAST_LEANING)
    if turns in belief.leaning and belief.position.variant.max_height > 1:
        return nats - _shown_then(belief, story, turns)
    if turns not in belief.leaning or not story.steps or not len(belief.rings_then):
        return nats
    steps = _steps_of(belief.game, (move for moves in turns for move in moves))
    return nats - sum(
        float(belief.rings_then[ring, ROTATION_STEPS.index(now)])
        for ring, (then, now) in enumerate(zip(steps, story.steps, strict=True))
        if then == now and now in ROTATION_STEPS
    )


def _shown_then(belief: Belief, story: Hypothesis, turns: tuple[tuple[Move, ...], ...]) -> float:
    """What the last rest said of stones that turns laid on their like: it is said again in this one, of the same."""
    index, shown, then = belief.position.board.index, belief.expected, belief.touched_then
    goals = {index[move.to] for moves in turns for move in moves if isinstance(move, Place | Slide)}
    return sum(float(then[goal]) for goal in goals if len(then) and story.tops[goal] == shown[goal])


def unlawful_stories(belief: Belief, first: Hypothesis | None = None) -> Iterator[Hypothesis]:
    """Tell what no rule explains: the likeliest table of all, and each ring turned.

    With ``first``, a lawful turn, also what was done wrongly on top of it: a stone too many taken, say.
    """
    yield _open(belief)
    if first is not None and belief.position.variant.max_height == 1:
        slip = _open(belief, first)
        if slip.tops != first.tops:
            yield slip
    yield from _ring_fouls(belief)


def _told(belief: Belief) -> Iterator[Hypothesis]:
    game = belief.game
    yield Hypothesis(Kind.SAME, belief.expected, COST_NOTHING_DONE * belief.visited, game, pending=belief.pending)
    if belief.disputed is not None:
        yield from _after_a_foul(belief)
    elif belief.pending is not None:
        yield from _completions(belief)
    else:
        yield from _turns(game, Kind.TURN, COST_TURN)
    yield from _taken_back(belief)
    if len(belief.withdrawn) > 1 and belief.pending is None and belief.disputed is None:
        tops = belief.withdrawn[-1].after.tops
        yield Hypothesis(Kind.TWO_TURNS, tops, COST_PUT_BACK, game, turns=belief.withdrawn)
    if game.turns and belief.disputed is None and belief.pending is None:
        before = game.take_back()
        for story in _turns(before, Kind.MISREAD, COST_MISREAD, undone=1):
            if story.tops != game.position.tops and story.turns:
                yield replace(story, cost=story.cost - _reweighed(story, belief))


def _reweighed(story: Hypothesis, belief: Belief) -> float:
    """What the evidence of the last accepted turn says for the story's turn instead of the accepted one, nats.

    Of several turns read from one rest the last may not have been played then: its place was taken since.
    """
    if not belief.accepted:
        return 0.0
    evidence = belief.accepted[-1]
    rows = np.arange(len(evidence))
    instead = [story.turns[0].after.tops] + [story.game.position.tops] * (belief.together > 1)
    then = evidence[rows, np.array(belief.game.position.tops)].sum()
    return float(max(evidence[rows, np.array(tops)].sum() for tops in instead) - then)


def _turns(game: Game, kind: Kind, cost: float, undone: int = 0) -> Iterator[Hypothesis]:
    """Each lawful turn from a game, whole or with its capture still due."""
    if game.outcome is not None:
        return
    whole = legal_turns(game.position)
    begun = partial_turns(game.position)
    share = 0.5 * float(np.log(max(1, len(whole))))
    for turn in whole:
        yield Hypothesis(kind, turn.after.tops, cost + share, game, turns=(turn,), undone=undone)
    for turn in begun:
        half = Kind.MILL if kind is Kind.TURN else kind
        yield Hypothesis(half, turn.after.tops, cost + share, game, pending=turn, undone=undone)


def _completions(belief: Belief) -> Iterator[Hypothesis]:
    """The captures that a turn begun still owes, or another turn altogether."""
    game, begun = belief.game, belief.pending
    assert begun is not None  # the caller looked
    endings = legal_turns(begun.after)
    share = 0.5 * float(np.log(max(1, len(endings))))
    for ending in endings:
        turn = Turn(begun.moves + ending.moves, ending.after, begun.mills, begun.player)
        yield Hypothesis(Kind.TURN, turn.after.tops, COST_TURN / 2 + share, game, turns=(turn,))
    for ending in partial_turns(begun.after):
        turn = Turn(begun.moves + ending.moves, ending.after, begun.mills, begun.player)
        yield Hypothesis(Kind.MILL, turn.after.tops, COST_TURN / 2 + share, game, pending=turn)
    yield Hypothesis(Kind.CHANGED_MIND, game.position.tops, COST_TAKE_BACK, game)
    for story in _turns(game, Kind.TURN, COST_TAKE_BACK + COST_TURN):
        if story.tops != begun.after.tops:
            yield replace(story, kind=Kind.CHANGED_MIND if story.pending is not None else Kind.TURN)


def _taken_back(belief: Belief) -> Iterator[Hypothesis]:
    game = belief.game
    for k in range(1, min(MOST_TAKEN_BACK, len(game.turns)) + 1):
        game = game.take_back()
        cost = COST_TAKE_BACK + COST_TAKE_BACK_MORE * (k - 1)
        if any(isinstance(move, Rotate) for move in belief.game.turns[-k].moves):
            cost += COST_TURN_BACK
        yield Hypothesis(Kind.TAKEN_BACK, game.position.tops, cost, game, undone=k)


def _after_a_foul(belief: Belief) -> Iterator[Hypothesis]:
    """The table put right, put right and played, or the foul let stand."""
    game, tops = belief.game, belief.disputed
    assert tops is not None  # the caller looked
    yield Hypothesis(Kind.RESTORED, belief.position.tops, 1.0, game, pending=belief.pending)
    if belief.pending is not None:
        yield from _completions(belief)
    else:
        yield from _turns(game, Kind.TURN, 1.0 + COST_TURN)
    for player in range(game.variant.players):  # whose turn it is then depends on who was at fault
        yield from _turns(game.play_on(tops, to_move=player), Kind.PLAYED_ON, COST_PLAY_ON + COST_TURN)


def _open(belief: Belief, first: Hypothesis | None = None) -> Hypothesis:
    """The likeliest table of all, at a price for every point that differs from what was last decided.

    Or from what ``first`` shows, a lawful turn on top of which something was done that is not.
    """
    expected = np.array(belief.expected)
    usual = expected if first is None else np.array(first.tops)
    rows = np.arange(len(expected))
    price = np.full(belief.evidence.shape, COST_OPEN_EDIT)
    price[rows, usual] = 0.0
    towers = (expected > 0) & (belief.position.variant.max_height > 1)  # these may be touched and show what they showed
    told = belief.looks_worth * np.where(towers, np.minimum(belief.touched, 0.0), belief.touched)
    price -= told[:, None]
    price[rows, expected] += told
    tops = np.argmax(belief.news - price, axis=1)
    n_edits = int((tops != usual).sum())
    position = belief.position if first is None else _after(first)
    cost = COST_OPEN + COST_NOBODY * (not belief.visited) + COST_OPEN_EDIT * n_edits
    return Hypothesis(
        Kind.OPEN,
        tuple(int(a) for a in tops),
        cost + _cost_of_stones(belief, tops, position) + (first.cost if first is not None else 0.0),
        belief.game,
        pending=belief.pending,
        steps=(0,) * len(belief.turning),
    )


def _after(story: Hypothesis) -> Position:
    """The position that a lawful turn, whole or begun, leaves."""
    turn = story.pending if story.pending is not None else story.turns[-1]
    return turn.after


def _ring_fouls(belief: Belief) -> Iterator[Hypothesis]:
    """Each ring turned by a step, lawful or not; as one act it is likelier than all its stones moved one by one."""
    shown = belief.expected
    for r, ring in enumerate(belief.position.board.rings):
        for step in (-1, 1):
            tops = list(shown)
            for k, point in enumerate(ring):
                tops[ring[(k + step) % len(ring)]] = shown[point]
            steps = [0] * len(belief.turning)
            steps[r] = step
            cost = COST_OPEN + COST_OPEN_EDIT
            yield Hypothesis(Kind.OPEN, tuple(tops), cost, belief.game, pending=belief.pending, steps=tuple(steps))


def _cost_of_stones(belief: Belief, tops: NDArray[np.intp], position: Position) -> float:
    """What it costs that a table shows other stones than there should be (where towers can hide none)."""
    if position.variant.max_height > 1:
        return 0.0
    shown = np.bincount(tops, minlength=belief.evidence.shape[1])[1:]
    lawful = np.bincount(np.array(position.tops), minlength=belief.evidence.shape[1])[1:]
    n_new = np.maximum(shown - lawful - np.array(position.hands), 0).sum()
    n_gone = np.maximum(lawful - shown, 0).sum()
    return float(COST_FROM_NOWHERE * n_new + COST_GONE * n_gone)


def _steps_of(game: Game, moves: Iterable[Move], sign: int = 1) -> list[int]:
    """How far moves turn each ring, together."""
    steps = [0] * len(game.position.board.rings)
    for move in moves:
        if isinstance(move, Rotate):
            steps[move.ring] += sign * move.steps
    return steps


def _with_steps(story: Hypothesis, belief: Belief) -> Hypothesis:
    """Work out how far each ring has turned since the last decision, if a story is true."""
    board = belief.game.position.board
    if not board.rings:
        return story
    put_right = belief.disputed is not None and story.kind not in (Kind.SAME, Kind.PLAYED_ON)
    steps = np.array([-s for s in belief.disputed_steps] if put_right else [0] * len(board.rings))
    for turn in belief.game.turns[len(belief.game.turns) - story.undone :]:
        steps += _steps_of(belief.game, turn.moves, -1)
    begun = belief.pending.moves if belief.pending is not None else ()
    for turn in story.turns:
        steps += _steps_of(belief.game, turn.moves)
    if story.pending is not None:
        steps += _steps_of(belief.game, story.pending.moves)
    steps += _steps_of(belief.game, begun, -1)
    return replace(story, steps=tuple(int(s) for s in steps))
