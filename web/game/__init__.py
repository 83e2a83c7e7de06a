"""One game as records tell it: replay, commands of players, corrections, the clock, and what pages see of it."""
