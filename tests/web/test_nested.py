"""60,000 brackets are refused as a mistake of whoever sent them, on every route."""

from __future__ import annotations

import pytest
from flask import Flask

from web.app import ROUTES

JSON_ROUTES = [
    route.rule.replace("<int:number>", "1").replace("<name>", "millchen")
    for route in ROUTES
    if route.method == "POST" and not isinstance(route.body, tuple)
]


@pytest.mark.parametrize("body", ["[" * 60_000, '{"game":' * 8_000, '{"game": ' + "[" * 900 + "]" * 900 + "}"])
def test_json_that_is_nested_without_end_is_refused_by_every_route_with_a_sentence(app: Flask, body: str) -> None:
    client = app.test_client()
    assert len(JSON_ROUTES) > 30
    for path in JSON_ROUTES:
        answer = client.post(
            path, data=body, content_type="application/json", base_url="http://127.0.0.1:8321",
            headers={"Accept-Language": "fr"},
        )  # fmt: skip
        assert answer.status_code in (400, 404), path
        if answer.status_code == 400:
            assert "trop de crochets emboîtés" in answer.get_json()["error"]["text"], path
