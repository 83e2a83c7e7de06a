"""The commands ``millchen calibrate``, ``millchen pattern`` and ``millchen tables``."""
