"""The name of a table in, its profile out: a folder has one file per table.

A new file is written, synced and renamed over the old one, so that a power cut leaves either the old or the new one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from platformdirs import user_data_path

from calibration.profile import (
    MAX_PROFILE_BYTES,
    Profile,
    checked_table_name,
    is_table_name,
    profile_from_text,
    profile_to_text,
)
from calibration.step_texts import Refused


class ProfileFolder:
    """The folder of the profiles, in Millchen's data folder: by default in the usual place of the system."""

    def __init__(self, data: Path | None = None) -> None:
        base = data if data is not None else user_data_path("millchen", appauthor=False)
        self.folder = base / "tables"

    def names(self) -> list[str]:
        """Return the names of all profiles, sorted."""
        if not self.folder.is_dir():
            return []
        return sorted(p.stem for p in self.folder.iterdir() if p.suffix == ".json" and is_table_name(p.stem))

    def has(self, name: str) -> bool:
        """Return whether there is a profile of this name, whatever its capitals."""
        return self._path(name).is_file()

    def load(self, name: str) -> Profile:
        """Return the profile of a name; Refused when it is unknown or cannot be used."""
        path = self._existing(name)
        return replace(read_profile(path), name=path.stem)

    def save(self, profile: Profile) -> Path:
        """Write a profile into the folder, all of it or nothing; return the path of its file."""
        name = checked_table_name(profile.name)
        for folder in (self.folder.parent, self.folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(name)
        write_profile(path, replace(profile, name=name))
        return path

    def delete(self, name: str) -> None:
        """Delete a profile, also one that cannot be read any more; Refused when it is unknown."""
        self._existing(name).unlink()

    def _existing(self, name: str) -> Path:
        name = checked_table_name(name)
        if not self.has(name):
            raise Refused("profile.unknown", name=name, names=", ".join(self.names()) or "–")
        return self._path(name)

    def _path(self, name: str) -> Path:
        """Return the file of a name; names that differ only in capitals are one table, as on most disks."""
        stem = next((other for other in self.names() if other.casefold() == name.casefold()), name)
        return self.folder / f"{stem}.json"


def read_profile(path: Path) -> Profile:
    """Return the profile in a file; Refused when it is not a profile, or cannot be used."""
    try:
        about = path.stat()
        if about.st_size > MAX_PROFILE_BYTES or not (path.is_file() or path.is_dir()):  # a pipe may never end
            raise Refused("profile.none", where=path.name)
        content = path.read_bytes()
        text = content.decode()
    except UnicodeDecodeError:
        raise Refused("profile.no_json" if b"millchen_table" in content else "profile.none", where=path.name) from None
    except OSError as why:
        raise Refused("profile.no_file", where=str(path), why=why.strerror or str(why)) from None
    return profile_from_text(text, path.name)


def write_profile(path: Path, profile: Profile) -> None:
    """Write a profile to a temporary file, sync it, and rename it to its place."""
    text = profile_to_text(profile)
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # an address may hold a password
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    with suppress(OSError):  # Windows has no directories that can be synced
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
