"""Loads the templates of the pages one at a time, whatever is asked for at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, MutableMapping
from typing import Any

from flask.templating import DispatchingJinjaLoader
from jinja2 import Environment, Template


class OneAtATimeLoader(DispatchingJinjaLoader):
    """Loads one template after the other.

    A page asks for several parts at once, and each may be the first to need its template. Jinja reads literals with
    Python's own parser, which up to Python 3.11.7 counts the depth of all threads together and then fails with
    "AST constructor recursion depth mismatch" (https://github.com/python/cpython/issues/106905).
    """

    _one_at_a_time = threading.RLock()

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002, Jinja's own name
    ) -> Template:
        """Return a template, compiled; asked for only where the environment does not keep it yet."""
        load: Callable[..., Template] = super().load
        with self._one_at_a_time:
            return load(environment, name, globals)
