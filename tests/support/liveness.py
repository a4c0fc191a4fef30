"""Test whether a process is alive; Linux only."""

from __future__ import annotations

from pathlib import Path


def is_alive(process: int) -> bool:
    """Return whether the process exists and has not ended; an ended one may wait for its parent."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
