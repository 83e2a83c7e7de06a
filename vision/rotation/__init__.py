"""Boards whose rings turn: the geometry of the discs, and by how much each of them has turned."""
