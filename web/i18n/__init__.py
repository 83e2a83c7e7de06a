"""The words of the page and of its errors, in every language."""
