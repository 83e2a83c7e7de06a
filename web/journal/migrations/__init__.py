"""Steps from one format of the journal to the next, in Alembic's form: one file a step, `upgrade` only.

What the journal holds is history, so no step ever goes back; a copy is made before any is taken (`migrate.py`).
"""
