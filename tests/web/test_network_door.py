"""Phones are let in by a button of the page while Millchen runs, and out again: then the port is closed for good."""

import hashlib
import os
import socket
import ssl
import stat
import time
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.web.browsing import Visit, expect, settles_within
from tests.web.conftest import House
from web.hosted_tables import TableRequest
from web.net import network
from web.net.roles import REFEREE, VIEWER

pytestmark = pytest.mark.film


@pytest.fixture(autouse=True)
def _two_tables(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables; the address in the network is this computer's own."""
    monkeypatch.setattr(network, "lan_address", lambda: "127.0.0.1")
    for name in ("Kitchen", "Garden"):
        house.tables.open(TableRequest("hand", "nine_mens_morris", name=name))


ANN = {"role": VIEWER, "name": "Ann"}


def links_of(told: Any) -> dict[str, str]:
    """The link for each role."""
    return {one["role"]: one["link"] for one in told["links"]}


def token_of(link: str) -> str:
    return link.rsplit("/", 1)[1]


def is_listening(link: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", urlsplit(link).port or 0)) == 0


def test_the_door_opens_at_every_table_and_closes_with_all_links_dead(house: House) -> None:
    kitchen, garden = (one.listeners.address for one in house.tables.tables)
    assert house.ask(kitchen, "/api/links")[1] == {"links": [], "fingerprint": None}
    assert not (house.folder / "network").exists()  # nothing is made before it is wanted
    status, told = house.ask(kitchen, "/api/network", {"open": True})
    assert status == 200 and set(links_of(told)) == {"viewer", "camera", "referee"}
    viewer, referee = links_of(told)[VIEWER], links_of(told)[REFEREE]
    shown = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", urlsplit(viewer).port or 0)))
    assert told["fingerprint"].replace(":", "") == hashlib.sha256(shown).hexdigest().upper()
    assert os.name == "nt" or stat.S_IMODE((house.folder / "network" / "key.pem").stat().st_mode) == 0o600
    assert house.ask(viewer, "/api/state")[0] == 401
    assert house.ask(viewer, "/api/state", token=token_of(viewer))[0] == 200
    other = links_of(house.ask(garden, "/api/links")[1])[VIEWER]
    assert urlsplit(other).port != urlsplit(viewer).port and token_of(other) == token_of(viewer)
    for is_open in (True, False):  # from outside nobody moves the door, not even a referee
        assert house.ask(referee, "/api/network", {"open": is_open}, token_of(referee))[0] == 403
    assert house.ask(kitchen, "/api/network", {"open": True})[1]["links"] == told["links"]  # it is open already
    status, closed = house.ask(garden, "/api/network", {"open": False})
    assert (status, closed["links"]) == (200, [])
    assert not is_listening(viewer) and not is_listening(other)
    assert house.tables.are_running and house.ask(kitchen, "/api/state")[0] == 200
    viewer_again = links_of(house.ask(kitchen, "/api/network", {"open": True})[1])[VIEWER]
    assert house.ask(viewer_again, "/api/state", token=token_of(viewer))[0] == 401
    assert house.ask(viewer_again, "/api/state", token=token_of(viewer_again))[0] == 200
    assert house.ask(kitchen, "/api/network", {"open": "yes"})[0] == 400


def test_a_link_of_ones_own_is_taken_back_alone_and_what_it_has_open_is_cut(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.views.event_stream.HEARTBEAT_INTERVAL_S", 0.1)
    assert house.ask(house.address, "/api/links/add", ANN)[0] == 422, "the door is closed"
    house.ask(house.address, "/api/network", {"open": True})
    told = house.ask(house.address, "/api/links/add", {"role": VIEWER, "name": "Ann's telephone", "days": 30})[1]
    others, ann = told["links"][:-1], told["links"][-1]
    assert (ann["role"], ann["name"], ann["ends"] < others[0]["ends"]) == (VIEWER, "Ann's telephone", True)
    stranger = house.ask(ann["link"], "/api/links/add", {"role": REFEREE, "name": "Ann"}, token_of(ann["link"]))
    assert stranger[0] == 403, "no link makes another one"
    with house.listening(ann["link"], token_of(ann["link"])) as stream:
        assert stream.readline() == b"retry: 1000\n"
        left = house.ask(house.address, "/api/links/remove", {"link": ann["link"]})[1]["links"]
        give_up = time.monotonic() + 10
        while stream.readline():
            assert time.monotonic() < give_up, "it is still open"
    assert left == others
    assert house.ask(ann["link"], "/api/state", token=token_of(ann["link"]))[0] == 401
    assert house.ask(others[0]["link"], "/api/state", token=token_of(others[0]["link"]))[0] == 200
    for odd in ({"role": "owner", "name": "Ann"}, {"role": VIEWER, "name": ""}, {**ANN, "days": 0}):
        assert house.ask(house.address, "/api/links/add", odd)[0] in (400, 422)


def test_the_button_of_the_page_and_that_of_the_chooser_open_it(house: House, visit: Visit) -> None:
    page = visit(house, "links", width=390, language="de-DE")
    page.get_by_role("button", name="Telefone hereinlassen").click()
    expect(page.locator(".codes .code svg")).to_have_count(3)
    page.wait_for_load_state()  # its style sheets
    page.get_by_label("Wem es gehört").fill("Anns Telefon")
    page.get_by_role("button", name="Link machen").click()
    expect(page.get_by_role("heading", name="Anns Telefon")).to_be_visible()
    settles_within(page, 390)
    page.get_by_role("button", name="Diesen Link zurücknehmen").last.click()
    expect(page.locator(".codes .code svg")).to_have_count(3)
    page.get_by_role("button", name="Wieder zumachen").click()
    expect(page.get_by_role("button", name="Telefone hereinlassen")).to_be_visible()
    page.goto(house.address)
    page.click("#choose")
    page.click("[data-step=source]")
    page.click(".door-ways button")
    expect(page.locator(".door-ways a")).to_be_visible()
    assert house.tables.tables[0].listeners.context.network is not None
