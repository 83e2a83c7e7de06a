"""One game, rebuilt from its records: replay, commands of players, corrections, clock, and the JSON for pages."""
