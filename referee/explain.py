"""The rules of a game, with what the table chose, as a person would explain them; and its options."""

from __future__ import annotations

from collections.abc import Iterator

from languages import catalogue
from referee.presets import PRESETS
from referee.variant import Preset, Variant


def rules_text(variant: Variant, language: str = "en") -> str:
    """The rules, one sentence a line under the game's title; ValueError when the language is unknown.

    >>> from referee.presets import find_variant
    >>> print(rules_text(find_variant("roman_mill"), "de"))
    Römische Mühle
    <BLANKLINE>
    2 Spieler mit je 3 Steinen; das Brett hat 9 Punkte.
    Der Jüngste beginnt.
    Abwechselnd setzt jeder einen Stein auf einen freien Punkt.
    Sind die eigenen Steine alle gesetzt, zieht man einen davon entlang einer Linie auf den nächsten freien Punkt.
    Niemand darf springen.
    Drei eigene Steine in einer Reihe gewinnen sofort.
    Einer der drei muss in der Mitte liegen: Drei am Rand oder um die Ecke zählen nicht.
    Wer ziehen kann, muss ziehen, auch wenn er dafür die Mitte verlassen muss.
    Wer nicht ziehen kann, setzt aus, bis er wieder kann.
    Keine Regel macht ein Unentschieden; die Spieler können sich darauf einigen.
    """
    texts = catalogue(language, "rules")
    preset = PRESETS.get(variant.name)
    own_name = preset.name_in(language) if preset else ""
    about = preset.about_in(language) if preset else ""
    title = own_name or texts["titles"].get(variant.name, variant.name)
    sentences = [texts["rules"][key].format(**slots) for key, slots in _sentences(variant)]
    return "\n".join([title, "", *([about] if about else []), *sentences])


def options_text(preset: Preset, language: str = "en") -> str:
    """What a table may choose: each option with its values, its default, what it means and which source asks for it."""
    texts = catalogue(language, "rules")
    lines: list[str] = []
    for name, source in preset.options.items():
        values = preset.values_of(name)
        if isinstance(values, tuple):
            shown = " | ".join(map(str, values)) if isinstance(values[0], str) else f"{values[0]}..{values[1]}"
        else:
            shown = "true | false"
        source = texts["rules"]["option_source"].format(source=source)
        lines.append(f"{name} = {str(preset.default(name)).lower()}   ({shown}; {source})")
        lines.append(f"    {texts['options'][name]}")
    return "\n".join(lines)


Sentence = tuple[str, dict[str, object]]


def _sentences(variant: Variant) -> Iterator[Sentence]:
    """The keys of the sentences that hold for this variant, in the order one would tell them."""
    yield from _setup(variant)
    yield from _acting(variant)
    yield from _mills(variant)
    yield from _ends(variant)
    yield from _draws(variant)
    if variant.chosen:
        options = ", ".join(f"{name} = {str(value).lower()}" for name, value in variant.chosen)
        yield "chosen", {"options": options}


def _setup(variant: Variant) -> Iterator[Sentence]:
    points = len(variant.board.points)
    if len(set(variant.stones)) == 1:
        yield "stones", {"players": variant.players, "stones": variant.stones[0], "points": points}
    else:
        yield "stones_unequal", {"more": variant.stones[0], "fewer": variant.stones[-1], "points": points}
    if variant.start:
        first, second = (", ".join(names) for names in variant.start)
        yield "start", {"first": first, "second": second}
    yield _first(variant)


def _acting(variant: Variant) -> Iterator[Sentence]:
    towers = variant.max_height > 1
    if not variant.start:
        yield "place_towers" if towers else "place", {}
    if variant.no_centre_first:
        yield "no_centre", {}
    if variant.no_centre_placing:
        yield "no_centre_placing", {}
    if variant.stop_placing == "two_empty":
        yield "stop_two_empty", {}
    if variant.slides:
        yield from _moving(variant)
    if variant.rotates:
        yield f"rotate_{variant.rotate_needs}", {}
        if variant.lock != "off":
            yield "lock", {}


def _moving(variant: Variant) -> Iterator[Sentence]:
    if variant.fly == "own" and max(variant.stones) <= variant.fly_at:
        yield "move_anywhere", {}
    else:
        towers = variant.max_height > 1
        if variant.start:
            yield "move_from_start", {}
        elif variant.slide_while_placing:
            yield "move_lasker", {}
        else:
            yield "move_towers" if towers else "move_rings" if variant.rotates else "move", {}
        yield "fly_own_towers" if towers and variant.fly == "own" else f"fly_{variant.fly}", {}
        if variant.fly != "off" and variant.fly_at != 3:
            yield "fly_at", {"n": variant.fly_at}
    if variant.moves_first == "second":
        yield "moves_second", {}


def _mills(variant: Variant) -> Iterator[Sentence]:
    if variant.line_wins:
        yield "wins" if variant.win_in_placing or not variant.slides else "wins_by_moving", {}
        yield from _lines(variant)
        if not variant.home_wins:
            yield "home", {}
        return
    yield "mill_towers" if variant.towers else "mill_rings" if variant.rotates else "mill", {}
    yield from _lines(variant)
    if variant.rotates:
        yield "turned_mills", {}
        yield "turned_mills_of_others", {}
    whose = "_each" if variant.each_opponent else "_choose" if variant.players > 2 else ""
    yield f"{variant.capture}{whose}", {}
    yield from _mills_that_take_nothing(variant)
    yield f"protect_{variant.protect}", {}
    same = variant.multi_placing == variant.multi_moving
    if variant.each_opponent and same and variant.multi_moving == "each":
        yield "multi_each_of_each", {}
        yield "too_few_unprotected", {}
    else:
        yield f"multi_{variant.multi_moving}" if same else "multi_mixed", {}
    if variant.max_height > 1:
        yield f"take_{variant.take_from}", {}
    if variant.no_remake:
        yield "no_remake", {}


def _mills_that_take_nothing(variant: Variant) -> Iterator[Sentence]:
    if variant.placing_mill != "capture":
        yield f"placing_{variant.placing_mill}", {}
    if variant.one_time:
        yield "one_time", {}
    if not variant.mill_while_blocked:
        yield "mill_blocked", {}
    if variant.rotates and not variant.rotate_same_line:
        yield "same_line_not", {}


def _ends(variant: Variant) -> Iterator[Sentence]:
    if variant.min_stones:
        if variant.players == 2:
            yield ("fewer", {}) if variant.min_stones == 3 else ("fewer_than", {"n": variant.min_stones})
        else:
            yield "last", {}
            yield f"leftover_{variant.leftover}", {}
    if variant.slides:
        yield "must_move_centre" if _is_through_centre(variant) else "must_move", {}
        is_out = variant.stalemate == "lose" and variant.players > 2
        yield "stalemate_out" if is_out else f"stalemate_{variant.stalemate}", {}
    is_stopped = variant.stop_placing != "all"
    may_fill = sum(variant.stones) == len(variant.board.points) * variant.max_height and not is_stopped
    if may_fill and variant.board_full != "stalemate":
        yield f"full_{variant.board_full}", {}


def _draws(variant: Variant) -> Iterator[Sentence]:
    if not (variant.repetition or variant.draw_plies or variant.endgame_plies or variant.max_turns):
        if variant.slides:
            yield "no_draw", {}
        return
    if variant.repetition:
        mode = "repetition" if variant.repetition_mode == "total" else "repetition_consecutive"
        yield mode, {"n": variant.repetition}
    if variant.draw_plies:
        yield "quiet" if variant.draw_count == "moving" else "quiet_all", {"n": variant.draw_plies}
        if variant.draw_when != "always":
            yield "quiet_one" if variant.draw_when == "one_has_three" else "quiet_every", {}
    if variant.endgame_plies:
        yield "endgame", {"n": variant.endgame_plies, "stones": variant.fly_at}
    if variant.max_turns:
        yield "max", {"n": variant.max_turns}


def _first(variant: Variant) -> Sentence:
    preset = PRESETS.get(variant.name)
    if preset is not None and preset.begins and variant.first == preset.variant.first:
        return f"first_{preset.begins}", {}
    return "first", {"n": variant.first + 1}


def _is_through_centre(variant: Variant) -> bool:
    """Whether every line goes through the middle of the board."""
    return variant.centre is not None and all(variant.centre in line for line in variant.board.lines)


def _lines(variant: Variant) -> Iterator[Sentence]:
    """Which lines count, where a player could think otherwise."""
    board = variant.board
    if _is_through_centre(variant):
        yield "through_centre", {}
        return
    ends = [(board.xy[line[0]], board.xy[line[-1]]) for line in board.lines]
    across = [(abs(x1 - x0), abs(y1 - y0)) for (x0, y0), (x1, y1) in ends]
    is_squared = {(dx < _LEVEL, dy < _LEVEL) for dx, dy in across} >= {(True, False), (False, True)}
    if not is_squared or board.rings:
        return
    if any(dx > _LEVEL and abs(dx - dy) < _LEVEL for dx, dy in across):
        yield "diagonals", {}
    elif variant.line_wins:
        yield "diagonals_not", {}


_LEVEL = 1e-6  # how little two coordinates may differ to be the same, in sides of the board
