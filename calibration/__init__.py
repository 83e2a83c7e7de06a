"""Set-up of a table, done once: camera, placement, lens, field, stones, and a profile that keeps them.

Every step is a function from pictures to a value that says how good it is, in numbers and in words; ``profile`` keeps
them, ``known_table`` finds the table again. Millchen plays without any of it; a careful set-up makes it surer.
"""
