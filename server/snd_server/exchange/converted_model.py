"""The folder that ``snd convert`` writes: its files, its errors, and a line about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Severity
from snd_analysis.skriptnd.names import format_modules
from snd_runtime.files import write_npz, write_safetensors
from snd_server.checking.checker import Checker
from snd_server.checking.report import Report
from snd_server.console.colours import paint
from snd_server.console.terminal import say, show
from snd_server.exchange.conversion_request import FAULT, PROBLEMS, ConvertRequest
from snd_server.render.reports import full
from snd_server.running.arguments import ArgumentError
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings

Array: TypeAlias = np.ndarray[Any, Any]
_WEIGHTS = "weights"


def demand_output(request: ConvertRequest) -> None:
    """Raise ArgumentError if the model may not be written where it is to go."""
    if os.path.exists(request.output) and not os.path.isdir(request.output):
        raise ArgumentError(f"{request.output} is a file, and models are written into a folder")
    if os.path.isdir(request.output) and os.listdir(request.output) and not request.force:
        raise ArgumentError(f"the folder {request.output} is not empty; --force writes into it anyway")
    places = {"dat": _WEIGHTS, **{suffix: f"{_WEIGHTS}.{suffix}" for suffix in ("npz", "safetensors")}}
    for form, place in places.items():
        path = os.path.join(request.output, place)
        if form != request.weights and os.path.exists(path):
            raise ArgumentError(f"remove {path}: 'snd run' could mistake it for the new weights")


_LIMITS = frozenset({rules.LOOP_COUNT, rules.ENDLESS_LOOP})
"""Rules about runs that do not end: the source has these problems, too."""


def wrong_output(request: ConvertRequest, main: str) -> int:
    """Show the problems of the written model, and return an exit status, which is 0 if there are none.

    snd must accept the models it writes: any other problem than one of the source is a fault of snd.
    """
    wrong = errors_of(Checker(Configurations(request.config), RuleSettings()), main)
    if not wrong:
        return 0
    show(full.render(Report((main,), wrong, Checker(Configurations(), RuleSettings()).source, paint=paint())))
    if all(each.rule in _LIMITS for each in wrong):
        say("error: the model that was converted has a loop that no run would end", err=True)
        return PROBLEMS
    say("snd itself failed: it can't express this model. Please report this, with the model", err=True)
    return FAULT


def errors_of(checker: Checker, path: str) -> tuple[Diagnostic, ...]:
    """Return the errors of a file."""
    return tuple(each for each in checker.check(path) if each.severity is Severity.ERROR)


def shown_source(path: str) -> str:
    """Return the name of the source in the text: the last parts of its path."""
    return "/".join(path.replace(os.sep, "/").split("/")[-2:])


def summary(statements: Mapping[str, int], variables: int, main: str) -> str:
    """Return a line about the written model: the number of statements by module, and of variables."""
    count = sum(statements.values())
    others = {name: number for name, number in statements.items() if name in format_modules()}
    parts = [f"{count - sum(others.values())} of the standard library"]
    parts += [f"{number} of '{name}'" for name, number in sorted(others.items())]
    weights = f", {variables} variable{'' if variables == 1 else 's'}" if variables else ""
    return f"{main}: {count} statement{'' if count == 1 else 's'} ({', '.join(parts)}){weights}"


def weight_files(
    request: ConvertRequest,
    names: Collection[str],
    content_of: Callable[[str], bytes],
    array_of: Callable[[str], Array],
) -> dict[str, Iterable[bytes]]:
    """Return the files of variables, as ``snd run`` finds them. Each variable is asked for when its file is written."""
    if not names:
        return {}
    if request.weights == "dat":
        return {f"{_WEIGHTS}/{name}.dat": map(content_of, (name,)) for name in names}
    write = write_npz if request.weights == "npz" else write_safetensors
    return {f"{_WEIGHTS}.{request.weights}": (write({name: array_of(name) for name in names}),)}
