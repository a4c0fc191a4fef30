"""``-v``: whether an internal error shows its traceback."""

from __future__ import annotations

import sys
import traceback

_shown = False


def show_tracebacks(shown: bool = True) -> None:
    """Let internal errors of this process show their traceback on standard error, or no longer."""
    global _shown
    _shown = shown


def show_traceback(detail: str | None = None) -> None:
    """Show the traceback of the exception that is being handled, or ``detail``, if ``-v`` asks for tracebacks."""
    if _shown:
        print(detail.rstrip() if detail is not None else traceback.format_exc().rstrip(), file=sys.stderr)
