"""Thinking ahead, held against tables that know: what is told as certain is right, and limits and seeds are kept."""

import random
from collections.abc import Iterator

import pytest

from referee.advance import advance
from referee.game import Game
from referee.legal import legal_moves
from referee.moves import Rotate, parse_turn
from referee.position import Position
from referee.presets import PRESETS, find_variant
from referee.search.alpha_beta import AlphaBeta
from referee.search.evaluation import evaluate
from referee.search.reasons import chances, reason_sentences, reasons_for
from referee.search.think import STRENGTHS, table_of, think
from referee.search.thought import Limits, RankedTurn, Value
from referee.turns import legal_turns

pytestmark = pytest.mark.film

GAMES = [(name, {}) for name in PRESETS] + [("moulin_rouge", {"players": 3}), ("moulin_rouge", {"players": 6})]


def positions_of(name: str, n: int, seed: int, longest: int = 40, **options: object) -> Iterator[Game]:
    """Games broken off somewhere, none of them over."""
    rng = random.Random(seed)
    while n:
        game, length = Game.start(find_variant(name, **options)), rng.randrange(longest)
        while game.outcome is None and (game.ply < length or game.pending):
            game = game.play(rng.choice(game.legal_moves))
        if game.outcome is None:
            n -= 1
            yield game


SMALL = ("tic_tac_toe", "three_mens_morris", "roman_mill", "achi", "tant_fant", "nine_holes")
CAPTURING = ("six_mens_morris", "five_mens_morris")


@pytest.mark.parametrize(
    ("name", "depth", "longest", "fewest"),
    [*((name, 6, 40, 10) for name in SMALL), *((name, 4, 60, 5) for name in CAPTURING)],
)
def test_what_the_search_proves_is_what_the_tables_say(name: str, depth: int, longest: int, fewest: int) -> None:
    n_proved = 0
    for game in positions_of(name, 60, seed=12, longest=longest):
        table = table_of(game.variant)
        known = None if table is None else table.value(game.position)
        thought = AlphaBeta(Game(game.position), Limits(depth=depth)).think()
        assert known is not None
        is_forced = len(thought.ranked) == 1  # then nothing is looked ahead
        if known.turns is not None and known.turns <= depth and not is_forced:
            assert (thought.value.winner, thought.value.turns) == (known.winner, known.turns)
            n_proved += 1
        if thought.value.winner is not None:
            assert thought.value.winner == known.winner
    assert n_proved > fewest


def minimax(position: Position, depth: int, me: int) -> float:
    """The score for ``me`` by looking at everything, without any of the search's ways to save work."""
    if position.ended is not None or position.out[me]:
        winner = None if position.ended is None else position.ended.winner
        drawn = position.ended is not None and winner is None
        return 0.0 if drawn else (1e6 + depth) * (1 if winner == me else -1)
    if depth == 0 and not position.dues:
        points = evaluate(position)
        return points[me] - (sum(points) - points[me]) // (len(points) - 1)
    values = [
        minimax(after, depth if after.dues else depth - 1, me)
        for after in (advance(position, move) for move in legal_moves(position))
    ]
    return max(values) if position.to_move == me else min(values)


@pytest.mark.parametrize("name", ["nine_mens_morris", "morabaraba", "trialectic", "moulin_rouge", "shax"])
def test_the_search_finds_what_looking_at_everything_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.search.alpha_beta.MOST_MILLS_AHEAD", 0)
    monkeypatch.setattr("referee.search.alpha_beta.MOST_CAPTURES", 99)
    for game in positions_of(name, 4, seed=13, longest=30):
        me = game.position.to_move
        search = AlphaBeta(game, Limits(depth=2))
        thought = search.think()
        turns = legal_turns(game.position)
        best = max(minimax(turn.after, 1, me) for turn in turns)
        assert minimax(thought.turn.after, 1, me) == best


def test_with_three_players_only_a_game_that_is_over_is_called_won() -> None:
    for name, options in [("trialectic", {}), ("moulin_rouge", {"players": 3})]:
        for game in positions_of(name, 8, seed=20, longest=90, **options):
            search = AlphaBeta(game, Limits(2_000))
            for turn, value in search.think().ranked:
                assert value.is_proved is (turn.after.ended is not None), turn


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_every_strength_plays_lawful_turns_in_every_game(name: str, options: dict[str, object]) -> None:
    for k, game in enumerate(positions_of(name, 3, seed=14, **options)):
        strength = list(STRENGTHS)[k]
        found = STRENGTHS[strength]
        limits = Limits(min(found.positions or 400, 400), found.depth)
        thought = think(game, limits, imprecision=found.imprecision, uses_table=found.uses_table)
        played = game.play_turn(thought.turn)
        assert played.ply == game.ply + 1
        assert sum(thought.value.shares) == pytest.approx(1.0)
        assert len(thought.value.shares) == game.variant.players
        for turn in thought.line:
            game = game.play_turn(turn)  # the line is lawful to its end


def test_the_same_seed_plays_the_same_game_and_another_one_mostly_does_not() -> None:
    def played(name: str, options: dict[str, object], seed: int) -> list[str]:
        game = Game.start(find_variant(name, **options))
        while game.outcome is None and game.ply < 6:
            game = game.play_turn(think(game, Limits(200, 2), seed=seed, imprecision=40, uses_table=False).turn)
        return [str(turn) for turn in game.turns]

    n_different, some = 0, GAMES[::3]
    for name, options in some:
        once, again, other = (played(name, options, seed) for seed in (1, 1, 2))
        assert once == again
        n_different += once != other
    assert n_different > len(some) // 2


def test_a_thought_ends_when_its_time_is_up() -> None:
    game = Game.start(find_variant("nine_mens_morris"))
    ticks = iter(range(10_000))
    looked_at: list[int] = []

    def clock() -> float:
        looked_at.append(1)
        return float(next(ticks))

    thought = think(game, Limits.within(20.0, clock))
    assert 20 <= len(looked_at) <= 23  # asked every 64 positions, and no more once the time is up
    assert thought.n_positions <= 64 * 22
    assert str(thought.turn)


def test_a_lead_is_worth_less_when_a_draw_by_counting_is_near() -> None:
    variant = find_variant("millchen", repetition=0)
    stones = {"a1": [0], "c4": [0], "d7": [0], "g4": [0], "e3": [0], "b2": [1], "f6": [1], "d3": [1]}
    first = Game(Position.set_up(variant, stones, (0, 0), 0))
    game = first
    for text in ("a1-d1", "f6-f4", "d1-a1", "f4-f6") * 4:
        game = game.play_turn(next(t for t in legal_turns(game.position) if t.moves == parse_turn(text, variant.board)))
    assert (game.position, game.quiet) == (first.position, 16)
    early, late = (AlphaBeta(g, Limits(depth=1)).think().value.shares[0] for g in (first, game))
    assert 0.5 < late < early


def test_a_fork_is_named_as_two_threats() -> None:
    variant = find_variant("tic_tac_toe")
    game = Game(Position.set_up(variant, {"a1": [0], "c3": [0], "b2": [1], "a2": [1]}, (3, 2), 0))
    turn = next(turn for turn in legal_turns(game.position) if str(turn) == "c2")
    reasons = reasons_for(game, RankedTurn(turn, Value((0.5, 0.5))))
    assert "blocks_row" in [reason.kind for reason in reasons]
    fork = next(turn for turn in legal_turns(game.position) if str(turn) == "c1")
    kinds = [reason.kind for reason in reasons_for(game, RankedTurn(fork, Value((0.5, 0.5))))]
    assert kinds[0] == "opens_rows"
    assert kinds[-1] == "allows_row"


PREPARES = "It puts two stones into one line whose third point, b2, is free."
HINDERS = "It stands in the way of player 2: on the line g7, g4 and g1. Through g7 one line is still open."


@pytest.mark.parametrize(
    ("turn", "mine", "others", "told"),
    [
        ("b2-d2", ("a7", "f2", "b2"), ("g1", "g4", "c3"), PREPARES),
        ("g7", (), ("g1",), HINDERS),
        ("d6", (), (), "Through d6 two lines are still open."),
    ],
)
def test_a_turn_that_closes_and_threatens_nothing_is_told_by_its_lines(
    turn: str, mine: tuple[str, ...], others: tuple[str, ...], told: str
) -> None:
    stones = {point: [player] for player, points in enumerate((mine, others)) for point in points}
    hands = (0, 0) if mine else (9, 9 - len(others))
    position = Position.set_up(find_variant("nine_mens_morris"), stones, hands, 0)
    chosen = next(one for one in legal_turns(position) if str(one) == turn)
    reasons = reasons_for(Game(position), RankedTurn(chosen, Value((0.5, 0.5))))
    assert reason_sentences(reasons) == told


def test_a_chance_is_a_mill_that_can_really_be_closed_at_once() -> None:
    for name in ("nine_mens_morris", "trialectic", "moulin_rouge", "roman_mill"):
        for game in positions_of(name, 10, seed=17):
            position = game.position
            for player in range(game.variant.players):
                here = position._replace(to_move=player, dues=(), prey=(), closed=())
                closing = {line for move in legal_moves(here) for line in advance(here, move).closed}
                assert {line for chance in chances(position, player) for line in chance.lines} == closing


def test_a_mill_that_a_turned_ring_closes_is_told_by_its_point_on_that_ring() -> None:
    n_turned = 0
    for game in positions_of("moulin_rouge", 40, seed=21, players=3):
        board = game.variant.board
        for player in range(3):
            for chance in chances(game.position, player):
                if isinstance(chance.move, Rotate):
                    assert board.index[chance.goal] in board.rings[chance.move.ring]
                    n_turned += 1
    assert n_turned


@pytest.mark.parametrize("language", ["en", "de", "fr", "lb"])
def test_reasons_are_sentences_without_raw_words(language: str) -> None:
    for name in ("millchen", "three_mens_morris", "trialectic"):
        for game in positions_of(name, 6, seed=18):
            thought = think(game, Limits(200, 2))
            for spoken in (False, True):
                told = reason_sentences(reasons_for(game, thought.ranked[0]), language, spoken=spoken)
                assert "{" not in told
                assert "(n)" not in told
                assert told == "" or told.endswith(".")
