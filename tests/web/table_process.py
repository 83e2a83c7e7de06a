"""A Millchen with scripted eyes, as a process of its own that tests may kill: FILM GAME PORT DATA [ask]."""

import sys
from pathlib import Path

from tests.web.scripted_eyes import look
from web.hosted_tables import TableRequest
from web.main import PageRequest, serve

if __name__ == "__main__":
    film, game, port, data, *more = sys.argv[1:]
    request = TableRequest(film, game)
    asks = "ask" in more  # whoever else has an account on the machine of these tests
    sys.exit(serve(PageRequest([request], int(port), opens_browser=False, data=Path(data), asks_for_link=asks), look))
