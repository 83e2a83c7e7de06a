"""Stones laid on stones: what the pixels of a tower say, and what is made of a turn that shows in nothing."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.events import QuestionAsked, Restored, TurnPlayed
from referee.game import Game
from referee.layouts import TRIALECTIC
from referee.moves import turn_text
from tests.drawn import field_of
from tests.referee.positions import played
from tests.synthetic import Scene, random_spec
from tests.synthetic.stones import Stone
from tests.vision.beliefs import after_undecided, having
from tests.vision.test_decoder import looked, words
from vision.change.cover_change import cover_log_odds, cut_top_patches
from vision.change.pixel_change import detect_pixel_change
from vision.change.tower_change import TowerChange, detect_tower_change
from vision.decoding.belief import Belief, Dispute
from vision.decoding.decision import Decision, DecisionContext, decide
from vision.decoding.posterior import decode
from vision.imaging.board_view import cut_board_view
from vision.imaging.frame import Float32Array, Image
from vision.imaging.patches import cut_patches, image_jacobians, stone_unit
from vision.stones.appearance import learn_points, light_offset, unknown_appearance

pytestmark = pytest.mark.film

POINTS = TRIALECTIC.points
AT_REST = DecisionContext(10.0, 100, 1.0)


class Table:
    """Stones drawn on a table, and what is said of the change from one picture to the next."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.rng = scene, np.random.default_rng(1)
        self.field = field_of(scene)

    def picture(self, stacks: dict[str, tuple[int, ...]]) -> Image:
        named = [
            tuple(Stone(player, 10 * k + level, (0.1, -0.05)) for level, player in enumerate(stacks.get(name, ())))
            for k, name in enumerate(POINTS)
        ]
        return self.scene.render(named, rng=self.rng)[0]

    def changed_towers(self, before: dict[str, tuple[int, ...]], after: dict[str, tuple[int, ...]]) -> TowerChange:
        return self.changed_from(self.picture(before), before, after)

    def changed_from(
        self, bgr: Image, before: dict[str, tuple[int, ...]], after: dict[str, tuple[int, ...]]
    ) -> TowerChange:
        then, now = (cut_board_view(picture, self.field) for picture in (bgr, self.picture(after)))
        heights = [len(before.get(name, ())) for name in POINTS]
        return detect_tower_change(
            detect_pixel_change(then, now), then, now, self.field, heights, self.scene.spec.size_px
        )


def look(game: Game, *, sees: dict[str, int], touched: dict[str, float]) -> Belief:
    """Some looks at a table on which some points show other stones than before, and some were touched."""
    changes = " ".join(f"{name}={top}" for name, top in sees.items())
    return looked(game, changes, 5, touched=touched, visited=True, bias=np.zeros((len(POINTS), 4)))


def turns_of(decision: Decision) -> list[str]:
    return [turn_text(event.moves) for event in decision.events if isinstance(event, TurnPlayed)]


@pytest.fixture(scope="module")
def table() -> Table:
    """A table of three players, seen from the side."""
    spec = random_spec(np.random.default_rng(5), TRIALECTIC, n_players=3, hardness=0.1, size_px=(640, 480))
    return Table(Scene(replace(spec, placing=replace(spec.placing, tilt_deg=42.0), spare_stones=0)))


@pytest.fixture(scope="module")
def from_above() -> Table:
    """The same with larger stones, seen from nearly above."""
    spec = random_spec(np.random.default_rng(5), TRIALECTIC, n_players=3, hardness=0.1, size_px=(640, 480))
    placing = replace(spec.placing, tilt_deg=15.0)
    return Table(Scene(replace(spec, placing=placing, spare_stones=0, stone_size=0.38)))


def test_a_stone_laid_on_its_like_is_told_from_a_tower_left_alone(table: Table) -> None:
    before: dict[str, tuple[int, ...]] = {"b4": (0,), "c4": (0,), "a1": (1, 2), "a3": (2,)}
    pile = table.changed_towers(before, before | {"b4": (0, 0)})
    said = dict(zip(POINTS, pile.change_log_odds.tolist(), strict=True))
    assert said.pop("b4") > 3
    assert said.pop("c4") < 2  # the tower leans over it
    assert max(said.values()) < 0


@pytest.mark.parametrize("on", ["a2", "b2", "b4", "c4", "c6"])
def test_a_tower_that_leans_over_another_point_is_not_taken_for_a_stone_there(table: Table, on: str) -> None:
    before: dict[str, tuple[int, ...]] = dict.fromkeys(("a2", "b2", "c2", "a4", "b4", "c4", "c6"), (1, 0))
    pile = table.changed_towers(before, before | {on: (*before[on], 2)})
    assert POINTS[int(pile.change_log_odds.argmax())] == on
    assert sorted(pile.change_log_odds)[-2] < 0


def test_a_stone_that_waited_beside_a_tower_and_is_gone_was_not_laid_on_it(table: Table) -> None:
    stacks: dict[str, tuple[int, ...]] = {"a1": (0,), "a3": (0,)}
    bgr, axes = table.picture(stacks), image_jacobians(table.field)[0] * stone_unit(TRIALECTIC)
    place = table.field.points_px[POINTS.index("a1")] + axes @ (0.9, -0.9)
    radius = 0.3 * np.sqrt(abs(np.linalg.det(axes)))
    cv2.circle(bgr, np.rint(place).astype(int).tolist(), round(radius), (30, 180, 230), -1, cv2.LINE_AA)
    assert table.changed_from(bgr, stacks, stacks).change_log_odds.max() < 0


@pytest.mark.parametrize("on", ["b2", "b4"])
def test_a_third_large_stone_on_its_like_is_told_though_little_but_its_rim_is_new(from_above: Table, on: str) -> None:
    names = ("a2", "b2", "c2", "a4", "b4", "c4", "c6", "b6", "a6")
    before: dict[str, tuple[int, ...]] = dict.fromkeys(names, (1, 0))
    pile = from_above.changed_towers(before, before | {on: (1, 0, 0)})
    assert POINTS[int(pile.change_log_odds.argmax())] == on
    assert sorted(pile.change_log_odds)[-2] < 0 < pile.change_log_odds.max()


def test_a_shadow_of_a_tower_that_has_grown_is_no_stone_on_the_next_point(table: Table) -> None:
    light = replace(table.scene.spec.light, azimuth_deg=90.0, elevation_deg=35.0, softness=0.01, shadow=0.55)
    lit = Table(Scene(replace(table.scene.spec, light=light)))
    pile = lit.changed_towers({"c2": (0, 1)}, {"c2": (0, 1, 2)})
    assert POINTS[int(pile.change_log_odds.argmax())] == "c2"
    assert sorted(pile.change_log_odds)[-2] < 0


def test_a_point_that_a_foul_has_bared_holds_no_stones_until_one_is_put_back() -> None:
    game = played("trialectic", "a1 b3 c5 a1")
    index = POINTS.index("b3")
    tops = tuple(0 if i == index else top for i, top in enumerate(game.position.tops))
    belief = having(look(game, sees={}, touched={}), dispute=Dispute(tops))
    assert belief.shown_position.heights == tuple(
        0 if i == index else tall for i, tall in enumerate(game.position.heights)
    )
    back = look(game, sees={}, touched={"b3": 5.0})
    restored = having(back, dispute=Dispute(tops))
    assert isinstance(decide(restored, decode(restored), AT_REST).events[0], Restored)


LIKE = {"b3": 1.5, "c1": 1.5}
RESTS: list[tuple[str, str, list[tuple[dict[str, int], dict[str, float]]], str]] = [
    ("A stone of the wrong player is no pair of turns of which one is covered", "a1 b3 c5 a3",
     [({"b6": 3}, {"b6": 7.0})], "foul wrong_player of 3"),  # blue, though red is next
    ("A stone laid on its like that was seen excuses the next player", "a1 b3 c5 a3",
     [({"b6": 3}, {"b6": 7.0, "b3": 5.0})], "2 b3, 3 b6"),
    ("Where a stone was laid on its like is not asked at once", "a1 b3 c5 a3 c1 b5 a5", [({}, LIKE)], " ..."),
    ("... but once the next player has gone on", "a1 b3 c5 a3 c1 b5 a5",  # red has b3 and c1
     [({}, LIKE), ({"b6": 3}, {"b6": 7.0} | LIKE)], "2 b3, 3 b6, asked 8. b3 or 8. c1"),
    ("Two unseen rests do not stop the game", "a1 b3 c5 a3",
     [({}, {"b3": 1.0}), ({"b6": 3}, {"b6": 7.0, "b3": 1.0}),
      ({"b6": 3, "a6": 1}, {"b6": 7.0, "b3": 1.0, "a6": 7.0})], "2 b3, 3 b6, 1 a6"),
    ("What was laid out of turn and taken away again was nothing", "a1 b3 c5",
     [({"b1": 2}, {"b1": 5.0, "a1": 1.0}), ({}, {"b3": 2.0})], ""),  # red, though yellow is next
]  # fmt: skip


@pytest.mark.parametrize(("begun", "rests", "said"), [case[1:] for case in RESTS], ids=[case[0] for case in RESTS])
def test_what_is_said_after_rests_that_were_left_undecided(
    begun: str, rests: list[tuple[dict[str, int], dict[str, float]]], said: str
) -> None:
    game, before = played("trialectic", begun), None
    for sees, touched in rests:
        belief = look(game, sees=sees, touched=touched)
        belief = belief if before is None else after_undecided(belief, decode(before).turn_log_posteriors)
        before = belief
    assert words(decide(belief, decode(belief), AT_REST)) == said


def test_where_any_of_three_towers_may_have_grown_the_game_goes_on_and_the_two_likeliest_are_asked_for() -> None:
    game = played("trialectic", "a1 b3 c5 a3 c1 b5 a5 b1 c3 c6")  # red has b3, c1 and b1
    hardly = dict.fromkeys(("b3", "c1", "b1"), -3.0)
    before = look(game, sees={}, touched=hardly)
    first = decide(before, decode(before), AT_REST)
    assert first.settled and not first.events
    shown = hardly | {"b6": 7.0}
    later = look(game, sees={"b6": 3}, touched=shown)
    later = having(later, undecided_rest=first.belief.undecided_rest)
    second = decide(later, decode(later), AT_REST)
    assert turns_of(second)[1] == "b6"
    (question,) = (event for event in second.events if isinstance(event, QuestionAsked))
    assert len(set(question.options)) == 2
    assert set(question.options) < {"11. b3", "11. c1", "11. b1"}


UNDER_COVERS = {"a1": (0,), "a5": (0,), "b2": (0,), "b4": (1, 0), "c1": (1,), "c4": (1,)}
EVERYWHERE = np.ones(len(POINTS), np.bool_)


class Series:
    """One table, photographed from a new place every time."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)
        spec = random_spec(self.rng, TRIALECTIC, n_players=3, hardness=0.1, size_px=(960, 720))
        self.home = replace(spec.placing, tilt_deg=30.0)
        self.scene = Scene(replace(spec, placing=self.home, spare_stones=0))
        self.appearance = unknown_appearance(len(POINTS), 3)

    def photograph(self, stacks: dict[str, tuple[int, ...]], heights_of: dict[str, tuple[int, ...]]) -> Float32Array:
        """The patches of the tops, as high as the towers of ``heights_of``; what lies there is learnt."""
        named = [
            tuple(Stone(player, 10 * k + level, (0.1 - 0.2 * level, 0.05)) for level, player in enumerate(stack))
            for k, stack in enumerate(stacks.get(name, ()) for name in POINTS)
        ]
        placing = replace(self.home, azimuth_deg=self.home.azimuth_deg + float(self.rng.normal(0, 10)))
        bgr, truth = self.scene.render(named, rng=self.rng, bump=placing)
        field = field_of(self.scene, truth.points_px)
        patches = cut_patches(bgr, field)
        self.appearance = learn_points(self.appearance, patches, np.array(truth.tops), EVERYWHERE)
        heights = np.array([len(heights_of.get(name, ())) for name in POINTS])
        return cut_top_patches(bgr, field, heights) - light_offset(patches, self.appearance)


def test_a_stone_laid_on_its_like_is_told_from_another_place() -> None:
    series = Series()
    series.photograph({}, {})
    tops = np.array([UNDER_COVERS[name][-1] + 1 if name in UNDER_COVERS else 0 for name in POINTS])
    before = series.photograph(UNDER_COVERS, UNDER_COVERS)
    for name in ("a5", "c4"):
        after = UNDER_COVERS | {name: (*UNDER_COVERS[name], UNDER_COVERS[name][-1])}
        nats = cover_log_odds(
            before, series.photograph(after, UNDER_COVERS), tops, series.appearance, np.zeros(len(POINTS))
        )
        assert POINTS[int(nats.argmax())] == name and nats.max() > 0
        assert (nats[tops == 0] == 0).all()
