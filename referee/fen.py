"""A position as one line of text, as Sanmill writes it, extended in the same spirit to the other boards.

For 24 points: inner, middle and outer ring, eight characters each, clockwise from the top midpoint, ``O`` for the
first player, ``@`` for the second, ``*`` for an empty point. Then the side to move, the phase (``p`` placing, ``m``
moving, ``o`` over), the action (``p`` place, ``s`` select, ``r`` remove), for each player stones on the board and in
hand, for each player captures due, for each player the move that closed the last mill (a number is 8 + place in this
text, 0 stands for no mill), a field that is always 0, turns without a mill, and the number of the move.

The other boards take their points in their own order; more players are ``X # % &`` and ``c d e f``; a tower stands in
brackets, bottom first; a stone that changed sides is its owner, an apostrophe and its paint. What has no field in
Sanmill's line follows as ``word:value``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from languages import message
from referee.board import Board
from referee.endings import Outcome, Termination
from referee.legal import prey_of, removable
from referee.moves import RING_LETTERS
from referee.nearest_word import quoted
from referee.position import STONES, Due, Memory, Position, Stone
from referee.variant import Variant

STONE_SIGNS = "O@X#%&"
SIDE_SIGNS = "wbcdef"
EMPTY = "*"
FIRST_NUMBER = 8  # Sanmill numbers its points from 8 on
_CLOCKWISE = ((0, 3), (3, 3), (3, 0), (3, -3), (0, -3), (-3, -3), (-3, 0), (-3, 3))
_STONE = re.compile(r"[O@X#%&](?:'[O@X#%&])?")


def fen_order(board: Board) -> tuple[int, ...]:
    """The points of ``board``, by index, in the order of the text."""
    if len(board.points) != 24 or board.rings:
        return tuple(range(len(board.points)))
    names = ["abcdefg"[3 + x * ring // 3] + str(4 + y * ring // 3) for ring in (1, 2, 3) for x, y in _CLOCKWISE]
    return tuple(board.index[name] for name in names)


def to_fen(position: Position, quiet: int = 0, ply: int = 0) -> str:
    """Write a position; ``quiet`` turns without a mill and ``ply`` turns in all come from the game."""
    variant = position.variant
    order = fen_order(position.board)
    number = {point: FIRST_NUMBER + k for k, point in enumerate(order)}
    signs = [_tower_text(position.stacks[point]) for point in order]
    size = len(order) // 3 if len(order) % 3 == 0 else len(order)
    places = "/".join("".join(signs[k : k + size]) for k in range(0, len(signs), size))
    me = position.to_move
    over = position.ended is not None
    phase = "o" if over else "p" if position.hands[me] else "m"
    action = "?" if over else "r" if position.dues or position.removing else phase.replace("m", "s")
    counts = [n for pair in zip(position.counts, position.hands, strict=True) for n in pair]
    n_due = [position.owed if player == me else 0 for player in range(variant.players)]
    bans = list(position.bans or (None,) * variant.players)
    if position.pending_ban is not None:
        bans[me] = position.pending_ban
    mills = [number[point] if ban else 0 for ban in bans for point in ((ban[1], ban[0]) if ban else (0, 0))]
    fields = [places, SIDE_SIGNS[me], phase, action, *counts, *n_due, *mills, 0, quiet, 1 + ply // variant.players]
    return " ".join([*map(str, fields), *_extras(position)])


def _extras(position: Position) -> list[str]:
    """The ``word:value`` pairs for which Sanmill's line has no field."""
    variant = position.variant
    extras: list[str] = []
    if position.dues and (variant.players > 2 or variant.each_opponent):
        dues = [f"{due.victims}.{due.n}{'?' if due.optional else ''}" for due in position.dues]
        extras.append("dues:" + ",".join(dues))
    if position.lock is not None:
        ring, steps = position.lock
        extras.append(f"lock:{RING_LETTERS[ring]}{'+' if steps > 0 else '-'}")
    gone = [str(player + 1) for player in range(variant.players) if position.out[player]]
    if gone:
        extras.append("out:" + ",".join(gone))
    memory = position.memory
    if any(memory.spent):
        extras.append("spent:" + ",".join(f"{lines:x}" for lines in memory.spent))
    if memory.first_mill is not None:
        extras.append(f"mill:{memory.first_mill + 1}")
    if memory.queue:
        extras.append("next:" + ",".join(str(player + 1) for player in memory.queue))
    if position.ended is not None:
        winner = position.ended.winner
        extras.append(f"end:{position.ended.termination}{'' if winner is None else f'/{winner + 1}'}")
    return extras


def parse_fen(text: str, variant: Variant) -> Position:
    """Read a position and ignore Sanmill's additions at the end of its line.

    Raises ValueError when the text is no position of this game; one sentence that names the word.
    """
    words = text.split()
    n = variant.players
    if len(words) < 4 + 2 * n:
        raise ValueError(message("fen.words", least=4 + 2 * n, n=len(words), text=quoted(text)))
    order = fen_order(variant.board)
    towers = _towers(words[0], len(order))
    points: dict[str, list[Stone]] = {}
    for point, tower in zip(order, towers, strict=True):
        if tower:
            points[variant.board.points[point]] = tower
    if len(words[1]) != 1 or words[1] not in SIDE_SIGNS[:n]:
        raise ValueError(message("fen.player", text=quoted(words[1])))
    me = SIDE_SIGNS.index(words[1])
    numbers = [_number(word) for word in words[4:] if ":" not in word]
    extras = dict(word.split(":", 1) for word in words[4:] if ":" in word)
    hands = numbers[1 : 2 * n : 2]
    n_due = numbers[2 * n : 3 * n] + [0] * n
    mills = numbers[3 * n : 5 * n] + [0] * 2 * n
    out = [str(player + 1) in extras.get("out", "").split(",") for player in range(n)]
    position = Position.set_up(variant, points, hands, me, out)
    if tuple(numbers[0 : 2 * n : 2]) != position.counts:
        raise ValueError(message("fen.counts", text=quoted(" ".join(words[4 : 4 + 2 * n]))))
    position = _with_bans(position, mills, owing=n_due[me] > 0)
    if "lock" in extras:
        lock = extras["lock"]
        if len(lock) != 2 or lock[0] not in RING_LETTERS or lock[1] not in "+-":
            raise ValueError(message("fen.rotation", text=quoted(lock)))
        position = position._replace(lock=(RING_LETTERS.index(lock[0]), 1 if lock[1] == "+" else -1))
    if n_due[me] > 0 or "dues" in extras:
        position = _with_dues(position, extras.get("dues"), n_due[me])
    position = _with_memory(position, extras)
    ended = _ended(position, extras["end"]) if "end" in extras else None
    if ended is None and words[2] == "o":
        ended = _end_seen(position)
    return position._replace(ended=ended) if ended is not None else position


def _tower_text(stack: tuple[Stone, ...]) -> str:
    if not stack:
        return EMPTY
    signs = [
        STONE_SIGNS[stone.owner] + ("" if stone.owner == stone.paint else "'" + STONE_SIGNS[stone.paint])
        for stone in stack
    ]
    return signs[0] if len(signs) == 1 and len(signs[0]) == 1 else f"({''.join(signs)})"


def _towers(text: str, n_points: int) -> list[list[Stone]]:
    towers: list[list[Stone]] = []
    for sign in re.findall(r"\([^()]*\)|[^/]", text):
        stones = _STONE.findall(sign)
        if sign == EMPTY:
            towers.append([])
        elif "".join(stones) == sign.strip("()") and stones:
            towers.append([STONES[STONE_SIGNS.index(s[0])][STONE_SIGNS.index(s[-1])] for s in stones])
        else:
            raise ValueError(message("fen.stone", text=quoted(sign)))
    if len(towers) != n_points:
        raise ValueError(message("fen.points", points=n_points, n=len(towers)))
    return towers


def _number(word: str, base: int = 10) -> int:
    try:
        return int(word, base)
    except ValueError:
        raise ValueError(message("fen.number", text=quoted(word))) from None


def _with_bans(position: Position, mills: list[int], *, owing: bool) -> Position:
    """Sanmill keeps every last mill; only ``no_remake`` asks for it."""
    variant = position.variant
    if not variant.no_remake:
        return position
    order = fen_order(position.board)
    bans: list[tuple[int, int] | None] = []
    for player in range(variant.players):
        start, to = (number - FIRST_NUMBER for number in mills[2 * player : 2 * player + 2])
        is_on_board = 0 <= start < len(order) and 0 <= to < len(order)
        bans.append((order[to], order[start]) if is_on_board else None)
    pending = None
    if owing:
        pending, bans[position.to_move] = bans[position.to_move], None
    return position._replace(bans=tuple(bans) if any(bans) else (), pending_ban=pending)


def _with_memory(position: Position, extras: Mapping[str, str]) -> Position:
    """Read the memory of some games: spent lines (bits in base 16), the first mill, and who comes next."""
    n = position.variant.players
    spent = tuple(_number(word, 16) for word in extras["spent"].split(",")) if "spent" in extras else ()
    players = [_number(word) - 1 for key in ("mill", "next") for word in extras.get(key, "").split(",") if word]
    if len(spent) not in (0, n) or not all(0 <= player < n for player in players):
        raise ValueError(f"spent, mill or next do not name the players of {position.variant.name}")
    first_mill = players[0] if "mill" in extras else None
    position = position._replace(memory=Memory(spent, first_mill, tuple(players["mill" in extras :])))
    return position._replace(prey=removable(position)) if position.removing else position


def _with_dues(position: Position, text: str | None, n_due: int) -> Position:
    variant = position.variant
    if text is None:
        victims = sum(1 << p for p in range(variant.players) if p != position.to_move and not position.out[p])
        all_dues: list[Due] = [Due(victims, n_due, variant.capture == "may")]
    else:
        all_dues = []
        for part in text.split(","):
            victims_text, _, count = part.rstrip("?").partition(".")
            all_dues.append(Due(_number(victims_text), _number(count), part.endswith("?")))
    dues, prey = prey_of(position.stacks, variant, tuple(all_dues))
    return position._replace(dues=dues, prey=prey)


def _ended(position: Position, text: str) -> Outcome:
    reason, _, winner = text.partition("/")
    if reason not in list(Termination):
        raise ValueError(message("fen.ending", text=quoted(reason)))
    player = _number(winner) - 1 if winner else None
    if player is not None and not 0 <= player < position.variant.players:
        raise ValueError(message("fen.player", text=quoted(winner)))
    return Outcome(player, Termination(reason))


def _end_seen(position: Position) -> Outcome:
    """The ending of a position that its text calls over."""
    variant = position.variant
    for player in range(variant.players):
        if position.counts[player] + position.hands[player] < variant.min_stones and variant.players == 2:
            return Outcome(1 - player, Termination(variant.last_reason))
    if variant.players == 2 and variant.stalemate == "lose":
        return Outcome(1 - position.to_move, Termination.NO_MOVES)
    return Outcome(None, Termination.ARBITER)
