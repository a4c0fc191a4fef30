"""``snd`` in a process of its own."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[3]


def environment() -> dict[str, str]:
    """For ``python -m snd_server`` in a process of its own."""
    packages = os.pathsep.join(str(ROOT / room) for room in ("analysis", "runtime", "server"))
    return {**os.environ, "PYTHONPATH": packages}
