"""Playing by hand: the same turns, fouls and ends as at a table that a camera looks at; taps and drags."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from referee.fouls import sort_fouls, violations
from referee.game import Game
from referee.moves import Capture, Move, Place, Rotate, Slide
from referee.presets import find_variant
from tests.web.browsing import Page, Stage, expect, wait_until
from tests.web.conftest import Open, kinds, play, texts
from web.errors import MillchenError
from web.game.player_commands import let_foul_stand, put_back
from web.game.replay import replay
from web.journal.journal import Journal


def test_a_turn_by_hand_is_a_turn_and_said_like_one(start: Open, journal: Journal) -> None:
    table = start()
    play(table, "d6", "d7", "b6", "g7")
    assert kinds(journal) == ["start", "turn", "turn", "turn", "turn"]
    assert texts(table)[-1] == "Player 2 places on g7."
    play(table, "f6")
    shown = table.publisher.snapshot.game
    assert (shown.phase, shown.begun, shown.ply) == ("capture", 1, 4)
    assert {act["text"] for act in shown.acts} == {"xd7", "xg7"}
    assert texts(table)[-1] == "Mill for player 1! Take a stone of player 2."
    play(table, "xg7")
    assert str(table.state.game.turns[-1]) == "f6xg7"
    assert texts(table)[-1] == "Player 1 places on f6, closes a mill and takes the stone on g7."


FOULS = [
    ("nine_mens_morris", ["d6"], "d6-d5", None, "moved_opponent", 1),
    ("nine_mens_morris", ["d6", "d7"], "d6-b6", None, "moved_while_placing", 0),
    ("nine_mens_morris", ["d6", "d7"], "xd7", None, "capture_without_mill", 0),
    ("nine_mens_morris", ["d6"], "b6", 1, "wrong_player", 0),
    ("nine_mens_morris", ["d6", "d7", "b6", "g7", "f6"], "xb6", None, "captured_own", 0),
    ("nine_mens_morris", ["d6", "d7", "b6", "g7", "f6"], "a1", 2, "capture_missing", 0),
    ("three_mens_morris", ["a3", "b3", "c3", "a1", "b1", "c1"], "b2", None, "placed_while_moving", 0),
    ("tic_tac_toe", ["b2"], "b2", None, "occupied", 1),
]


@pytest.mark.parametrize(("game", "acts", "foul", "player", "kind", "accused"), FOULS)
def test_what_is_against_the_rules_is_a_foul_and_can_be_put_back_or_stand(
    start: Open, game: str, acts: list[str], foul: str, player: int | None, kind: str, accused: int
) -> None:
    table = start(game=game)
    play(table, *acts)
    before, begun = table.state.game, table.state.begun
    play(table, foul, player=player)
    seen = table.state.foul
    assert seen is not None and (seen.kind, seen.player) == (kind, accused)
    shown = table.publisher.snapshot.game
    assert shown.foul.kind == kind and shown.acts == ()
    with pytest.raises(MillchenError, match="put it back"):
        play(table, "a1")
    table.apply_command(put_back)
    assert (table.state.game, table.state.begun, table.state.foul) == (before, begun, None)
    play(table, foul, player=player)
    table.apply_command(let_foul_stand)
    assert table.state.game.position.tops == seen.seen_tops
    assert table.state.foul is None and table.state.game.ply == before.ply + 1


@pytest.mark.parametrize(
    "game", ["tic_tac_toe", "millchen", "roman_mill", "nine_mens_morris", "moulin_rouge", "trialectic", "morabaraba"]
)
def test_any_lawful_game_is_played_through_act_by_act(start: Open, journal: Journal, game: str) -> None:
    rng, table = random.Random(game), start(game=game)
    reference = Game.start(find_variant(game))
    for _ in range(120):
        if reference.outcome is not None:
            break
        assert [act["text"] for act in table.publisher.snapshot.game.acts] == list(map(str, reference.legal_moves))
        move = rng.choice(reference.legal_moves)
        reference = reference.play(move)
        play(table, str(move))
        assert table.state.foul is None
    assert replay(journal.records(1)).game.turns == table.state.game.turns
    assert [turn.moves for turn in table.state.game.turns] == [turn.moves for turn in reference.turns]


PLAY = """async (steps) => {
  const tools = document.getElementById("hand-tools");
  let taps = 0;
  for (const { selectors } of steps) {
    const before = tools.dataset.shown;
    for (const selector of selectors) {
      const target = document.querySelector(selector);
      if (!target || target.closest("[hidden]")) return `nothing to tap: ${selector} after ${before}`;
      target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      taps += 1;
    }
    for (let n = 0; tools.dataset.shown === before; n += 1) {
      if (n > 2000) return `nothing came of ${selectors.join(", ")} after ${before}`;
      await new Promise((done) => setTimeout(done, 5));
    }
  }
  return taps;
}"""
"""Tap through steps; each is done when the page shows another board. Returns the taps, or a sentence on what failed."""


@dataclass(frozen=True)
class Step:
    """What a player taps for one act."""

    game: Game
    move: Move
    selectors: tuple[str, ...]


def spot(point: str) -> str:
    return f".touch[aria-label^='{point}:']"


def taps_for(move: Move) -> tuple[str, ...]:
    match move:
        case Place(to):
            return (spot(to),)
        case Slide(start, to):
            return spot(start), spot(to)
        case Capture(at):
            return (spot(at),)
        case Rotate(ring, steps):
            return (f"#ring-{ring}{'on' if steps > 0 else 'back'}",)
    raise AssertionError(move)


def eager_game(game: str, seed: int, options: dict[str, Any]) -> Iterator[Step]:
    """The acts of a game in which everybody closes mills where he can."""
    rng, now = random.Random(seed), Game.start(find_variant(game, **options))
    while now.outcome is None:
        moves = list(now.legal_moves)
        rng.shuffle(moves)
        eager = [move for move in moves if len(now.play(move).pending) > len(now.pending)]
        won = [m for m in moves if (end := now.play(m).outcome) is not None and end.winner == now.position.to_move]
        move = (won or eager or moves)[0]
        yield Step(now, move, taps_for(move))
        now = now.play(move)


def fouls_in(game: Game) -> Iterator[tuple[str, Move, int, tuple[str, ...]]]:
    """Fouls that people may do now: name, act, who, and what they tap."""
    position, n_players = game.position, game.variant.players
    points = dict(zip(game.variant.board.points, position.stacks, strict=True))
    bare = next(name for name, stack in points.items() if not stack)
    other = next((name for name, stack in points.items() if stack and stack[-1].owner != position.to_move), None)
    follower = (position.to_move + 1) % n_players
    if position.hands[follower]:
        yield "turn", Place(bare), follower, (f"#bowl-{follower + 1}", spot(bare))
    if other is not None and not (game.variant.max_height > 1 and any(position.hands)):  # a tap lays one on it
        yield "taken", Capture(other), position.to_move, (spot(other), "#hand-take-off")
        yield "moved", Slide(other, bare), position.to_move, (spot(other), spot(bare))


GAMES = [
    pytest.param("tic_tac_toe", 2, {}, marks=pytest.mark.slow),
    pytest.param("roman_mill", 104, {}, marks=pytest.mark.slow),
    pytest.param("millchen", 199, {}, marks=pytest.mark.slow),  # as nine men's morris, but for flying
    pytest.param("nine_mens_morris", 162, {}, marks=pytest.mark.slow),
    ("moulin_rouge", 185, {"players": 3}),
    pytest.param("trialectic", 202, {}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("game", "seed", "options"), GAMES)
def test_a_game_is_played_by_hand_with_three_fouls(stage: Stage, game: str, seed: int, options: dict[str, Any]) -> None:
    page = stage.begin(game, options)
    expect(page.locator("#hand-tools")).to_be_visible()
    done: set[str] = set()
    n_taps, n_turns, waiting = 0, 0, []
    for step in eager_game(game, seed, options):
        for name, move, who, selectors in () if step.game.pending or step.game.ply < 2 else fouls_in(step.game):
            if name in done or len(done) >= 3 or (len(done) == 2 and step.game.ply < 4):
                continue
            done.add(name)
            n_taps += _play(page, waiting)
            waiting = []
            _play(page, [selectors])
            kind = str(sort_fouls(violations(step.game.position, move, who))[0])
            assert stage.table.publisher.snapshot.game.foul.kind == kind
            expect(page.locator("#foul")).to_be_visible()
            _play(page, [("#put-back",)])
            expect(page.locator("#foul")).to_be_hidden()
        waiting.append(step.selectors)
        if step.game.ply == 20 and n_turns < 20:
            n_taps += _play(page, waiting[:-1])
            waiting, n_turns = waiting[-1:], 20
            assert n_taps <= 35, "20 turns cost at most 35 taps"
    n_taps += _play(page, waiting)
    expect(page.locator("#finish")).to_be_visible()
    last = step.game.play(step.move)
    print(f"{game}: {last.ply} turns, {n_taps} taps, fouls {sorted(done)}")
    assert len(done) == 3
    assert stage.table.publisher.snapshot.game.outcome.winner == last.outcome.winner + 1  # type: ignore[union-attr, operator]
    assert [turn.moves for turn in stage.table.state.game.turns] == [turn.moves for turn in last.turns]
    expect(page.locator("#story")).not_to_contain_text("right by hand")


def _play(page: Page, steps: list[tuple[str, ...]]) -> int:
    taps = page.evaluate(PLAY, [{"selectors": list(selectors)} for selectors in steps])
    assert isinstance(taps, int), taps
    return taps


def test_stones_are_dragged_laid_out_of_bowls_and_beside_the_board(stage: Stage) -> None:
    n_starts, page = stage.table.health()["starts"], stage.begin("nine_mens_morris")
    expect(page.locator("#sight-words")).to_have_text("Touch a point to lay a stone")
    expect(page.locator("#picture canvas")).to_be_hidden()

    def drag(start: str, to: str | tuple[float, float]) -> None:
        page.hover(start)
        page.mouse.down()
        if isinstance(to, str):
            page.hover(to)
        else:
            page.mouse.move(*to, steps=4)
        page.mouse.up()

    drag("#bowl-1", spot("d6"))
    expect(page.locator(spot("d6"))).to_have_attribute("aria-label", "d6: Player\u00a01")
    drag(spot("d6"), spot("b6"))
    expect(page.locator("#foul-title")).to_contain_text("an opponent’s stone was moved")
    page.click("#put-back")
    expect(page.locator("#foul")).to_be_hidden()
    drag(spot("d6"), (3.0, 500.0))
    wait_until(page, "!document.getElementById('foul').hidden")
    assert stage.table.publisher.snapshot.game.foul.kind == "capture_without_mill"
    page.click("#play-on")
    expect(page.locator(spot("d6"))).to_have_attribute("aria-label", "d6: free")
    page.click("#hand-correct")  # what was laid by mistake is still set right as before
    page.click(spot("a1"))
    page.click("#set-right [data-top='1']")
    expect(page.locator("#story li").first).to_contain_text("a1")
    assert stage.table.health()["starts"] == n_starts, "no eyes were opened for it"
