"""One short film and one photograph are seen as they were recorded; ``python -m tests.golden compare`` sees all."""

import pytest

from tests.golden import replay
from tests.golden.films import SHORT_FILM, SHORT_PHOTOGRAPH

pytestmark = pytest.mark.film

SAID = ("event", "ply", "player", "actions", "kind", "winner")
"""Of an event, what another OpenCV may not change."""


def recorded(kind: str, name: str) -> tuple[bool, replay.Record]:
    """Whether it was recorded with the versions of now, and what."""
    whole = replay.kept()
    return whole["made_with"] == replay.made_with(), whole["sets"][kind][name]


def said(frames: list[dict[str, list[dict[str, object]]]]) -> list[dict[str, object]]:
    return [{k: event[k] for k in SAID if k in event} for frame in frames for event in frame.get("events", [])]


def test_a_short_film_is_seen_as_it_was_recorded() -> None:
    exactly, record = recorded("films", SHORT_FILM)
    seen = replay.show(replay.Task("films", SHORT_FILM))
    assert not seen.failed
    assert said(seen.record) == said(record)
    assert not exactly or replay.difference(seen, record) == ""


def test_a_photograph_is_read_as_it_was_recorded() -> None:
    exactly, record = recorded("photographs", SHORT_PHOTOGRAPH)
    seen = replay.show(replay.Task("photographs", SHORT_PHOTOGRAPH))
    assert not seen.failed
    stones = {name: point["stone"] for name, point in record["points"].items()}
    assert {name: point["stone"] for name, point in seen.record["points"].items()} == stones
    assert not exactly or replay.difference(seen, record) == ""


def test_a_difference_of_more_than_a_thousandth_is_named() -> None:
    kept = [{"frame": 0, "posterior": [0.5], "events": []}, {"frame": 1, "posterior": [0.3]}]
    now = [{"frame": 0, "posterior": [0.5], "events": []}, {"frame": 1, "posterior": [0.302]}]
    assert replay.first_difference(kept, kept) == ""
    assert replay.first_difference(kept, now) == "frame 1 posterior[0] 0.3 != 0.302"
