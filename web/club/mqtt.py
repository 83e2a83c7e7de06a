"""What is announced at this computer's tables, as MQTT messages for a home's automation; only where a broker is given.

Two topics a table: ``PREFIX/TABLE/said`` for each sentence, and ``PREFIX/TABLE/state`` (retained) for how it stands.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import unquote, urlsplit

from web.club.follower import TableState
from web.club.scoreboard import Scoreboard
from web.drawing.colour_names import colour_names
from web.errors import MillchenError

log = logging.getLogger("millchen.mqtt")

MQTT_PORT = 1883
MQTT_TLS_PORT = 8883
DEFAULT_TOPIC_PREFIX = "millchen"
MAX_QUEUED_MESSAGES = 1000  # messages kept while the broker is away; older ones are dropped, the newest state is sent anyway
SCOREBOARD_WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Broker:
    """Where messages go: ``mqtt://user:password@host:port/prefix``, or ``mqtts://`` with TLS."""

    host: str
    port: int
    prefix: str
    user: str = ""
    password: str = ""
    is_secure: bool = False


def parse_broker(address: str) -> Broker:
    """Understand an address.

    Raises
    ------
    MillchenError
        When it is none.
    """
    wrong = MillchenError("a broker is given as mqtt://host, or mqtt://user:password@host:port/prefix")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise wrong from None
    prefix = parts.path.strip("/") or DEFAULT_TOPIC_PREFIX
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.query or parts.fragment:
        raise wrong
    if re.search(r"[#+\x00]", prefix):
        raise wrong
    is_secure = parts.scheme == "mqtts"
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Broker(parts.hostname, port or (MQTT_TLS_PORT if is_secure else MQTT_PORT), prefix, user, password, is_secure)


class MqttPublisher:
    """One thread that passes on what is new in the hall; nobody at a table waits for it.

    Parameters
    ----------
    hall : Hall
    address : str
        See `parse_broker`.

    Raises
    ------
    MillchenError
        When the address is none, or the library is not installed.
    """

    def __init__(self, hall: Scoreboard, address: str) -> None:
        self.broker = parse_broker(address)
        try:
            paho: Any = import_module("paho.mqtt.client")
        except ImportError:
            raise MillchenError("messages for a broker need a library: pip install 'millchen[mqtt]'") from None
        self._hall = hall
        self._said: dict[str, int | None] = {}
        self._end = threading.Event()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        self._client.max_queued_messages_set(MAX_QUEUED_MESSAGES)
        self._client.reconnect_delay_set(1, 30)
        if self.broker.user:
            self._client.username_pw_set(self.broker.user, self.broker.password or None)
        if self.broker.is_secure:
            self._client.tls_set()
        self._client.on_connect = _log_callback("connected to the broker")
        self._client.on_disconnect = _log_callback("away from the broker")
        self._thread = threading.Thread(target=self._run, name="herald", daemon=True)

    def start(self) -> None:
        """Begin; a broker that is away is tried again and again."""
        self._client.connect_async(self.broker.host, self.broker.port, keepalive=30)
        self._client.loop_start()
        self._thread.start()

    def close(self) -> None:
        """Say no more."""
        self._end.set()
        self._thread.join(2 * SCOREBOARD_WAIT_S)
        self._client.disconnect()
        self._client.loop_stop()

    def _run(self) -> None:
        version = -1
        while not self._end.is_set():
            version, changed, _ = self._hall.wait(version, SCOREBOARD_WAIT_S)
            for standing in changed:
                if not standing.host:
                    self._pass_on(standing)

    def _pass_on(self, standing: TableState) -> None:
        topic = f"{self.broker.prefix}/{_topic_level(standing.table) or 'table'}"
        self._client.publish(f"{topic}/state", json.dumps(state_message(standing), ensure_ascii=False), qos=1, retain=True)
        said = standing.said
        is_known = standing.key in self._said  # what was said before this run is no news
        if said is not None and is_known and said.seq != self._said[standing.key]:
            message = {"kind": said.kind, "game": said.game, "texts": dict(said.sentences["texts"])}
            self._client.publish(f"{topic}/said", json.dumps(message, ensure_ascii=False), qos=1)
        self._said[standing.key] = None if said is None else said.seq


def state_message(standing: TableState) -> dict[str, Any]:
    """How it stands at a table, for programs; players count from 1."""
    game, outcome = standing.game, standing.game.outcome
    return {
        "game": game.variant.name,
        "turns": game.ply,
        "to_move": None if outcome is not None else game.position.to_move + 1,
        "stones": list(game.position.counts),
        "names": list(standing.course.names),
        "colours": list(colour_names(standing.course.colours)),
        "foul": standing.course.foul is not None,
        "over": outcome is not None,
        "winner": None if outcome is None or outcome.winner is None else outcome.winner + 1,
    }


def _topic_level(name: str) -> str:
    """A table's name as one level of a topic."""
    return re.sub(r"[/#+\x00]", "-", name).strip()


def _log_callback(text: str) -> Callable[..., None]:
    def tell(*_: object) -> None:
        log.info("%s", text)

    return tell
