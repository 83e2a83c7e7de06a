"""A board that the picture cuts off a little is played on; what is out of sight is said, and never called empty."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

import millchen
from referee.boards import boards_for
from referee.events import TurnPlayed
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import find_variant
from tests.drawn import drawn
from tests.synthetic import Hand, random_spec, stacks_of
from vision.detection.detect import locate
from vision.detection.refusal import cut_off_reason
from vision.imaging.field import Field, Registration, out_of_sight_note
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import TableSetup, start

TABLE = Path(__file__).parents[1] / "data" / "locate" / "nine_mens_morris.jpg"
"""A nine men's morris with stones."""

SQUARE = np.array(NINE_MENS_MORRIS.xy) * 200 + 20
"""The points of a board that lies straight in a picture of 240 x 240 px."""


def test_of_a_board_that_is_whole_nothing_is_said() -> None:
    field = Field(NINE_MENS_MORRIS, "lines", SQUARE.copy(), np.eye(3))
    assert cut_off_reason(SQUARE, (240, 240)) == ""
    assert out_of_sight_note(Registration(field, 1.0), (240, 240)) is None


@pytest.mark.film
def test_read_and_watch_name_the_points_that_are_cut_off(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bgr, path = cv2.imread(str(TABLE)), tmp_path / "cut.png"
    found = locate(bgr)
    assert isinstance(found, Registration)
    places = np.sort(found.field.points_px[:, 0])[::-1]
    n = 2 + int(np.diff(places[1:6]).argmin())  # two to five points, with the widest gap before them
    cv2.imwrite(str(path), bgr[:, : round(float(places[n - 1] + places[n]) / 2)])
    assert millchen.main(["read", str(path), "--json"]) == 0
    points = json.loads(capfd.readouterr().out)["points"]
    unseen = {name for name, point in points.items() if point.get("in_sight") is False}
    assert len(points) == 24 and n <= len(unseen) <= n + 1  # one more lies on the rim
    assert all(points[name]["stone"] is None and points[name]["p"] == 0.5 for name in unseen)
    assert millchen.main(["watch", str(tmp_path), "--game", "millchen", "--json"]) == 0
    told = capfd.readouterr().err
    assert told.count("the picture cuts off") == 1 and all(name in told for name in unseen)


@pytest.mark.film
def test_a_game_on_a_board_that_is_cut_off_is_followed_on_the_points_in_sight() -> None:
    variant = find_variant("millchen")
    table = TableSetup(variant, boards_for(variant))
    scene = drawn(random_spec(np.random.default_rng(11), NINE_MENS_MORRIS, hardness=0.2, size_px=(960, 540)))
    points_px = scene.points_px()
    left = np.argsort(points_px[:, 0])
    first = round(float(points_px[left[2:4], 0].mean()))
    state, said, n = start(table), [], 0
    seen = [int(i) for i in left[-3:]]
    for tops in ({}, {seen[0]: 1}, {seen[0]: 1, seen[1]: 2}):
        stacks = stacks_of([tops.get(i, 0) for i in range(24)])
        for k in range(15):
            hand = Hand((0.8, 0.5)) if k == 0 and n else None
            bgr, _ = scene.render(stacks, rng=np.random.default_rng(n), hand=hand)
            frame = Frame(np.ascontiguousarray(bgr[:, first:]), n / 10, n)
            state, events = step(state, frame, table)
            said += [event for event in events if isinstance(event, TurnPlayed)]
            n += 1
    assert isinstance(state.registration, Registration)
    unseen = state.registration.field.names_out_of_sight(frame.size_px)
    assert 3 <= len(unseen) <= 5
    assert [turn.player for turn in said] == [0, 1]
    assert all(turn.moves[0].to not in {NINE_MENS_MORRIS.index[name] for name in unseen} for turn in said)
