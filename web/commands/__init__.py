"""The commands ``millchen games`` and ``millchen doctor``, and the words that the page's command takes."""
