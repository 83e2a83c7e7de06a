"""Publishes ``PREFIX/TABLE/said`` and ``PREFIX/TABLE/state`` (retained) to an MQTT broker, for home automation."""

from __future__ import annotations

import json
import logging
import re
import threading
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import unquote, urlsplit

from web.club.scoreboard import Scoreboard, TableState
from web.colour_names import colour_names
from web.errors import MillchenError

log = logging.getLogger("millchen.mqtt")

MQTT_PORTS = {"mqtt": 1883, "mqtts": 8883}
"""TCP ports of a broker, without and with TLS. Source: IANA Service Name Registry, `mqtt` and `secure-mqtt`."""

DEFAULT_TOPIC_PREFIX = "millchen"  # first level of the topics where the address names none
MAX_QUEUED_MESSAGES = 1000  # messages kept while the broker is away; the newest state of each table is sent in any case
SCOREBOARD_WAIT_S = 1.0  # longest wait for a change of the scoreboard, seconds; `close` waits at most twice as long


@dataclass(frozen=True, slots=True)
class Broker:
    """An MQTT broker: ``mqtt://user:password@host:port/prefix``, or ``mqtts://`` with TLS."""

    host: str
    port: int
    prefix: str
    user: str = ""
    password: str = ""
    is_secure: bool = False


def parse_broker(address: str) -> Broker:
    """Return the broker of an address. Raises `MillchenError` when it is not valid."""
    wrong = MillchenError("a broker is given as mqtt://host, or mqtt://user:password@host:port/prefix")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise wrong from None
    prefix = parts.path.strip("/") or DEFAULT_TOPIC_PREFIX
    if parts.scheme not in MQTT_PORTS or not parts.hostname or parts.query or parts.fragment:
        raise wrong
    if re.search(r"[#+\x00]", prefix):
        raise wrong
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    port = port or MQTT_PORTS[parts.scheme]
    return Broker(parts.hostname, port, prefix, user, password, parts.scheme == "mqtts")


class MqttPublisher:
    """One thread that publishes what changes on the scoreboard; no table waits for it."""

    def __init__(self, scoreboard: Scoreboard, address: str) -> None:
        self.broker = parse_broker(address)
        try:
            paho: Any = import_module("paho.mqtt.client")
        except ImportError:
            raise MillchenError("messages for a broker need a library: pip install 'millchen[mqtt]'") from None
        self._scoreboard = scoreboard
        self._published_seq: dict[str, int | None] = {}
        self._end = threading.Event()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        self._client.max_queued_messages_set(MAX_QUEUED_MESSAGES)
        self._client.reconnect_delay_set(1, 30)
        if self.broker.user:
            self._client.username_pw_set(self.broker.user, self.broker.password or None)
        if self.broker.is_secure:
            self._client.tls_set()
        self._client.on_connect = lambda *_: log.info("connected to the broker")
        self._client.on_disconnect = lambda *_: log.info("away from the broker")
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)

    def start(self) -> None:
        """Begin to publish; a broker that is away is tried again and again."""
        self._client.connect_async(self.broker.host, self.broker.port, keepalive=30)
        self._client.loop_start()
        self._thread.start()

    def close(self) -> None:
        """Stop to publish."""
        self._end.set()
        self._thread.join(2 * SCOREBOARD_WAIT_S)
        self._client.disconnect()
        self._client.loop_stop()

    def _run(self) -> None:
        version = -1
        while not self._end.is_set():
            version, tables, _ = self._scoreboard.wait(version, SCOREBOARD_WAIT_S)
            for table in tables:
                if not table.host:
                    self._publish(table)

    def _publish(self, table: TableState) -> None:
        name = re.sub(r"[/#+\x00]", "-", table.table).strip()  # one level of a topic
        topic = f"{self.broker.prefix}/{name or 'table'}"
        self._client.publish(f"{topic}/state", json.dumps(state_message(table), ensure_ascii=False), qos=1, retain=True)
        newest = table.announcement
        is_known = table.key in self._published_seq  # an announcement from before this start is not repeated
        if newest is not None and is_known and newest.seq != self._published_seq[table.key]:
            message = {"kind": newest.kind, "game": newest.game, "texts": dict(newest.texts)}
            self._client.publish(f"{topic}/said", json.dumps(message, ensure_ascii=False), qos=1)
        self._published_seq[table.key] = None if newest is None else newest.seq


def state_message(table: TableState) -> dict[str, Any]:
    """Return the state of a table for programs; players count from 1."""
    game, outcome = table.game, table.game.outcome
    return {
        "game": game.variant.name,
        "turns": game.ply,
        "to_move": None if outcome is not None else game.position.to_move + 1,
        "stones": list(game.position.counts),
        "names": list(table.game_state.recorded_names),
        "colours": list(colour_names(table.game_state.colours)),
        "foul": table.game_state.foul is not None,
        "over": outcome is not None,
        "winner": None if outcome is None or outcome.winner is None else outcome.winner + 1,
    }
