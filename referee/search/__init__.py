"""Thinking ahead: what to play, who stands better and why. Needs the referee and Python's standard library only.

``think.think`` answers for every game: by an exact table where the game is solved (``docs/SOLVED.md``), else by
alpha-beta, all through the referee's own moves.
"""
