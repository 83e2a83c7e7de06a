"""Every sentence fits what the pictures come from: situations and sources in one table, checked on the page."""

from dataclasses import replace
from typing import Any

from tests.web.browsing import Stage, expect
from web.game.page_state import SeenPosition, SourceStatus
from web.table.live_table import LiveTable
from web.table.source_names import parse_source

STATUS, PICTURE, BACK, NEWEST = "#sight-words", "#picture", "#seen-back", "#story li >> nth=0"
SEEN = {"seen": SeenPosition((2, *[0] * 23), 1), "sight": "watching"}

SITUATIONS: list[tuple[str, dict[str, Any], str, dict[str, str]]] = [
    ("opening", {"sight": "opening"}, STATUS,
     {"camera": "Opening the camera …", "phone": "Opening the camera …", "demo": "Opening the film …",
      "file": "Opening the film …", "photographs": "Opening the photographs …"}),
    ("live", {"sight": "hand"}, STATUS,
     {"camera": "A hand is in the way – I wait", "demo": "A hand is in the way – I wait",
      "photographs": "Something hides the board here"}),
    ("live", {"sight": "disputed"}, STATUS, {"camera": "The stones do not lie as is written"}),
    ("lost", {}, STATUS,
     {"address": "The camera has gone – I keep trying. The game is kept.",
      "file": "The film has stopped – I try again. The game is kept.",
      "photographs": "The photographs cannot be read just now – I try again. The game is kept."}),
    ("never", {}, STATUS, {"address": "No picture has come from this camera yet – I keep trying."}),
    ("ended", SEEN, BACK, {"file": ""}),
    ("ended", {}, STATUS, {"demo": "The film is over.", "photographs": "These were all the photographs."}),
    ("failed", {}, STATUS,
     {"camera": "Nothing can be seen through this camera.", "file": "This film cannot be shown.",
      "photographs": "These photographs cannot be shown."}),
    ("live", {}, PICTURE,
     {"camera": "Picture of the camera", "phone": "Picture of the camera", "demo": "Picture of the film",
      "photographs": "Photograph of the table"}),
    ("live", SEEN, BACK,
     {"camera": "Or put the stones back as is written.", "file": "Or wait and see how the film goes on.",
      "photographs": "Or wait for the next photograph."}),
]  # fmt: skip
"""State of the source, what vision says, where the sentence stands, and the sentence by kind of source."""


def look_through(table: LiveTable, kind: str, state: str, **vision: Any) -> None:
    """Have the table say that it looks through a source of this kind, which fares so."""
    view = table.publisher
    view.source = SourceStatus("it", kind, *(("lost", "", False) if state == "never" else (state,)))
    view.sight = replace(view.sight, **{"seen": None, "sight": "watching"} | vision)
    view.publish()


def test_every_situation_is_told_as_fits_its_source(stage: Stage) -> None:
    page = stage.show("d6", "d7")
    expect(page.locator(NEWEST)).to_contain_text("d7")
    for state, vision, place, sentences in SITUATIONS:
        for kind, sentence in sentences.items():
            look_through(stage.table, kind, state, **vision)
            if place == PICTURE:
                expect(page.locator(place)).to_have_attribute("aria-label", sentence)
            else:
                expect(page.locator(place)).to_have_text(sentence)


def test_a_folder_or_a_picture_is_of_photographs_and_anything_else_a_film(tmp_path: Any) -> None:
    (tmp_path / "game").mkdir()
    for name in ("one.JPG", "game.mp4"):
        (tmp_path / name).touch()
    kinds = [parse_source(str(tmp_path / name)).kind for name in ("game", "one.JPG", "game.mp4")]
    assert kinds == ["photographs", "photographs", "file"]
    assert all(parse_source(str(tmp_path / name)).is_film for name in ("game", "one.JPG", "game.mp4"))
