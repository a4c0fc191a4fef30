"""``-`` among paths: standard input."""

from __future__ import annotations

import click


def stdin_name(paths: tuple[str, ...], name: str | None) -> str | None:
    """Return the name of standard input; None if it is not read. Raise UsageError if other paths are given, too."""
    if paths not in ((), ("-",)) and (name is not None or "-" in paths):
        raise click.UsageError("standard input (-) can't be combined with other paths")
    return name or "<stdin>" if paths == ("-",) else name
