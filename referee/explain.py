"""Explains the rules of a game with the table's options, sentence by sentence, in any language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from languages import catalogue
from referee.presets import PRESETS, game_name
from referee.variant import EVERY_GAME, Preset, Value, Variant


def rules_text(variant: Variant, language: str = "en") -> str:
    """The rules, one sentence a line under the game's title; ValueError when the language is unknown.

    >>> from referee.presets import find_variant
    >>> rules_text(find_variant("roman_mill"), "de").splitlines()[2:4]
    ['2 Spieler mit je 3 Steinen; das Brett hat 9 Punkte.', 'Der Jüngste beginnt.']
    """
    title = game_name(variant.name, language) if variant.name in PRESETS else variant.name
    return "\n".join([title, "", *rule_sentences(variant, language)])


def rule_sentences(variant: Variant, language: str = "en") -> list[str]:
    """The rules, without the title; the game's own text comes first."""
    texts, preset = catalogue(language, "rules")["rules"], PRESETS.get(variant.name)
    about = preset.about_in(language) if preset else ""
    n_flying = catalogue(language, "referee")["numbers"].get(str(variant.fly_at), variant.fly_at)
    slots = {"left": n_flying, "options": "; ".join(chosen_options(variant, language))}
    sentences = (texts[key].format(**own, **slots) for key, own in _sentences(variant))
    return [*([about] if about else []), *sentences]


def chosen_options(variant: Variant, language: str = "en") -> list[str]:
    """The options that the table chose, each with its value.

    >>> from referee.presets import find_variant
    >>> chosen_options(find_variant("moulin_rouge", players=3, fly="off"), "de")
    ['Spieler: 3', 'Springen: niemand springt']
    """
    words = catalogue(language, "page")
    return [
        words["label"].format(name=words[f"option.{name}"], text=_value_text(name, value, words))
        for name, value in variant.chosen
    ]


def _value_text(name: str, value: Value, words: Mapping[str, str]) -> str:
    """A value of an option in the words of a language's ``page.json``."""
    if isinstance(value, bool):
        return words["yes" if value else "no"]
    if isinstance(value, int):
        return str(value + 1 if name == "first" else value)
    return words.get(f"option.{name}.{value}") or words[f"option.{value}"]


def options_text(preset: Preset, language: str = "en") -> str:
    """The options of a game: each with its values, its default, its meaning and its source."""
    texts, words = catalogue(language, "rules"), catalogue(language, "page")
    source_names = catalogue(language, "story")["sheets"] | {"common": texts["rules"]["every_game"]}
    lines: list[str] = []
    for name, sources in preset.options.items():
        if name in _OF_GAMES_WITH_MOVES and not preset.variant.slides:
            continue
        values, meaning = preset.values_of(name), texts["options"][name]
        if not isinstance(values, tuple):
            values_text = "true | false"
        elif isinstance(values[0], int):
            values_text = f"{values[0]}..{values[1]}"
        else:
            values_text = " | ".join(map(str, values))
            each = "; ".join(f"{value} = {_value_text(name, value, words)}" for value in values)
            meaning = words["label"].format(name=words[f"option.{name}"], text=each)
        source = ", ".join(source_names.get(one, one) for one in sources.split(", "))
        source = texts["rules"]["option_source"].format(source=source)
        lines.append(f"{name} = {str(preset.default(name)).lower()}   ({values_text}; {source})")
        lines.append(f"    {meaning}")
    return "\n".join(lines)


_OF_GAMES_WITH_MOVES = {name for name in EVERY_GAME if name != "first"}
"""Options that change nothing where stones are only laid."""

_SHEET_SAYS_MAY = ("millchen", "trialectic")
"""Games whose sheet says that a mill "may" take a stone, while we play that it must."""

Row = tuple[object, str] | tuple[object, str, dict[str, object]]
"""A sentence: whether it holds for a variant, its key, and the values of its slots."""


def _sentences(variant: Variant) -> Iterator[tuple[str, dict[str, object]]]:
    """The keys of the sentences that hold for this variant, in order, each with the values of its slots."""
    rows = (*_setup(variant), *_acting(variant), *_mills(variant), *_ends(variant), *_draws(variant))
    for holds, key, *slots in (*rows, (variant.chosen, "chosen")):
        if holds:
            yield str(key), dict(*slots)


def _setup(variant: Variant) -> tuple[Row, ...]:
    points, stones = len(variant.board.points), variant.stones
    is_equal = len(set(stones)) == 1
    start: dict[str, object] = dict(zip(("first", "second"), map(", ".join, variant.start), strict=False))
    preset = PRESETS.get(variant.name)
    begins = preset.begins if preset is not None and variant.first == preset.variant.first else ""
    return (
        (is_equal, "stones", {"players": variant.players, "stones": stones[0], "points": points}),
        (not is_equal, "stones_unequal", {"more": stones[0], "fewer": stones[-1], "points": points}),
        (variant.name == "trialectic", "colours"),  # 004: "vorzugsweise gelb, rot und blau"
        (start, "start", start),
        (begins, f"first_{begins}"),
        (not begins, "first", {"n": variant.first + 1}),
    )


def _acting(variant: Variant) -> tuple[Row, ...]:
    towers = "_towers" if variant.max_height > 1 else ""
    is_anywhere = variant.fly == "own" and max(variant.stones) <= variant.fly_at
    is_by_step = variant.slides and not is_anywhere
    lasker = "_lasker" if variant.slide_while_placing else ""
    manner = "_from_start" if variant.start else lasker or towers or ("_rings" if variant.rotates else "")
    return (
        (is_by_step and variant.fly != "off" and not (lasker or variant.start), "phases"),
        (not variant.start, f"place{towers}"),
        (variant.no_centre_first, "no_centre"),
        (variant.no_centre_placing, "no_centre_placing"),
        (variant.stop_placing == "two_empty", "stop_two_empty"),
        (variant.slides and is_anywhere, "move_anywhere"),
        (is_by_step, f"move{manner}"),
        (is_by_step, f"fly_{variant.fly}{towers if variant.fly == 'own' else ''}"),
        (variant.name == "nine_mens_morris" and variant.fly == "off", "usual_jump"),  # 002: "a usual variant"
        (variant.slides and variant.moves_first == "second", "moves_second"),
        (variant.rotates, f"rotate_{variant.rotate_needs}"),
        (variant.rotates and variant.lock != "off", "lock"),
    )


def _mills(variant: Variant) -> tuple[Row, ...]:
    if variant.line_wins:
        wins = "wins" if variant.win_in_placing or not variant.slides else "wins_by_moving"
        return (True, wins), *_lines(variant), (not variant.home_wins, "home")
    whose = "_each" if variant.each_opponent else "_choose" if variant.players > 2 else ""
    is_same = variant.multi_placing == variant.multi_moving
    of_each = variant.each_opponent and is_same and variant.multi_moving == "each"
    mixed = "multi_mixed" if variant.multi_placing == "one" else "multi_mixed_each"
    return (
        (True, "mill_towers" if variant.towers else "mill_rings" if variant.rotates else "mill"),
        *_lines(variant),
        (variant.rotates, "turned_mills"),
        (variant.rotates, "turned_mills_of_others"),
        (True, f"{variant.capture}{whose}"),
        (variant.capture == "must" and variant.name in _SHEET_SAYS_MAY, "sheet_says_may"),
        (variant.placing_mill != "capture", f"placing_{variant.placing_mill}"),
        (variant.one_time, "one_time"),
        (not variant.mill_while_blocked, "mill_blocked"),
        (variant.rotates and not variant.rotate_same_line, "same_line_not"),
        (True, f"protect_{variant.protect}"),
        (of_each, "multi_each_of_each"),
        (of_each, "too_few_unprotected"),
        (not of_each, f"multi_{variant.multi_moving}" if is_same else mixed),
        (variant.max_height > 1, f"take_{variant.take_from}"),
        (variant.no_remake, "no_remake"),
    )


def _ends(variant: Variant) -> tuple[Row, ...]:
    least, is_two = variant.min_stones, variant.players == 2
    may_fill = sum(variant.stones) == len(variant.board.points) * variant.max_height and variant.stop_placing == "all"
    is_out = variant.stalemate == "lose" and not is_two
    return (
        (is_two and least == 3, "fewer"),
        (is_two and least not in (0, 3), "fewer_than", {"n": least}),
        (least and not is_two, "last"),
        (least and not is_two, f"leftover_{variant.leftover}"),
        (variant.slides, "must_move_centre" if _is_through_centre(variant) else "must_move"),
        (variant.slides, "stalemate_out" if is_out else f"stalemate_{variant.stalemate}"),
        (may_fill and variant.board_full != "stalemate", f"full_{variant.board_full}"),
    )


def _draws(variant: Variant) -> tuple[Row, ...]:
    is_total, is_moving = variant.repetition_mode == "total", variant.draw_count == "moving"
    is_counted = variant.repetition or variant.draw_plies or variant.endgame_plies or variant.max_turns
    when = {"one_has_three": "quiet_one"}.get(variant.draw_when, "quiet_every")
    return (
        (variant.slides and not is_counted, "no_draw"),
        (variant.repetition, "repetition" if is_total else "repetition_consecutive", {"n": variant.repetition}),
        (variant.draw_plies, "quiet" if is_moving else "quiet_all", {"n": variant.draw_plies}),
        (variant.draw_plies and variant.draw_when != "always", when),
        (variant.endgame_plies, "endgame", {"n": variant.endgame_plies, "stones": variant.fly_at}),
        (variant.max_turns, "max", {"n": variant.max_turns}),
    )


def _is_through_centre(variant: Variant) -> bool:
    """Whether every line goes through the middle of the board."""
    return variant.centre is not None and all(variant.centre in line for line in variant.board.lines)


def _lines(variant: Variant) -> tuple[Row, ...]:
    """The sentence about lines that count, where a player could think otherwise."""
    board = variant.board
    is_central = _is_through_centre(variant)
    ends = [(board.xy[line[0]], board.xy[line[-1]]) for line in board.lines]
    across = [(abs(x1 - x0), abs(y1 - y0)) for (x0, y0), (x1, y1) in ends]
    has_both = {(dx < _LEVEL, dy < _LEVEL) for dx, dy in across} >= {(True, False), (False, True)}
    is_squared = has_both and not board.rings and not is_central
    is_crossed = any(dx > _LEVEL and abs(dx - dy) < _LEVEL for dx, dy in across)
    return (
        (is_central, "through_centre"),
        (is_squared and is_crossed, "diagonals"),
        (is_squared and not is_crossed and variant.line_wins, "diagonals_not"),
    )


_LEVEL = 1e-6  # how little two coordinates may differ to be the same, in sides of the board
