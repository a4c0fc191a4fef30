"""``snd check --watch``: checks again whenever something changes that may change the outcome."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable, Iterator
from functools import partial

from snd_server.config import ConfigError, Configurations
from snd_server.discovery import SUFFIX, MissingPathError
from snd_server.request import CheckRequest
from snd_server.run import INTERRUPTED, run_under
from snd_server.terminal import say

_CONFIGURATION = frozenset({"snd.toml", "pyproject.toml", ".gitignore"})
_CLEAR_SCREEN = "\x1b[2J\x1b[3J\x1b[H"


def watch_and_check(request: CheckRequest) -> int:
    """Run until it is interrupted; return the exit status of that. Mistakes in the configuration only wait."""
    from watchfiles import watch

    places: list[str] = []
    changes: Iterator[object] = iter(())
    named: set[str] = set()
    try:
        while True:
            inputs = _check_once(request)
            named.update(os.path.abspath(path) for path in (*request.paths, *inputs))
            if places != (places := _places(request.paths, inputs)):
                # only if need be: the watcher that stands also remembers what changed during the check
                changes = watch(*places, watch_filter=partial(_matters, named), raise_interrupt=True)
            next(changes)
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR_SCREEN)
    except (KeyboardInterrupt, StopIteration):
        return INTERRUPTED


def _check_once(request: CheckRequest) -> set[str]:
    """Check and show; returns what decided the outcome besides the paths that were asked for."""
    inputs: set[str] = set() if request.config is None else {request.config}
    try:
        configurations = Configurations(request.config)
        run_under(configurations, request)
        inputs |= configurations.inputs()
    except (ConfigError, MissingPathError, OSError) as error:
        say(f"Error: {error}", err=True)
    if not request.quiet:
        say("Watching for changes; stop with Ctrl+C", err=True)
    return inputs


def _matters(named: Container[str], change: object, path: str) -> bool:
    return path.endswith(SUFFIX) or os.path.basename(path) in _CONFIGURATION or path in named


def _places(paths: Iterable[str], inputs: Iterable[str]) -> list[str]:
    """Return what to watch: folders with all below them, and for a file that was asked for what lies beside it."""
    places = {path if os.path.isdir(path) else os.path.dirname(path) or os.curdir for path in paths}
    return sorted(path for path in places.union(inputs) if os.path.exists(path)) or [os.curdir]
