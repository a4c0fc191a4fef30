"""Tries mutations and prints wrong reports: ``python -m generators.mutations`` in ``tests``, see ``run.py``."""

from __future__ import annotations

import sys

from generators.mutations.run import main

if __name__ == "__main__":
    main(sys.argv[1:])
