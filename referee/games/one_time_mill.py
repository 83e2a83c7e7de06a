"""The Russian one-time mill: each line pays only once.

Source: Sanmill (``OneTimeMillRuleSettings`` in rule_settings.dart: oneTimeUseMill, mayRemoveFromMillsAlways; mayFly, as
all its games have that do not say otherwise).
"""

from dataclasses import replace

from referee.standard_games import MORRIS_OPTIONS, NINE_MENS_MORRIS_RULES, SQUARE_SHAPES
from referee.variant import Preset

GAME = Preset(
    replace(
        NINE_MENS_MORRIS_RULES,
        name="one_time_mill",
        one_time=True,  # Sanmill: oneTimeUseMill
        protect="never",  # Sanmill: mayRemoveFromMillsAlways; its older C++ table protects: protect=unless_all
        fly="own",  # Sanmill: mayFly
    ),
    offers={name: source for name, source in MORRIS_OPTIONS.items() if name != "one_time"},
    shapes=SQUARE_SHAPES,
)
