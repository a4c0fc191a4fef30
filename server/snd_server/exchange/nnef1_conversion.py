"""One run of ``snd convert`` for a model in NNEF 1.0: check, convert, write, and compare both if asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.base import Diagnostic
from snd_analysis.convert import Converted, NotConvertible, StoredTensor, convert_nnef1
from snd_analysis.workspace import Snapshot
from snd_runtime.files import InvalidFileError, read_header, read_tensor, with_shape, write_tensor
from snd_server.checking.checker import Checker
from snd_server.checking.plain_report import plain_report
from snd_server.console.colours import paint
from snd_server.console.terminal import say, show
from snd_server.exchange.conversion_request import CLEAN, PROBLEMS, ConvertRequest
from snd_server.exchange.converted_model import (
    demand_output,
    errors_of,
    shown_source,
    summary,
    weight_files,
    wrong_output,
)
from snd_server.exchange.given_weights import fitting_weights, given_weights, proposed_map
from snd_server.render.reports import full
from snd_server.running.arguments import ArgumentError
from snd_server.running.weights import by_variables, stored_files
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.discovery import NNEF1_SUFFIX
from snd_server.workspace_files.model_folder import MAIN, no_file
from snd_server.workspace_files.writing import write_below

Array: TypeAlias = np.ndarray[Any, Any]


def run_nnef1(request: ConvertRequest) -> int:
    """Convert a model, and return the exit status. Raise the exceptions of ``run_convert``."""
    checker = Checker(Configurations(request.config, pulse=request.pulse), RuleSettings())
    broken = source_errors(checker, request)
    if broken:
        show(full.render(plain_report(checker, request.path, broken, paint())))
        return PROBLEMS
    if request.write_map is not None:
        converted, weights = _converted(checker.snapshot(request.path), request), _given(checker, request)
        say(proposed_map(request, weights, {each.name: each.shape for each in converted.variables}))
        return CLEAN
    converted, missing = convert_nnef1_file(checker, request)
    main = os.path.join(request.output, MAIN)
    if not request.quiet:
        say(summary(converted.statements, len(converted.variables), main))
    if missing:
        others = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        say(f"warning: '{missing[0].source}'{others}: its tensor file is missing, so it has no weights", err=True)
    status = wrong_output(request, main)
    if status:
        return status
    if request.verify:
        from snd_server.exchange.verification import verify

        return verify(request, converted, main)
    return CLEAN


def source_errors(checker: Checker, request: ConvertRequest) -> tuple[Diagnostic, ...]:
    """Return the errors of a model in NNEF 1.0. Raise ArgumentError if it can't be converted to where it is to go."""
    if checker.snapshot(request.path).file(request.path) is None:
        raise ArgumentError(no_file(request.path))
    if not request.path.endswith(NNEF1_SUFFIX):
        raise ArgumentError(f"{request.path}: snd converts models in NNEF 1.0 and ONNX, and this is neither")
    if request.write_map is None:
        demand_output(request)
    return errors_of(checker, request.path)


def convert_nnef1_file(checker: Checker, request: ConvertRequest) -> tuple[Converted, list[StoredTensor]]:
    """Convert a model without errors, and write it; return the written model, and the variables that have no file.

    Raise ArgumentError, and OSError for a file that can't be written.
    """
    snapshot = checker.snapshot(request.path)
    converted = _converted(snapshot, request)
    given = {}
    if request.weights_from is not None:
        declared = {each.name: (each.dtype, each.shape) for each in converted.variables}
        given = fitting_weights(request, _given(checker, request), declared)
    return converted, _write(snapshot, request, converted, given)


def _converted(snapshot: Snapshot, request: ConvertRequest) -> Converted:
    try:
        return convert_nnef1(snapshot, request.path, shown_source(request.path))
    except NotConvertible as problem:
        raise ArgumentError(f"{request.path}: {problem}") from None


def _given(checker: Checker, request: ConvertRequest) -> Mapping[str, Any]:
    """Return the weights of ``weights_from`` by the names of the variables of the new model, or by their labels."""
    snapshot = checker.snapshot(request.path)
    names = {each.source: each.name for each in _converted(snapshot, request).variables}
    weights = by_variables(snapshot, request.path, given_weights(request))
    return {names.get(name, name): value for name, value in weights.items()}


def _write(
    snapshot: Snapshot, request: ConvertRequest, converted: Converted, given: Mapping[str, Array]
) -> list[StoredTensor]:
    """Write the module and its weights, ``given`` ones first; return the variables that have none.

    Raise ArgumentError.
    """
    stored = stored_files(snapshot, request.path, request.memory_bytes)
    contents = {
        each.name: _tensor_file(stored[each.source], each)
        for each in converted.variables
        if each.source in stored and each.name not in given
    }
    contents |= {name: write_tensor(array) for name, array in given.items()}
    weights = weight_files(request, contents, contents.__getitem__, lambda name: read_tensor(contents[name]))
    write_below(request.output, {MAIN: (converted.text.encode(),), **weights})
    return [each for each in converted.variables if each.name not in contents]


def _tensor_file(content: bytes, variable: StoredTensor) -> bytes:
    """Return a tensor file with the extents that its variable has now. Raise ArgumentError."""
    try:
        read_tensor(content)
        return content if read_header(content).shape == variable.shape else with_shape(content, variable.shape)
    except (InvalidFileError, ValueError) as error:
        raise ArgumentError(f"the file of '{variable.source}': {error}") from None
