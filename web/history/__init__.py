"""Games that have been played: read, listed, exported."""
