"""The commands that look at tables: ``read``, ``watch``, ``calibrate``, ``tables``, ``pattern`` and ``make``."""
