"""Results of earlier runs, keyed by content.

An entry is valid while its file, the files it depends on, and the places where files were looked for are unchanged. A
run goes on without a faulty cache (damaged, read-only, not ours). The entries decide which diagnostics are reported, so
the folder must be private to the user, or it is not used.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256

from msgspec.structs import astuple

from snd_analysis.base import Diagnostic, ProjectSettings
from snd_server import __version__
from snd_server.checking.cached_diagnostics import decoded, encoded
from snd_server.limits import MOST_ENTRY_BYTES
from snd_server.workspace_files.reading import read_file

_DAY = 86_400.0
_KEPT_DAYS = 30
_ENTRY = re.compile(r"[0-9a-f]{62}(\.\d+)?")

Digest = Callable[[str], str | None]
"""Digest of the text of a file; None if it has none."""


class Cache:
    """The entries in one folder; see ``default_folder``."""

    def __init__(self, folder: str, digest: Digest, exists: Callable[[str], bool]) -> None:
        self._folder = folder
        self._digest = digest
        self._exists = exists
        self._tool = _tool_digest()
        self._stored = False
        self._is_private = is_private(folder)

    def load(self, path: str, settings: ProjectSettings) -> tuple[Diagnostic, ...] | None:
        """Return the diagnostics of the current file, if they are known."""
        if not self._is_private:
            return None
        file = self._file(path, settings)
        try:
            stored_digest, _, payload = read_file(file, MOST_ENTRY_BYTES).decode().partition("\n")
            if stored_digest != _sha(payload):
                return None
            entry = json.loads(payload)
            if any(self._digest(name) != digest for name, digest in entry["dependencies"].items()):
                return None
            if any(self._exists(place) is not found for place, found in entry["looked for"].items()):
                return None
            diagnostics = decoded(entry["diagnostics"])
            _confirm(file)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None
        return diagnostics

    def store(
        self,
        path: str,
        settings: ProjectSettings,
        diagnostics: Iterable[Diagnostic],
        dependencies: Iterable[str],
        looked_for: Mapping[str, bool],
    ) -> None:
        """Store the diagnostics of a file and their dependencies: texts, and the existence of files."""
        if not self._is_private:
            return
        entry = {
            "dependencies": {name: self._digest(name) for name in dependencies},
            "looked for": looked_for,
            "diagnostics": encoded(diagnostics),
        }
        payload = json.dumps(entry, separators=(",", ":"))
        file = self._file(path, settings)
        unfinished = f"{file}.{os.getpid()}"
        try:
            for folder in (self._folder, os.path.dirname(file)):
                os.makedirs(folder, 0o700, exist_ok=True)
            with open(unfinished, "w", encoding="utf-8") as stream:
                stream.write(f"{_sha(payload)}\n{payload}")
            os.replace(unfinished, file)
        except OSError:
            return
        self._stored = True

    def close(self) -> None:
        """Remove, now and then, entries that no run has stored or confirmed for a month."""
        if not self._stored:
            return
        from pathlib import Path  # takes as long to load as a small file to check

        marker = Path(self._folder, "swept")
        try:
            if marker.exists() and _age(marker) < _DAY:
                return
            marker.touch()
            for file in Path(self._folder).glob("??/*"):
                if _ENTRY.fullmatch(file.name) and _age(file) > _KEPT_DAYS * _DAY:
                    file.unlink()
        except OSError:
            return

    def _file(self, path: str, settings: ProjectSettings) -> str:
        key = _sha(json.dumps([self._tool, os.getcwd(), *astuple(settings), path, self._digest(path)]))
        return os.path.join(self._folder, key[:2], key[2:])


def default_folder() -> str:
    """Return ``SND_CACHE_DIR``, or the user's cache folder for snd."""
    from_environment = os.environ.get("SND_CACHE_DIR")
    if from_environment:
        return from_environment
    from platformdirs import user_cache_dir

    return user_cache_dir("snd", appauthor=False)


def is_private(folder: str) -> bool:
    """Return whether only the user can write to a folder; also if it is not there yet."""
    if sys.platform == "win32":  # rights of folders are inherited from that of the user there
        return True
    try:
        state = os.stat(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & 0o022


def _age(file: str | os.PathLike[str]) -> float:
    return time.time() - os.stat(file).st_mtime


def _confirm(file: str) -> None:
    if _age(file) > _DAY:
        os.utime(file)


def text_digest(text: str) -> str:
    """Digest of a text."""
    return _sha(text)


def _sha(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _tool_digest() -> str:
    """Return a digest of the code that decides diagnostics: of its files' names, sizes and times."""
    import snd_analysis

    states: list[tuple[str, int, int]] = []
    folders = [os.path.dirname(snd_analysis.__file__), os.path.dirname(__file__)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.extend([] if entry.name == "__pycache__" else [entry.path])
                    continue
                status = entry.stat()
                states.append((entry.path, status.st_size, status.st_mtime_ns))
    return _sha(json.dumps([__version__, sorted(states)]))
