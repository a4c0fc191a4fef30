"""The command ``snd``. Subcommands are loaded when they are called for: start-up is part of every check."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

from snd_server.console.interruption import repeat, stop_repeating
from snd_server.limits import DEEPEST_RECURSION

_SERVERS = frozenset(("lsp", "mcp"))
_INTERRUPTED = 130


class _Terminated(KeyboardInterrupt):
    """SIGTERM or ctrl-C: the command ends, and leaves no unfinished files."""


def main() -> None:
    """Entry point. Exit status: 0 clean, 1 problems, 2 misuse or I/O, 101 a fault of ours, 130 interrupted."""
    allow_deep_recursion()
    before: dict[signal.Signals, Any] = {}
    if _SERVERS.isdisjoint(sys.argv[1:3]):
        with suppress(ValueError):  # outside of the main thread
            for number in (signal.SIGINT, signal.SIGTERM):
                before[number] = signal.signal(number, _terminate)
    try:
        sys.exit(_run())
    except KeyboardInterrupt:
        stop_repeating()
        sys.exit(_INTERRUPTED)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _terminate(number: int, frame: FrameType | None) -> None:
    """Raise ``_Terminated``, and again in a second: Python drops exceptions in callbacks, as of weak references."""
    repeat(_terminate)
    raise _Terminated


def allow_deep_recursion() -> None:
    """Let Python functions of this process call each other as deeply as the analysis needs."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST_RECURSION))


def _run() -> int:
    import click

    from snd_server.cli.root import snd
    from snd_server.console.tracebacks import show_tracebacks

    show_tracebacks(False)
    try:
        status = snd.main(prog_name="snd", standalone_mode=False)
    except click.ClickException as error:
        import io

        from snd_server.console.terminal import show, visible_lines

        message = io.StringIO()
        error.show(message)
        show(visible_lines(message.getvalue()), err=True)
        return 2
    except click.Abort:
        return _INTERRUPTED
    except SystemExit:  # how click ends when the reader of our output has gone; it has silenced the stream
        return 2
    except OSError as error:
        from snd_server.console.terminal import say

        where = f"{error.filename}: " if error.filename and error.strerror else ""
        say(f"Error: {where}{error.strerror or error}", err=True)
        return 2
    except Exception as error:
        return _fault(error)
    return status if isinstance(status, int) else 0


def _fault(error: Exception) -> int:
    from snd_server.console.terminal import say
    from snd_server.console.tracebacks import show_traceback

    show_traceback()
    what = f"{type(error).__name__}: {error}"
    say(f"snd itself failed ({what}). Please report this; -v shows the traceback", err=True)
    return 101
