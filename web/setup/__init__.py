"""Setting up a table: its camera in a process of its own, and the session of the person at the page."""
