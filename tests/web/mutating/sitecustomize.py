"""Every Python that is started with this folder on its path takes away the defence that ``MILLCHEN_MUTATION`` names.

Python loads a module of this name by itself; so the processes that a test starts lose the defence too.
"""

import os

if os.environ.get("MILLCHEN_MUTATION"):
    from tests.web.mutations import MUTATIONS, take_away

    take_away(next(one for one in MUTATIONS if one.name == os.environ["MILLCHEN_MUTATION"]))
