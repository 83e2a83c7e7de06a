"""Thinking in a process of its own, so that neither the eyes nor the page wait for it."""
