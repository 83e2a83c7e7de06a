"""The shell: page, journal, clock and the loop of a live table."""
