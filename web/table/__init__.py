"""The live table: the child process with the camera, its supervisor, and the game that is being played."""
