"""``snd check --watch``: checks again whenever something changes that may change the outcome."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from snd_server.checking.request import CheckRequest
from snd_server.commands.check import INTERRUPTED, run_under
from snd_server.console.terminal import say
from snd_server.settings.config import Configurations
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.discovery import NNEF1_FILES, NNEF1_SUFFIXES, SUFFIX, MissingPathError, discover

_CONFIGURATION = frozenset({"snd.toml", "pyproject.toml", ".gitignore"})
_SUFFIXES = (SUFFIX, *NNEF1_FILES, *NNEF1_SUFFIXES, ".dat", ".safetensors")
"""Suffixes of texts, archives, and the tensors that texts are compared with."""
_PAUSE_MILLISECONDS = 50
"""Time without a change after which the watcher reports that there was none."""
_CLEAR_SCREEN = "\x1b[2J\x1b[3J\x1b[H"


def watch_and_check(request: CheckRequest) -> int:
    """Run until it is interrupted; return the exit status of that. Mistakes in the configuration only wait."""
    places: list[str] = []
    changes: Iterator[object] = iter(())
    named: set[str] = set()
    try:
        while True:
            # The watcher starts before the check, so that it notes changes during the check.
            while places != (places := _places(request.paths, inputs := _inputs(request))):
                named.update(os.path.abspath(path) for path in (*request.paths, *inputs))
                changes = _changes(places, named)
            _check_once(request)
            while not next(changes):
                pass
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR_SCREEN)
    except (KeyboardInterrupt, StopIteration):
        return INTERRUPTED


def _changes(places: Sequence[str], named: Container[str]) -> Iterator[object]:
    """Yield relevant changes from now on; yield an empty set repeatedly while nothing changes."""
    from watchfiles import watch

    matters = partial(_matters, named)
    changes = watch(*places, watch_filter=matters, rust_timeout=_PAUSE_MILLISECONDS, yield_on_timeout=True)
    return chain([next(changes)], changes)  # the watcher begins when it is asked first


def _inputs(request: CheckRequest) -> set[str]:
    """Return the inputs of the outcome besides the requested paths: configurations and module paths."""
    inputs: set[str] = set() if request.config is None else {request.config}
    try:
        configurations = Configurations(request.config, pulse=request.pulse)
        for path in discover(request.paths, configurations, (SUFFIX, *NNEF1_SUFFIXES)):
            configurations.of_file(path)
        inputs |= configurations.inputs()
    except (ConfigError, MissingPathError, OSError):
        pass  # the check says so
    return inputs


def _check_once(request: CheckRequest) -> None:
    try:
        run_under(Configurations(request.config, pulse=request.pulse), request)
    except (ConfigError, MissingPathError, OSError) as error:
        say(f"Error: {error}", err=True)
    if not request.quiet:
        say("Watching for changes; stop with Ctrl+C", err=True)


def _matters(named: Container[str], change: object, path: str) -> bool:
    return path.endswith(_SUFFIXES) or os.path.basename(path) in _CONFIGURATION or path in named


def _places(paths: Iterable[str], inputs: Iterable[str]) -> list[str]:
    """Return the folders to watch, with all below them: requested folders, and the folders of requested files."""
    places = {path if os.path.isdir(path) else os.path.dirname(path) or os.curdir for path in paths}
    return sorted(path for path in places.union(inputs) if os.path.exists(path)) or [os.curdir]
