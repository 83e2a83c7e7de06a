"""Every lesson of every game: lawful, one solution, none twice, from easy to hard."""

import re
from collections import Counter

import pytest

from languages import LANGUAGES
from referee.advance import judged
from referee.fen import to_fen
from referee.game import Game
from referee.moves import turn_text
from referee.position import Position
from referee.presets import PRESETS
from referee.search.lesson_texts import task_text, trial_text, tried
from referee.search.lessons import KINDS, Lesson, does_close
from referee.search.think import table_of, think
from referee.search.thought import Limits
from referee.turns import legal_turns
from tools.make_lessons import N_LESSONS, only_solution, pattern, played_line, solving_turns
from web.game.first_record import lesson_book

pytestmark = pytest.mark.film

GAMES = tuple(PRESETS)
CAPTURING = tuple(game for game in GAMES if not PRESETS[game].variant.line_wins)
LINE_WINS = tuple(game for game in GAMES if PRESETS[game].variant.line_wins)
NAMES = ("Ann", "Ben", "Cleo")


def positions(game: str) -> list[tuple[Lesson, Position]]:
    return [(lesson, lesson.position(PRESETS[game].variant)) for lesson in lesson_book()[game]]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_ten_from_easy_to_hard(game: str) -> None:
    variant, lessons = PRESETS[game].variant, lesson_book()[game]
    assert len(lessons) == N_LESSONS
    difficulty = [(KINDS.index(lesson.kind), lesson.n_turns, lesson.n_stones(variant)) for lesson in lessons]
    assert difficulty == sorted(difficulty)
    assert len({lesson.kind for lesson in lessons}) > 1
    print(game, dict(Counter(lesson.kind for lesson in lessons)), [stones for *_, stones in difficulty])


@pytest.mark.parametrize("game", GAMES)
def test_every_position_is_one_of_the_game_and_lies_open_on_the_table(game: str) -> None:
    for lesson, position in positions(game):
        variant = position.variant
        assert to_fen(position) == lesson.fen
        assert judged(position) == position and position.ended is None
        assert sum(position.counts) > 0 and not position.dues and position.lock is None
        for count, hand, most in zip(position.counts, position.hands, variant.hands, strict=True):
            assert 0 <= count + hand <= most
        laid = [most - hand for most, hand in zip(variant.hands, position.hands, strict=True)]
        other_acts = variant.slide_while_placing or variant.rotates or variant.placing_mill != "capture"
        assert other_acts or max(laid) - min(laid) <= 1  # else they are laid in turn


@pytest.mark.parametrize("game", GAMES)
def test_no_lesson_is_another_one_turned_mirrored_or_with_exchanged_colours(game: str) -> None:
    assert len({pattern(position) for _, position in positions(game)}) == N_LESSONS


@pytest.mark.parametrize("game", GAMES)
def test_every_lesson_has_one_solution(game: str) -> None:
    for lesson, position in positions(game):
        told = only_solution(position, lesson.kind, lesson.n_turns)
        assert told is not None, lesson
        turn, any_capture = told
        assert lesson.is_solved_by(turn) and lesson.any_capture == any_capture
        right = [turn for turn in legal_turns(position) if lesson.is_solved_by(turn)]
        assert set(right) == set(solving_turns(position, lesson.kind, lesson.n_turns))


@pytest.mark.parametrize("game", GAMES)
def test_every_line_leads_to_what_was_asked_for(game: str) -> None:
    for lesson in lesson_book()[game]:
        played = played_line(lesson, PRESETS[game].variant)
        last, mover = played.turns[-1], played.turns[0].player
        assert turn_text(played.turns[0].moves) == lesson.line[0] == lesson.solution
        assert sum(turn.player == mover for turn in played.turns) == lesson.n_turns or played.outcome is not None
        if lesson.kind == "trap":
            assert played.outcome is not None and played.outcome.winner == mover, lesson
        elif lesson.kind != "block":
            assert does_close(last) and last.player == mover, lesson


@pytest.mark.parametrize("game", LINE_WINS)
def test_the_exact_table_agrees_where_a_game_is_solved(game: str) -> None:
    table = table_of(PRESETS[game].variant)
    assert table is not None
    for lesson, position in positions(game):
        me, found = position.to_move, [(turn, table.value(turn.after)) for turn in legal_turns(position)]
        valued = [(turn, value) for turn, value in found if value is not None]
        if lesson.kind == "block":
            safe = [turn for turn, value in valued if not (value.winner == 1 - me and value.turns == 1)]
        else:
            turns = 2 * lesson.n_turns - 2  # of both, after this one
            safe = [turn for turn, value in valued if value.winner == me and value.turns == turns]
        assert [turn_text(turn.moves) for turn in safe] == [lesson.solution], lesson


@pytest.mark.parametrize("game", CAPTURING)
def test_a_search_of_alpha_beta_wins_a_trap_in_the_same_number_of_turns(game: str) -> None:
    for lesson, position in positions(game):
        if lesson.kind == "trap" and position.variant.players == 2:
            depth = 2 * lesson.n_turns - 1
            thought = think(Game(position), Limits(depth=depth + 2))
            assert lesson.is_solved_by(thought.turn)
            assert (thought.value.winner, thought.value.turns) == (position.to_move, depth), lesson


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_trial_is_told_in_every_language(language: str) -> None:
    for game in GAMES:
        variant = PRESETS[game].variant
        names = NAMES[: variant.players]
        for lesson in lesson_book()[game]:
            assert "{" not in task_text(lesson, variant, language, names)
            position = lesson.position(variant)
            others = [turn for turn in legal_turns(position) if not lesson.is_solved_by(turn)]
            for told in (lesson.solution, turn_text(others[0].moves)):
                trial = tried(lesson, variant, told)
                assert trial.verdict == ("right" if told == lesson.solution else "wrong")
                said = trial_text(lesson, variant, trial, language, names)
                heard = trial_text(lesson, variant, trial, language, names, spoken=True)
                assert len(heard) > 10 and not re.search(r"\b[a-g][1-7]\b", heard), (lesson, heard)
                assert len(said) > 10 and not {"{", "}"} & set(said) and "()" not in said, (lesson, said)
