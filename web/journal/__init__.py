"""The journal: an append-only table of events, its file, its formats, and the folder in which it lies."""
