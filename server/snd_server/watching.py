"""``snd check --watch``: checks again whenever something changes that may change the outcome."""

from __future__ import annotations

import os
import sys

import click

from snd_server.config_schema import ConfigError
from snd_server.discovery import SUFFIX, MissingPathError
from snd_server.request import CheckRequest
from snd_server.run import INTERRUPTED, run_and_watch

_CONFIGURATION = frozenset({"snd.toml", "pyproject.toml", ".gitignore"})
_CLEAR_SCREEN = "\x1b[2J\x1b[3J\x1b[H"


def watch_and_check(request: CheckRequest) -> int:
    """Runs until it is interrupted; returns the exit status of that. Mistakes in the configuration only wait."""
    from watchfiles import Change, watch

    named = {os.path.abspath(path) for path in request.paths}

    def matters(change: Change, path: str) -> bool:
        name = os.path.basename(path)
        return path.endswith(SUFFIX) or name in _CONFIGURATION or path in named

    _check_once(request)
    try:
        for _ in watch(*_folders(request), watch_filter=matters, raise_interrupt=False):
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR_SCREEN)
            _check_once(request)
    except KeyboardInterrupt:
        pass
    return INTERRUPTED


def _check_once(request: CheckRequest) -> None:
    try:
        run_and_watch(request)
    except (ConfigError, MissingPathError, OSError) as error:
        click.echo(f"Error: {error}", err=True)
    if not request.quiet:
        click.echo("Watching for changes; stop with Ctrl+C", err=True)


def _folders(request: CheckRequest) -> list[str]:
    """Folders to watch: those named, and those of the files named, since modules lie beside them."""
    folders = {path if os.path.isdir(path) else os.path.dirname(path) or os.curdir for path in request.paths}
    return sorted(folders)
