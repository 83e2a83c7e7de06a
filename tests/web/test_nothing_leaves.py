"""Nothing leaves the machine, and no picture is kept unasked (promise R17)."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.conftest import Open, Until
from tests.web.scripted_eyes import write_film

ROOT = Path(__file__).parents[2]
NAMES = ("http://www.w3.org/2000/svg", "http://192.168.1.20:8080/video")  # a name of a language, and an example to type
PLACES = f"{os.environ.get('PATH', os.defpath)}:/sbin:/usr/sbin"  # where only root's own shell looks for `ip`
PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"WEBPVP8", b"ftypisom")
WATCHED = """
import os, runpy, sys
OURS = ("127.0.0.1", "::1", "localhost", None)
def note(event, words):
    is_call = event in ("socket.connect", "socket.sendto") and words[0].family != 1 and words[1][0] not in OURS
    if is_call or (event in ("socket.getaddrinfo", "socket.gethostbyname") and words[0] not in OURS):
        with open(os.environ["NOTES"], "a") as notes: notes.write(f"{event} {words}\\n")
sys.addaudithook(note)
if __name__ == "__main__":
    runpy.run_module("tests.web.table_process", run_name="__main__")
"""


def test_every_address_in_the_page_is_its_own() -> None:
    for path in [*(ROOT / "web" / "static").rglob("*"), *(ROOT / "web" / "templates").rglob("*")]:
        if path.suffix in (".js", ".css", ".html", ".svg", ".json"):
            for address in re.findall(r"(?:https?|wss?)://\w[^\s\"'<>)]*", path.read_text(encoding="utf-8")):
                assert address in NAMES, f"{path.name}: {address}"


def alone() -> list[str]:
    """What to put before a command so that it has no network but its own loopback; nothing where that may not be."""
    words = ["unshare", "-rn", "sh", "-c", f'PATH="{PLACES}" ip link set lo up && exec "$@"', "sh"]
    if shutil.which("unshare") is None or shutil.which("ip", path=PLACES) is None:
        assert not os.environ.get("CI"), "unshare and ip must be there in CI: without them the network stays on"
        return []
    return words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else []


@pytest.mark.film
def test_a_whole_game_asks_nobody_outside_and_needs_no_network(tmp_path: Path) -> None:
    film = write_film(tmp_path / "film.json", "d6", "d7", "b6", "g7", "mill:f6xd7")
    script, notes = tmp_path / "watched.py", tmp_path / "notes"
    script.write_text(WATCHED)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    look = (
        "import json, sys, time, urllib.request\n"
        "give_up = time.monotonic() + 200\n"
        "while time.monotonic() < give_up:\n"
        f"    try: state = json.load(urllib.request.urlopen('http://127.0.0.1:{port}/api/state', timeout=5))\n"
        "    except OSError: time.sleep(0.1); continue\n"
        "    if state['game']['ply'] == 5: sys.exit(0)\n"
        "    time.sleep(0.05)\n"
        "sys.exit(1)\n"
    )
    both = f'"{sys.executable}" "{script}" "{film}" nine_mens_morris {port} "{tmp_path / "data"}" & millchen=$!; '
    both += f'"{sys.executable}" -c "$LOOK"; status=$?; kill $millchen; wait $millchen; exit $status'
    places = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(ROOT))))
    environment = {**os.environ, "PYTHONPATH": places, "NOTES": str(notes), "LOOK": look}
    done = subprocess.run([*alone(), "bash", "-c", both], cwd=ROOT, env=environment, capture_output=True, timeout=240)
    assert done.returncode == 0, done.stderr.decode()
    assert not notes.exists(), notes.read_text()


def test_no_picture_is_kept_until_somebody_asks_for_it(open_table: Open, until: Until, tmp_path: Path) -> None:
    table = open_table("d6")  # which comes with its picture
    until(lambda: table.publisher.snapshot.game.ply == 1)
    files = (path for path in tmp_path.rglob("*") if path.is_file())
    assert [path for path in files if any(mark in path.read_bytes() for mark in PICTURES)] == []
