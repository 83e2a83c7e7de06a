"""Setting up a table: its camera in a process of its own, and the session of whoever sets it up."""
