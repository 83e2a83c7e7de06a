"""The errors for expected failures of the program: their messages are written for players."""

from __future__ import annotations


class MillchenError(Exception):
    """Something the program needs cannot be used; the message is one sentence that a player can act on."""


class NotWrittenError(MillchenError):
    """The journal could not be written: what was asked for was not done, and will not be done later either."""


class StaleCommandError(MillchenError):
    """The game has gone on since the sender of a command looked at it: nothing was done."""


class LessonStandsError(MillchenError):
    """Something would have laid the stones of a lesson otherwise than it has them: nothing was done."""


class ImpossibleEventError(MillchenError):
    """What vision has reported cannot follow on the game: nothing was written."""


UNREADABLE = (MillchenError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""Errors of reading a record that another program may have written: its entries may be of any type."""
