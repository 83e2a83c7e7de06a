"""The rules of the mill games."""
