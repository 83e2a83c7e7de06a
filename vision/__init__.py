"""Evidence from pictures: where the field lies and what stands on it."""
