"""Where frames come from: cameras, addresses, films and folders of pictures. Nothing but commands imports this."""
