"""Prints every diagnostic of programs, which standard input has as JSON: ``[{"a.sknd": "…", …}, …]``.

As a process of its own it can have a seed of hashes of its own: ``python -m support.all_diagnostics``.
"""

from __future__ import annotations

import sys

import msgspec

from support.memory import check


def main() -> None:
    """Print a line for each diagnostic, in the order in which the analysis tells them."""
    for number, files in enumerate(msgspec.json.decode(sys.stdin.buffer.read(), type=list[dict[str, str]])):
        for path, found in check(files).items():
            for diagnostic in found:
                sys.stdout.write(f"{number} {path} {diagnostic!r}\n")


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main()
