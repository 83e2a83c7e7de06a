"""The commands ``millchen games`` and ``millchen doctor``, and the arguments of the page's command."""
