"""Pages and the JSON API: one frozen snapshot in, HTML or JSON out."""
