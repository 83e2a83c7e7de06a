import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration import steps
from calibration.known_table import KnownTable
from calibration.lens_calibration import LensMeasurement
from calibration.own_habits import forget_habits, habits_text, learn_habits
from calibration.profile import (
    PROFILE_VERSION,
    CameraPart,
    Profile,
    StonesPart,
    checked_table_name,
    encode_jpeg,
    profile_from_text,
    profile_to_text,
)
from calibration.profile_folder import ProfileFolder, read_profile
from calibration.report import report_html
from calibration.step_texts import Refused
from referee.layouts import NINE_MENS_MORRIS, moulin_rouge
from referee.presets import find_variant
from tests.drawn import field_at
from vision.cases.table_habits import MIN_CASES, CaseLook, HabitFit
from vision.evidence.fusion import Cues, Habits
from vision.imaging.field import Field, Registration
from vision.imaging.homography import apply_homography, fit_homography
from vision.imaging.lens import Lens
from vision.watching.state import TableSetup

SIZE = (640, 360)
BETTER = HabitFit(Habits(0.7, -0.5, 1.4), 20, 3.25, 2.5, 6, 4, is_better=True)


def field_on(board: Any = NINE_MENS_MORRIS) -> Field:
    corners = np.array([[200.0, 60], [450, 70], [480, 320], [170, 300]])
    h = fit_homography(np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), corners)
    return field_at(board, apply_homography(h, np.array(board.xy)))


def picture() -> np.ndarray:
    return np.random.default_rng(1).integers(60, 200, (SIZE[1], SIZE[0], 3)).astype(np.uint8)


def whole() -> Profile:
    lens = Lens(SIZE, np.array([[500.0, 0, 320], [0, 500, 180], [0, 0, 1]]), np.array([-0.2, 0.05, 0, 0, 0]))
    profile = Profile("Küche", "2026-01-02T03:04:05+00:00", CameraPart("0", "Webcam", SIZE, 29.9, {"focus": 30.0}))
    profile = replace(profile, lens=LensMeasurement(lens, 0.11, (0.1, None, 0.12), 0.0004, 0.9))
    profile = steps.with_field(profile, picture(), Registration(field_on(), 0.9), 300.0)
    return replace(profile, stones=StonesPart((1, 2) + (0,) * 22, encode_jpeg(picture())), habits=BETTER)


def test_a_profile_is_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    profile = whole()
    tables = ProfileFolder(tmp_path)
    tables.save(profile)
    again = tables.load("küche")  # capitals do not matter
    assert profile_to_text(again) == profile_to_text(profile)
    assert again.field is not None and profile.field is not None
    assert np.abs(again.field.field.points_px - profile.field.field.points_px).max() < 0.01
    assert again.lens is not None and again.lens.errors_px[1] is None
    assert tables.names() == ["Küche"]
    assert [path.name for path in tables.folder.iterdir()] == ["Küche.json"]


@pytest.mark.parametrize("n_holes", [6, 24])
def test_discs_with_any_number_of_holes_are_kept(tmp_path: Path, n_holes: int) -> None:
    board = moulin_rouge(n_holes)
    found = Registration(field_on(board), 0.9)
    ProfileFolder(tmp_path).save(steps.with_field(Profile("discs"), picture(), found))
    kept = ProfileFolder(tmp_path).load("discs").field
    assert kept is not None and kept.field.board == board


def damaged(change: Callable[[dict[str, Any]], Any]) -> str:
    body = json.loads(profile_to_text(whole()))
    change(body)
    return json.dumps(body)


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        *parts, last = path.split(".")
        for part in parts:
            body = body[part]
        body[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", "../etc"), ("name", 7), ("camera.size_px", [640]), ("camera.size_px", [640.5, 360]),
        ("camera.fps", "fast"), ("camera.settings", {"focus": "near"}), ("lens.matrix", [[1, 2], [3, 4]]),
        ("lens.matrix", [[-500, 0, 1], [0, 500, 1], [0, 0, 1]]), ("lens.distortion", [0, 0, 0, 0, None]),
        ("lens.errors_px", [1e9]), ("placement.sharp", None), ("placement.pebble", "wide"), ("field.board", "chess"),
        ("field.drawing", "crayon"), ("field.points_px", [[1, 2]]), ("field.points_px", [[3, 3]] * 24),
        ("field.points_px", [["a", "b"]] * 24), ("field.picture", "no base64 !"), ("field.picture", "iVBORw0KGgo="),
        ("field.size_px", [320, 180]), ("stones.tops", [1, 2]), ("stones.tops", [9] * 24), ("stones.picture", ""),
        ("habits.n_cases", -1), ("habits.habits", None), ("habits.habits.stone_weight", 0),
    ],
)  # fmt: skip
def test_what_somebody_has_edited_is_refused_by_name(path: str, value: Any) -> None:
    with pytest.raises(Refused, match=r"this\.json is damaged \(.*\): import it again, or measure the table anew"):
        profile_from_text(damaged(put(path, value)), "this.json")


def test_files_that_are_no_profiles_are_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=f"made by a newer Millchen .version {PROFILE_VERSION + 1}, .*: update Millchen"):
        profile_from_text(damaged(put("millchen_table", PROFILE_VERSION + 1)), "this.json")
    for other in ("[]", "", "# Millchen", "[" * 100_000):
        with pytest.raises(Refused, match="is no profile of a table"):
            profile_from_text(other, "this.json")
    text = profile_to_text(whole())
    for broken in (text[: len(text) // 2], text.replace("500.0", "NaN", 1)):
        with pytest.raises(Refused, match="is damaged"):
            profile_from_text(broken, "this.json")
    path = tmp_path / "binary.json"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(Refused, match=r"binary\.json is no profile of a table"):
        read_profile(path)
    with pytest.raises(Refused, match="cannot be read"):
        read_profile(tmp_path / "nowhere.json")


@pytest.mark.parametrize("name", ["", " ", "../x", "a/b", "a\\b", ".hidden", "con", "x" * 41, "a\nb", "-x", "a:b"])
def test_names_that_are_no_file_names_are_refused(name: str) -> None:
    with pytest.raises(Refused, match="cannot be the name of a table"):
        checked_table_name(name)


def test_a_write_that_fails_leaves_the_old_profile_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = ProfileFolder(tmp_path)
    path = tables.save(whole())
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
        patched.setattr("os.fsync", full)
        tables.save(replace(whole(), saved="later"))
    assert path.read_bytes() == before
    assert [p.name for p in tables.folder.iterdir()] == [path.name]
    tables.save(replace(whole(), saved="later"))
    assert tables.load("Küche").saved == "later"


def test_repeating_a_step_drops_what_no_longer_holds() -> None:
    profile = whole()
    other = CameraPart("1", "", (1280, 720), 30.0, {})
    anew = steps.with_camera(profile, other)
    assert anew.camera is other and anew.lens is anew.field is anew.stones is anew.placement is None
    same = replace(other, size_px=SIZE)
    assert steps.with_camera(profile, same).field is profile.field
    moved = steps.with_field(profile, picture(), Registration(field_on(), 0.9))
    assert moved.stones is None and moved.lens is profile.lens
    large = np.zeros((720, 1280, 3), np.uint8)
    turned = steps.with_field(replace(profile, lens=None), large, Registration(field_on(), 0.9)).field
    assert turned is not None and turned.size_px == (1280, 720)
    for act in (
        lambda: steps.with_field(profile, large, Registration(field_on(), 0.9)),
        lambda: steps.with_stones(profile, large),
        lambda: steps.with_placement(profile, large),
    ):
        with pytest.raises(Refused, match="measured in pictures of 640 x 360, these have 1280 x 720"):
            act()


@pytest.mark.parametrize("language", ["lb", "de", "fr", "en"])
def test_a_report_says_everything_in_one_file(language: str) -> None:
    page = report_html(whole(), language)
    assert page.count("data:image/jpeg;base64,") == 3  # the field, the stones, the field without distortion
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    said = steps.profile_summary(whole())[language]
    assert said in page
    assert "24" in said


def settled(points_px: np.ndarray, n: int) -> Iterator[CaseLook]:
    """Looks of settled cases in which nothing is in sight, so that nothing is better than what holds everywhere."""
    none, nothing = np.zeros(24, np.bool_), np.zeros(24)
    stone = dict.fromkeys(("look", "photograph", "stone_map", "paint_fit", "beside_fit"), nothing)
    paint = dict.fromkeys(("remembered", "beside", "alike"), np.zeros((24, 2)))
    tops = np.zeros(24, np.intp)
    cues = Cues(stone, paint, nothing, np.full(24, "pixels"), tops, none, none, none, none, none, none)
    for _ in range(n):
        yield CaseLook(points_px, SIZE, cues, np.arange(24), tops)


def test_habits_are_learnt_from_cases_of_this_table_kept_where_better_and_forgotten_by_a_word(tmp_path: Path) -> None:
    tables, here = ProfileFolder(tmp_path), field_on().points_px
    tables.save(replace(whole(), habits=None))
    looks = [*settled(here + 3.0, MIN_CASES - 1), *settled(here + 60.0, 9)]

    def learnt(**how: Any) -> HabitFit:
        return learn_habits(tables, "Küche", map(bytes, [[i] for i in range(len(looks))]), lambda c: looks[c[0]], **how)

    with pytest.raises(Refused, match='only 19 settled cases show table "Küche" .*, and 20 are needed'):
        learnt()
    looks += settled(here, 1)
    fitted = learnt()
    assert (fitted.n_cases, fitted.is_better) == (MIN_CASES, False)
    assert tables.load("Küche").habits is None  # nothing is kept that is not better
    assert "Nothing was kept" in habits_text(fitted, "en")
    learnt(fit=lambda _: BETTER)
    profile = tables.load("Küche")
    assert profile.habits == BETTER
    assert "6 before, 4 with it" in habits_text(BETTER, "en")
    plain = TableSetup(find_variant("nine_mens_morris"), (NINE_MENS_MORRIS,))
    assert KnownTable(profile).equipped(plain).habits == BETTER.habits
    assert steps.with_field(profile, picture(), Registration(field_on(), 0.9)).habits is None
    forget_habits(tables, "Küche")
    assert tables.load("Küche").habits is None
