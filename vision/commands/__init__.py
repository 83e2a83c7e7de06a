"""The commands ``millchen read`` and ``millchen watch``."""
