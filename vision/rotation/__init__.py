"""Boards whose rings turn: geometry of the discs, and by how much each has turned."""
