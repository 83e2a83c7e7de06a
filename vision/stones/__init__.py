"""Stones on the points: appearance of stones and bare points, likelihoods, and the reader of single photographs."""
