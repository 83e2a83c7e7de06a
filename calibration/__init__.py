"""Set-up of a table, done once: lens, placement, colours, a profile to keep.

There is no code here yet. Millchen finds the field in the picture and learns the stones' colours while the game
is played, so that no set-up is asked of the players; what a careful set-up could add will live here.
"""
