"""The live table: the vision process with the camera, its supervisor, and the game that is being played."""
