"""Commands of every kind at random, as a page sends them: with a key of their own, and with what their sender saw."""

import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GAMES = ("nine_mens_morris", "millchen", "moulin_rouge", "tic_tac_toe", "lasker_morris")
SILENT = ("clock start", "clock pause", "clock press", "keep-game")
"""Kinds of commands that change nothing that the journal keeps."""

WEIGHTS = {
    **{"act": 60, "foul": 4, "put-back": 4, "play-on": 4, "take-back": 8, "redo": 5, "correct": 8, "tower": 2},
    **{"ring": 2, "names": 4, "photographs": 2, "clock set": 3, "clock start": 1, "clock pause": 1, "clock press": 1},
    **{"end": 2, "game": 2, "again": 2, "go-on": 2, "answer": 1, "mover": 1, "resume": 1, "keep-game": 1},
}
"""How often a kind is tried; a game that is over only begins anew."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command, ready to be sent, and sent again just so."""

    kind: str
    path: str
    body: Mapping[str, Any]

    @property
    def is_kept(self) -> bool:
        """Whether the journal has a record of it once it was carried out."""
        return self.kind not in SILENT


class RandomReferee:
    """Makes commands that suit what the state of a game by hand shows, most of them lawful."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._keys = (f"key {seed}.{n}" for n in itertools.count(1))

    def command(self, state: Mapping[str, Any]) -> Command:
        """A command after the state that is shown."""
        game = state["game"]
        kinds = dict(WEIGHTS)
        kinds |= {"put-back": 40, "play-on": 40} if game["foul"] else {}
        if game["outcome"]:
            kinds = {"again": 4, "game": 4, "take-back": 2, "names": 1}
        [kind] = self._rng.choices(list(kinds), list(kinds.values()))
        path = f"/api/{'act' if kind == 'foul' else kind.split()[0]}"
        seen = {"game": game["id"], "seq": game["seq"]}
        return Command(kind, path, {**self._words(kind, game), "seen": seen, "key": next(self._keys)})

    def _words(self, kind: str, game: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a command beside those that all have."""
        rng = self._rng
        player, point = rng.randint(1, int(game["players"])), rng.choice(game["points"])
        if kind == "end":
            how = rng.choice(("resigned", "timed_out", "agreed", "decided", "abandoned"))
            words = {"player": player} if how in ("resigned", "timed_out") else {}
            return {"how": how, **words, **({"decider": "Marie"} if how in ("decided", "abandoned") else {})}
        if kind.startswith("clock"):
            act = kind.split()[1]
            more = {"kind": "down", "minutes": rng.randrange(1, 10_000) / 100, "increment": 2} if act == "set" else {}
            return {"act": act, **more}
        return {
            "act": {"act": rng.choice(game["acts"] or [{"text": "d6"}])["text"]},
            "foul": {"act": point, "player": player},
            "correct": {"point": point, "top": 0 if point in game["stacks"] else player},
            "tower": {"point": point, "top": player, "height": rng.choice((1, 2, 3))},
            "ring": {"ring": rng.choice((0, 1, 2)), "steps": rng.choice((-1, 1))},
            "names": {"names": [f"Anna {rng.random()}"] + ["Ben"] * (game["players"] - 1)},
            "photographs": {"on": not game["photographs"]},
            "game": {"game": rng.choice(GAMES)},
            "again": {"game": game["id"], "swap": rng.random() < 0.5},
            "go-on": {"game": rng.choice([number for number in range(1, 9) if number != game["id"]])},
            "answer": {"option": 0},
            "mover": {"player": player},
            "resume": {"tops": [0] * len(game["points"]), "to_move": 1},
        }.get(kind, {})
