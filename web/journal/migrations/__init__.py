"""Migrations of the journal in Alembic's form: one file for each schema version, with `upgrade` only.

The journal is history, so no migration goes back. A backup is made before any of them runs (`migrate.py`).
"""
