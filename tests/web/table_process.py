"""A Millchen with scripted eyes, as a process of its own that tests may kill: FILM GAME PORT DATA."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.web.scripted_eyes import look
from web.hosted_tables import TableRequest
from web.main import serve

if __name__ == "__main__":
    film, game, port, data = sys.argv[1:]
    sys.exit(serve([TableRequest(film, game)], int(port), open_browser=False, data_dir=Path(data), vision_target=look))
