"""Boards, positions and games as pictures."""
