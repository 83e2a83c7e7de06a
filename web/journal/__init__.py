"""The journal: an append-only table of events in one file, and the data folder."""
