"""A club evening: several tables, one scoreboard, one archive."""
