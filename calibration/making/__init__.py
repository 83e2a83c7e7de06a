"""How a board is made: templates, steps, paints, sizes, and the check of the finished board."""
