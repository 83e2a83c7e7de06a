"""The small networks that judge patches, with their weights beside them."""
