"""Tries mutations and prints what should not be: see ``run.py``."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).parents[3]
    sys.path[:0] = [str(root / "analysis"), str(root / "tests")]
    from run import main

    main(sys.argv[1:])
