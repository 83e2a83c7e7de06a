"""Types that the bodies of several requests share; `referee.typed_json` reads and describes them."""

from __future__ import annotations

from typing import Annotated

from referee.presets import PRESETS
from referee.typed_json import limits, line, one_of

MAX_NAME_CHARACTERS = 40  # longest name of a player

Name = Annotated[str, line(MAX_NAME_CHARACTERS, 0)]
GameName = Annotated[str, one_of(*PRESETS)]
SourceName = Annotated[str, line(1000)]
Pixel = Annotated[float, limits(minimum=-1e5, maximum=1e5)]
Place = tuple[Pixel, Pixel]  # x and y in a picture
Corners = tuple[Place, Place, Place, Place]
