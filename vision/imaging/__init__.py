"""Images and the spaces of their pixels: frames, homographies, lenses, the field, its patches and its view."""
