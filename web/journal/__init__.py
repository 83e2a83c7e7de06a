"""The journal: an append-only table of events, its file and schema, its migrations, and the data folder."""
