"""The languages that Millchen ships with: their sentences are known to the letter, those of a new language are not."""

SHIPPED_LANGUAGES = ("lb", "de", "fr", "en")
