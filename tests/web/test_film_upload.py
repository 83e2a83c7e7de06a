"""A film or photographs that are picked on the page become the source of a game, and are gone when nobody looks."""

import os
import shutil
import stat
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.browsing import Stage, expect, settles_within
from web.hosted_tables import AppContext
from web.net import film_upload
from web.table.source_names import find_demo

MP4 = b"\x00\x00\x00\x20ftypisom" + bytes(40)
JPEG = b"\xff\xd8\xff" + bytes(20)


def post(client: FlaskClient, path: str, body: Any) -> Any:
    raw = isinstance(body, bytes)
    kind = {"data": body, "content_type": "application/octet-stream"} if raw else {"json": body}
    return client.post(path, base_url="http://127.0.0.1:8321", **kind)


def announce(client: FlaskClient, *files: tuple[str, int]) -> Any:
    return post(client, "/api/uploads", {"files": [{"name": name, "bytes": n} for name, n in files]})


def test_pieces_become_a_file_of_the_owner_alone_under_a_name_of_our_own(app: Flask, shell: AppContext) -> None:
    client, folder = app.test_client(), shell.table.uploads.folder
    source = announce(client, ("../../etc/My holidays.MP4", len(MP4))).get_json()["source"]
    assert post(client, f"/api/uploads/{source}/0?at=0", MP4[:30]).status_code == 200
    assert post(client, f"/api/uploads/{source}/0?at=10", MP4[10:]).status_code == 422  # not the next piece
    assert post(client, f"/api/uploads/{source}/done", {}).status_code == 422  # not whole
    assert post(client, "/api/source", {"source": source}).status_code == 422
    assert post(client, f"/api/uploads/{source}/0?at=30", MP4[30:]).status_code == 200
    assert post(client, f"/api/uploads/{source}/0?at={len(MP4)}", b"more").status_code == 422
    assert post(client, f"/api/uploads/{source}/done", {}).status_code == 200
    file = shell.table.uploads.place_of(source)
    assert file.read_bytes() == MP4 and file.name == "0001.mp4" and file.parent.parent == folder
    if os.name != "nt":
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    second = announce(client, ("b.jpg", len(JPEG)), ("c.jpg", len(JPEG))).get_json()["source"]
    assert not file.exists()  # nobody looked at it
    for k in range(2):
        assert post(client, f"/api/uploads/{second}/{k}?at=0", JPEG).status_code == 200
    post(client, f"/api/uploads/{second}/done", {})
    assert sorted(path.name for path in shell.table.uploads.place_of(second).iterdir()) == ["0001.jpg", "0002.jpg"]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ([], "pick one film"), ([("notes.txt", 5)], "pick one film"), ([("a.mp4", 5), ("b.mp4", 5)], "pick one film"),
        ([("a.jpg", 5), ("b.mp4", 5)], "pick one film"), ([("a.mp4", 2_000_000_001)], "at most 2 GB"),
        ([("a.jpg", 5)] * 501, "at most 500"),
    ],
)  # fmt: skip
def test_what_is_no_film_or_too_much_is_refused_in_one_sentence(app: Flask, files: Any, says: str) -> None:
    answer = announce(app.test_client(), *files)
    assert answer.status_code == 422 and says in answer.get_json()["error"]["text"]


def test_full_disk_and_long_piece_are_refused(app: Flask, shell: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    client = app.test_client()
    source = announce(client, ("a.mp4", 5_000_000)).get_json()["source"]
    assert post(client, f"/api/uploads/{source}/0?at=0", MP4 + bytes(2_000_000)).status_code == 413
    assert client.post(f"/api/uploads/{source}/0?at=0", base_url="http://127.0.0.1:8321", json={}).status_code == 415
    for path in (f"/api/uploads/{source}/7?at=0", "/api/uploads/upload:no/0?at=0"):
        assert post(client, path, MP4).status_code == 422
    usage = shutil.disk_usage("/")._replace(free=film_upload.SPARE_BYTES)
    monkeypatch.setattr(film_upload.shutil, "disk_usage", lambda _: usage)
    assert "make 6 MB of room" in announce(client, ("a.mp4", 5_000_000)).get_json()["error"]["text"]
    for name in ("upload:../..", "upload:", "upload:0123456789abcdef"):
        refused = post(client, "/api/source", {"source": name})
        assert refused.status_code == 422 and str(shell.table.uploads.folder) not in refused.get_data(as_text=True)


def test_a_film_is_picked_watched_and_gone_when_the_table_looks_elsewhere(stage: Stage) -> None:
    page = stage.show("d6")
    page.set_viewport_size({"width": 390, "height": 800})
    page.click("#choose")
    page.click("[data-step=source]")
    page.locator("#film-choice").check(force=True)
    page.click("#chooser-new")
    expect(page.locator("#chooser-error")).to_have_text("Pick a film or photographs first.")
    page.set_input_files("#film-file", find_demo().video)
    expect(page.locator("#film-said")).to_contain_text("Taken in: ")
    settles_within(page, 390)
    page.click("#chooser-new")
    expect(page.locator("#chooser")).to_be_hidden()
    source = stage.table.publisher.snapshot.source
    assert source.kind == "file" and source.name.startswith("upload:")
    file = stage.table.uploads.place_of(source.name)
    assert file.read_bytes() == find_demo().video.read_bytes()
    page.click("#choose")
    page.click("[data-step=source]")
    expect(page.locator("#film-choice")).to_be_checked()
    page.locator("[name='source'][value='hand']").check(force=True)
    page.click("#chooser-new")
    expect(page.locator("#chooser")).to_be_hidden()
    assert not file.exists()
