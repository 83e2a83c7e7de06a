"""The project grows only where a person says so, in CONTRIBUTING.md."""

from pathlib import Path

from tools.size import bare_numbers, chosen_numbers, sizes_in, table_of_sizes

AGREED = sizes_in((Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def test_no_figure_has_grown_past_what_contributing_shows() -> None:
    sizes = table_of_sizes()
    assert list(AGREED) == list(sizes), "the table in CONTRIBUTING.md has other rows than `python -m tools.size` prints"
    grown = {what: (figure, AGREED[what]) for what, figure in sizes.items() if figure > AGREED[what]}
    assert not grown, f"(counted, agreed): {grown}; a new figure needs its reason in the commit"


def test_a_number_is_counted_wherever_it_stands() -> None:
    source = '''
MIN_PEAK, MAX_PEAKS = 0.2, 45
WEIGHTS = {"near": (0.3, 0.4)}
SPREAD = 1.7
"""Of a stone. Source: fitted to 40 tables."""
TAG = 274  # Source: Exif 2.32

class Board:
    REACH = 3
    """In spacings. Source: chosen."""

def score(x, limit=0.35):
    return 1.0 if 0.15 < x / (limit + 1e-6) else max(x, key=lambda x: 4.2 * x)
'''
    assert chosen_numbers(source) == (4, 5)
    assert sorted(bare_numbers(source)) == [0.15, 0.35, 4.2]
