"""Files as the analysis sees them: each is read once per run, so that all of a run speaks of one state of the disk."""

from __future__ import annotations

import os
from pathlib import Path

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")


class DiskReader:
    """The reader that the analysis is given (``snd_analysis.workspace.Reader``).

    A byte order mark is dropped: columns count without it.
    """

    def __init__(self) -> None:
        self.absent: set[str] = set()
        """Paths that were looked for in vain. A file that appears at one of them may change what others mean."""
        self._outcomes: dict[str, str | Exception] = {}

    def read(self, path: str) -> str:
        """Text of the file; FileNotFoundError if there is none, ``UnreadableText`` if it has no text."""
        outcome = self._outcomes.get(path)
        if outcome is None:
            outcome = self._outcomes[path] = _read(path)
        if isinstance(outcome, FileNotFoundError):
            self.absent.add(path)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def exists(self, path: str) -> bool:
        """Whether a regular file is at ``path`` (or was provided for it)."""
        if isinstance(self._outcomes.get(path), str) or os.path.isfile(path):
            return True
        self.absent.add(path)
        return False

    def provide(self, path: str, content: bytes) -> None:
        """Take ``content`` for the file at ``path``, whatever the disk says."""
        self._outcomes[path] = _decoded(content)


def write_text(path: str, text: str) -> None:
    """Replace the text of a file, keeping its byte order mark if it has one. Raises OSError."""
    file = Path(path)
    with file.open("rb") as stream:
        has_mark = stream.read(len(_BOM)) == _BOM
    file.write_bytes((_BOM if has_mark else b"") + text.encode())


def _read(path: str) -> str | Exception:
    try:
        return _decoded(Path(path).read_bytes())
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, ValueError):
        return FileNotFoundError(path)
    except OSError as error:
        return _unreadable("unreadable-file", f"the file cannot be read: {error.strerror or error}", 0)


def _decoded(content: bytes) -> str | Exception:
    content = content.removeprefix(_BOM)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        if content.startswith(_WIDE_BOMS):
            return _unreadable("invalid-encoding", "the file is encoded in UTF-16 or UTF-32; SkriptND is UTF-8", 0)
        offset = len(content[: error.start].decode())
        found = f"byte 0x{content[error.start]:02X} at offset {error.start}"
        return _unreadable("invalid-encoding", f"the file is not UTF-8: {found} is not part of any character", offset)


def _unreadable(rule: str, message: str, offset: int) -> Exception:
    from snd_analysis.workspace import UnreadableText

    return UnreadableText(message=message, rule=rule, offset=offset)
