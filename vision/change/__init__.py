"""Change detection: what has changed at each point since the last accepted frame."""
