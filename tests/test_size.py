"""The project grows only where a person says so, in CONTRIBUTING.md."""

from pathlib import Path

from tools.size import sizes_in, table_of_sizes

AGREED = sizes_in((Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def test_no_figure_has_grown_past_what_contributing_shows() -> None:
    sizes = table_of_sizes()
    assert list(AGREED) == list(sizes), "the table in CONTRIBUTING.md has other rows than `python -m tools.size` prints"
    grown = {what: (figure, AGREED[what]) for what, figure in sizes.items() if figure > AGREED[what]}
    assert not grown, f"(counted, agreed): {grown}; a new figure needs its reason in the commit"
