"""What a broker is told, with a broker of a few lines that writes down what it gets."""

import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec

import pytest

from tests.web.conftest import Until
from web.club.club import Club
from web.club.mqtt import Broker, MqttPublisher, parse_broker
from web.errors import MillchenError
from web.game.replay import start_record_body
from web.journal.journal import Journal


class Listener:
    """Speaks as much MQTT 3.1.1 as a broker must to be sent messages (chapters 3.1 to 3.4 of the standard)."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, dict[str, object], bool]] = []
        self.users: list[bytes] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._server.accept()
                threading.Thread(target=self._listen, args=(line,), daemon=True).start()

    def _listen(self, line: socket.socket) -> None:
        with line, line.makefile("rb") as told, suppress(OSError, IndexError):
            while head := told.read(1):
                length, shift = 0, 0
                while True:
                    (byte,) = told.read(1)
                    length |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        break
                body = told.read(length)
                kind, flags = head[0] >> 4, head[0] & 15
                if kind == 1:  # CONNECT
                    self.users.append(body)
                    line.sendall(b"\x20\x02\x00\x00")
                elif kind == 3:  # PUBLISH, acknowledged (quality of service 1)
                    (n,) = struct.unpack(">H", body[:2])
                    topic, rest = body[2 : 2 + n].decode(), body[2 + n :]
                    self.messages.append((topic, json.loads(rest[2:]), bool(flags & 1)))
                    line.sendall(b"\x40\x02" + rest[:2])
                elif kind == 12:  # PINGREQ
                    line.sendall(b"\xd0\x00")


@pytest.fixture
def broker() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()


@pytest.mark.skipif(find_spec("paho") is None, reason="paho-mqtt is not installed")
def test_a_broker_is_told_each_sentence_once_and_how_it_stands(
    broker: Listener, journal: Journal, until: Until, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stamp = {"t": 1.0, "frame": 1, "player": 1, "mills": [], "confidence": 1.0, "skipped": []}
    with Journal(tmp_path_factory.mktemp("evenings") / "evenings.sqlite") as evenings:
        club = Club(journal, evenings)
        number = journal.begin(start_record_body("nine_mens_morris", {}, "0", "Hall/1"), by="hand").game
        club.show_table("Hall/1")
        club.start()
        herald = MqttPublisher(club.scoreboard, f"mqtt://ann:s%40cret@127.0.0.1:{broker.port}/home/mill")
        herald.start()
        until(lambda: len(broker.messages) == 1)
        journal.append(number, "turn", stamp | {"moves": ["a1"]}, ply=1, by="camera")
        until(lambda: len(broker.messages) == 3)
        herald.close()
        club.close()
    before, after, said = broker.messages
    assert before[0] == after[0] == "home/mill/Hall-1/state" and before[2] and after[2]
    assert (before[1]["turns"], after[1]["turns"], after[1]["to_move"]) == (0, 1, 2)
    assert said[0] == "home/mill/Hall-1/said" and not said[2]
    assert "a1" in said[1]["texts"]["en"]  # type: ignore[index]
    assert b"ann" in broker.users[0] and b"s@cret" in broker.users[0]


def test_an_address_of_a_broker_is_understood() -> None:
    assert parse_broker("mqtt://home") == Broker("home", 1883, "millchen")
    assert parse_broker("mqtts://a:b@home:99/x/y") == Broker("home", 99, "x/y", "a", "b", is_secure=True)


@pytest.mark.parametrize("address", ["", "home", "http://home", "mqtt://", "mqtt://home:x", "mqtt://home/a#b"])
def test_what_is_no_broker_is_refused_with_a_sentence(address: str) -> None:
    with pytest.raises(MillchenError, match="mqtt://host"):
        parse_broker(address)
