"""The small neural networks that judge patches and find holes, with their weights beside them."""
