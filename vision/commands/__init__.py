"""Parts that all commands share: their parser and their common arguments."""
