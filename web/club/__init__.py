"""A club evening: several tables, one scoreboard and one archive."""
