"""Whether a process goes on; Linux only."""

from __future__ import annotations

from pathlib import Path


def is_alive(process: int) -> bool:
    """Whether it is there and has not ended; of what ended, whoever is its parent now may still have to be told."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
