"""Images and the spaces that their pixels lie in: frames, homographies, lenses, the field and its patches."""
