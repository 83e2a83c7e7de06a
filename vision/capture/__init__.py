"""Sources of frames: cameras, network addresses, films and folders of pictures. Only commands and ``web`` use it."""
