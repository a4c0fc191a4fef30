"""One run of ``snd convert``: check, convert, write, and compare both models if asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis.base import Diagnostic, Severity
from snd_analysis.convert import Converted, NotConvertible, StoredTensor, convert_nnef1
from snd_analysis.skriptnd.names import format_modules
from snd_analysis.workspace import Snapshot
from snd_runtime.files import InvalidFileError, read_header, read_tensor, with_shape, write_npz, write_safetensors
from snd_server.checking.checker import Checker
from snd_server.checking.report import Report
from snd_server.console.colours import paint
from snd_server.console.terminal import say, show
from snd_server.render.reports import full
from snd_server.running.arguments import ArgumentError
from snd_server.running.weights import stored_files
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.discovery import NNEF1_SUFFIX
from snd_server.workspace_files.model_folder import MAIN, ONNX_SUFFIX, no_file
from snd_server.workspace_files.writing import write_below

Array: TypeAlias = np.ndarray[Any, Any]

CLEAN, PROBLEMS, FAULT = 0, 1, 101
_WEIGHTS = "weights"
WeightsForm: TypeAlias = Literal["dat", "npz", "safetensors"]


class ConvertRequest(Struct, frozen=True):
    """The command line of ``snd convert``. Memory is in bytes."""

    path: str
    output: str
    force: bool = False
    verify: bool = False
    seed: int = 0
    quiet: bool = False
    memory_bytes: int = 4 << 30
    config: str | None = None
    weights: WeightsForm = "dat"
    fixed: tuple[str, ...] = ()
    """Inputs of an ONNX model that become constants, as ``NAME=VALUE``."""


def run_convert(request: ConvertRequest) -> int:
    """Convert a model, and return the exit status.

    Raises ArgumentError for what there is not, ConfigError, and OSError for what can't be written.
    """
    if request.path.endswith(ONNX_SUFFIX):
        from snd_server.exchange.onnx_conversion import run_onnx

        return run_onnx(request)
    checker = Checker(Configurations(request.config), RuleSettings())
    broken = source_errors(checker, request)
    if broken:
        show(full.render(Report((request.path,), broken, checker.source, paint=paint())))
        return PROBLEMS
    converted, missing = convert_nnef1_file(checker, request)
    main = os.path.join(request.output, MAIN)
    if not request.quiet:
        say(summary(converted.statements, len(converted.variables), main))
    if missing:
        others = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        say(f"warning: '{missing[0].source}'{others}: there is no tensor file, so that there are no weights", err=True)
    if wrong_output(request, main):
        return FAULT
    if request.verify:
        from snd_server.exchange.verification import verify

        return verify(request, converted, main)
    return CLEAN


def source_errors(checker: Checker, request: ConvertRequest) -> tuple[Diagnostic, ...]:
    """Return the errors of a model in NNEF 1.0. Raises ArgumentError if it can't be converted to where it is to go."""
    if checker.snapshot(request.path).file(request.path) is None:
        raise ArgumentError(no_file(request.path))
    if not request.path.endswith(NNEF1_SUFFIX):
        raise ArgumentError(f"{request.path}: snd converts models in NNEF 1.0 and ONNX, and this is neither")
    demand_output(request)
    return _errors(checker, request.path)


def convert_nnef1_file(checker: Checker, request: ConvertRequest) -> tuple[Converted, list[StoredTensor]]:
    """Convert a model without errors, and write it; return what was written, and the variables that have no file.

    Raises ArgumentError, and OSError for what can't be written.
    """
    snapshot = checker.snapshot(request.path)
    try:
        converted = convert_nnef1(snapshot, request.path, shown_source(request.path))
    except NotConvertible as problem:
        raise ArgumentError(f"{request.path}: {problem}") from None
    return converted, _write(snapshot, request, converted)


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
            raise ArgumentError(f"{path} is there already, and 'snd run' could take it for the new weights: remove it")


def wrong_output(request: ConvertRequest, main: str) -> bool:
    """Show what is wrong with what was written, and return whether anything is.

    What snd writes must be what snd accepts: whatever is wrong with it, is a fault of ours.
    """
    wrong = _errors(Checker(Configurations(request.config), RuleSettings()), main)
    if not wrong:
        return False
    show(full.render(Report((main,), wrong, Checker(Configurations(), RuleSettings()).source, paint=paint())))
    say("snd itself failed: it can't express this model. Please report this, with the model", err=True)
    return True


def _errors(checker: Checker, path: str) -> tuple[Diagnostic, ...]:
    return tuple(each for each in checker.check(path) if each.severity is Severity.ERROR)


def shown_source(path: str) -> str:
    """Return what the text calls the source: the last parts of its path."""
    return "/".join(path.replace(os.sep, "/").split("/")[-2:])


def summary(statements: Mapping[str, int], variables: int, main: str) -> str:
    """Return what was written, in a line: how many statements by module, and how many variables."""
    count = sum(statements.values())
    others = {name: number for name, number in statements.items() if name in format_modules()}
    parts = [f"{count - sum(others.values())} of the standard library"]
    parts += [f"{number} of '{name}'" for name, number in sorted(others.items())]
    weights = f", {variables} variable{'' if variables == 1 else 's'}" if variables else ""
    return f"{main}: {count} statement{'' if count == 1 else 's'} ({', '.join(parts)}){weights}"


# ---- files -----------------------------------------------------------------------------------------------------------
def _write(snapshot: Snapshot, request: ConvertRequest, converted: Converted) -> list[StoredTensor]:
    """Write the module and its weights; return the variables that have none. Raises ArgumentError."""
    stored = stored_files(snapshot, request.path, request.memory_bytes)
    contents = {
        each.name: _tensor_file(stored[each.source], each) for each in converted.variables if each.source in stored
    }
    weights = weight_files(request, contents, contents.__getitem__, lambda name: read_tensor(contents[name]))
    write_below(request.output, {MAIN: (converted.text.encode(),), **weights})
    return [each for each in converted.variables if each.name not in contents]


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


def _tensor_file(content: bytes, variable: StoredTensor) -> bytes:
    """Return a tensor file with the extents that its variable has now. Raises ArgumentError."""
    try:
        read_tensor(content)
        return content if read_header(content).shape == variable.shape else with_shape(content, variable.shape)
    except (InvalidFileError, ValueError) as error:
        raise ArgumentError(f"the file of '{variable.source}': {error}") from None
