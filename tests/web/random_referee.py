"""Commands of every kind at random, as a page sends them: with a key of their own, and with what their sender saw."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GAMES = ("nine_mens_morris", "millchen", "moulin_rouge", "tic_tac_toe", "lasker_morris")
SILENT = ("clock start", "clock pause", "clock press", "keep-game", "corners")
"""Kinds of commands that change nothing that the journal keeps."""

WEIGHTS = {
    **{"act": 60, "foul": 4, "put-back": 4, "play-on": 4, "take-back": 8, "redo": 5, "correct": 8, "tower": 2},
    **{"ring": 2, "names": 4, "photographs": 2, "clock set": 3, "clock start": 1, "clock pause": 1, "clock press": 1},
    **{"end": 2, "game": 2, "again": 2, "answer": 1, "mover": 1, "resume": 1, "keep-game": 1},
}
"""How often a kind is tried; a game that is over only begins anew."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command, ready to be sent, and sent again just so."""

    kind: str
    path: str
    body: Mapping[str, Any]

    @property
    def key(self) -> str:
        return str(self.body["key"])

    @property
    def is_kept(self) -> bool:
        """Whether the journal has a record of it once it was carried out."""
        return self.kind not in SILENT


class RandomReferee:
    """Makes commands that suit what the state shows, most of them lawful.

    With ``by_hand`` people play on the page, and new games are played there too.
    """

    def __init__(self, seed: int, *, by_hand: bool = True) -> None:
        self._rng = random.Random(seed)
        self._keys = (f"key {seed}.{n}" for n in itertools.count(1))
        self.is_by_hand = by_hand

    def command(self, state: Mapping[str, Any]) -> Command:
        """A command after the state that is shown."""
        game = state["game"]
        kinds = dict(WEIGHTS) | ({"put-back": 40, "play-on": 40} if game["foul"] else {})
        if game["outcome"]:
            kinds = {"again": 4, "game": 4, "take-back": 2, "names": 1}
        if not self.is_by_hand:  # stones are laid on the table, and its film is of one game
            kinds = {kind: much for kind, much in kinds.items() if kind not in ("act", "foul", "game")}
        [kind] = self._rng.choices(list(kinds), list(kinds.values()))
        path, words = getattr(self, "_" + kind.replace("-", "_").replace(" ", "_"))(game)
        seen = {"game": game["id"], "seq": game["seq"]}
        return Command(kind, path, {**words, "seen": seen, "key": next(self._keys)})

    def _act(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        acts = game["acts"] or [{"text": "d6"}]
        return "/api/act", {"act": self._rng.choice(acts)["text"]}

    def _foul(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/act", {"act": self._rng.choice(game["points"]), "player": self._player(game)}

    def _put_back(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/put-back", {}

    def _play_on(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/play-on", {}

    def _take_back(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/take-back", {}

    def _redo(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/redo", {}

    def _correct(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        point = self._rng.choice(game["points"])
        return "/api/correct", {"point": point, "top": 0 if point in game["stacks"] else self._player(game)}

    def _tower(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        words = {"top": self._player(game), "height": self._rng.choice((1, 2, 3))}
        return "/api/tower", {"point": self._rng.choice(game["points"]), **words}

    def _ring(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/ring", {"ring": self._rng.choice((0, 1, 2)), "steps": self._rng.choice((-1, 1))}

    def _names(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/names", {"names": [f"Anna {self._rng.random()}"] + ["Ben"] * (game["players"] - 1)}

    def _photographs(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/photographs", {"on": not game["photographs"]}

    def _clock_set(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        minutes = self._rng.randrange(1, 10_000) / 100
        return "/api/clock", {"act": "set", "kind": "down", "minutes": minutes, "increment": 2}

    def _clock_start(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/clock", {"act": "start"}

    def _clock_pause(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/clock", {"act": "pause"}

    def _clock_press(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/clock", {"act": "press"}

    def _end(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        how = self._rng.choice(("resigned", "timed_out", "agreed", "decided", "abandoned"))
        words = {"player": self._player(game)} if how in ("resigned", "timed_out") else {}
        return "/api/end", {"how": how, **words, **({"decider": "Marie"} if how in ("decided", "abandoned") else {})}

    def _game(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/game", {"game": self._rng.choice(GAMES)}

    def _again(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/again", {"game": game["id"], "swap": self._rng.random() < 0.5}

    def _answer(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/answer", {"option": 0}

    def _mover(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/mover", {"player": self._player(game)}

    def _resume(self, game: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/resume", {"tops": [0] * len(game["points"]), "to_move": 1}

    def _keep_game(self, _: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return "/api/keep-game", {}

    def _player(self, game: Mapping[str, Any]) -> int:
        return self._rng.randint(1, int(game["players"]))
