"""One event of every type, or several where it is told in several ways."""

from typing import get_args

from languages import message
from referee.endings import Termination
from referee.events import (
    BoardFound,
    BoardLost,
    DrawNear,
    Event,
    FoulSeen,
    FoulStood,
    GameEnded,
    MillClosed,
    OtherGameSeen,
    OwnerChanged,
    PictureSkipped,
    PlayerOut,
    QuestionAsked,
    Restored,
    Resumed,
    TurnAmended,
    TurnPlayed,
)
from referee.fouls import Foul
from referee.moves import Capture, Decline, Pass, Place, Rotate, Slide
from referee.position import Due

AT = (1.5, 45)
MILL = (("c5", "d5", "e5"),)


def _turn(*moves, mills=(), skipped=()) -> TurnPlayed:  # type: ignore[no-untyped-def]
    return TurnPlayed(7, 0, moves, mills, 0.98, *AT, skipped=skipped)


EVENTS: tuple[Event, ...] = (
    BoardFound("millchen", (("a7", 1.0, 2.0),), *AT),
    BoardLost("a hand is in the way", *AT),
    PictureSkipped("img7.jpg", message("picture.damaged"), *AT),
    *(_turn(Place(point)) for point in ("a7", "b4", "c3", "d6", "e5", "f6", "g7")),
    *(_turn(Slide(point, "b4")) for point in ("a7", "b2", "c3", "d6", "e5", "f6", "g7")),
    _turn(Slide("d6", "d5"), Capture("c3"), mills=MILL, skipped=(1,)),
    _turn(Place("d6"), Capture("c3"), Capture("a4"), mills=MILL * 2),
    _turn(Place("d6"), Decline(), mills=MILL * 3),
    *(_turn(Rotate(ring, steps)) for ring in range(3) for steps in (1, -1)),
    _turn(Pass()),
    MillClosed(0, ("a7", "d7", "g7"), *AT),
    *(MillClosed(0, ("a7", "d7", "g7"), *AT, due=(Due(0b10, n, may),)) for n in (1, 2) for may in (True, False)),
    MillClosed(0, ("a7", "d7", "g7"), *AT, due=()),
    MillClosed(0, ("a7", "d7", "g7"), *AT, due=(Due(0b10, 1, False), Due(0b100, 1, False))),
    MillClosed(0, ("a7", "d7", "g7"), *AT, due=(Due(0b10, 2, False), Due(0b100, 2, False), Due(0b1000, 1, True))),
    MillClosed(0, ("a7", "d7", "g7"), *AT, due=(Due(0b110, 1, False),)),
    TurnAmended(2, None, *AT),
    TurnAmended(2, (Place("d6"),), *AT),
    TurnAmended(2, (Slide("d6", "b4"), Capture("c3"), Capture("a4")), *AT, player=0),
    TurnAmended(2, (Slide("d6", "b4"), Decline()), *AT, player=1),
    TurnAmended(2, (Rotate(0, 1),), *AT, player=0),
    TurnAmended(2, (Place("b4"), Capture("c3")), *AT, player=0),
    *(FoulSeen(player, kind, ("a7",), (1, 0), (0, 0), *AT) for kind in Foul for player in (None, 0, 1)),
    FoulSeen(0, "two_moves", ("a7", "b4"), (1, 0), (0, 1), *AT),
    Restored(*AT),
    FoulStood(3, 0, "two_moves", (0, 1), 1, *AT),
    *(Resumed((("a7", None), ("d7", 1)), to_move, *AT) for to_move in (None, 0, 1)),
    OtherGameSeen("millchen", ("trialectic", "roman_mill"), *AT),
    QuestionAsked(("d6", "="), *AT, players=((1,), ())),
    QuestionAsked(("d6-b4xc3", "d6-d5"), *AT, players=((0,), (0,))),
    QuestionAsked(("-1", "..."), *AT, players=((), ())),
    *(PlayerOut(1, reason, *AT) for reason in ("fewer_than_three", "no_moves", "resignation", "time")),
    *(PlayerOut(1, "fewer_than_three", *AT, removed=points) for points in (("c3",), ("b4", "d6"))),
    *(OwnerChanged(points, 1, 0, *AT) for points in (("c3",), ("b4", "d6"))),
    DrawNear("draw_near", 5, *AT),
    DrawNear("repetition_near", 1, *AT),
    FoulSeen(0, "rotated_without_stone", ("o1",), (1, 0), (0, 1), *AT, rule="ring"),
    *(GameEnded(winner, str(reason), *AT) for reason in Termination for winner in (None, 0)),
    *(GameEnded(0, str(reason), *AT, loser=1, n=2) for reason in Termination),
    *(GameEnded(0, "fewer_than_three", *AT, loser=1, n=n) for n in (0, 1, 2)),
    *(GameEnded(None, "no_mill", *AT, n=n) for n in (20, 33, 40)),
    *(GameEnded(None, "repetition", *AT, n=n) for n in (2, 3)),
    GameEnded(None, "no_moves", *AT, loser=1),
)
"""Read by the tests of sentences; whoever adds a type of event adds one here."""

WITHOUT_AN_EXAMPLE = {kind.__name__ for kind in get_args(Event)} - {type(event).__name__ for event in EVENTS}
