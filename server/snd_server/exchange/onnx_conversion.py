"""One run of ``snd convert`` for a model in ONNX or of PyTorch: read, translate, write, and compare if asked for."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from msgspec.structs import replace

from snd_runtime.evaluation import LiteralInput
from snd_runtime.files import write_tensor
from snd_server.console.terminal import say
from snd_server.exchange.conversion_request import CLEAN, PROBLEMS, ConvertRequest
from snd_server.exchange.converted_model import demand_output, shown_source, summary, weight_files, wrong_output
from snd_server.exchange.given_weights import fitting_weights, given_weights, proposed_map
from snd_server.exchange.onnx_import import (
    ConvertedModel,
    InvalidModelError,
    OnnxMissingError,
    SourceGraph,
    convert_graph,
    read_model,
    tensor_array,
)
from snd_server.exchange.onnx_import.data import type_name
from snd_server.exchange.onnx_import.source import Array, symbols_of, with_extents
from snd_server.exchange.special_values import source_note
from snd_server.limits import LONGEST_PROBLEM, MOST_PROBLEMS
from snd_server.running.arguments import ArgumentError
from snd_server.running.tensor_inputs import given_tensors
from snd_server.workspace_files.model_folder import MAIN, PROGRAM_SUFFIX
from snd_server.workspace_files.reading import open_file, reason
from snd_server.workspace_files.writing import write_below


def run_onnx(request: ConvertRequest) -> int:
    """Convert a model, and return the exit status. Raise the exceptions of ``run_convert``."""
    given = given_tensors(request.fixed, request.memory_bytes, "--fix")
    values = {name: each.value if isinstance(each, LiteralInput) else each for name, each in given.items()}
    if request.write_map is not None:
        converted, _ = convert_onnx(request.path, request.memory_bytes, values)
        shapes = {name: array.shape for name, array in converted.weights.items()}
        say(proposed_map(request, given_weights(request), shapes))
        return _told_problems(converted)
    converted, constants = convert_onnx_file(request, values)
    main = os.path.join(request.output, MAIN)
    if not request.quiet and (converted.outputs or not converted.left_out):
        say(summary(converted.statements, len(converted.weights), main))
        special = source_note(converted.source)
        if special is not None:
            say(special)
        if converted.rounded:
            operators = ", ".join(converted.rounded)
            say(f"note: snd computes {operators} of ints with reals: results beyond 16,777,216 are rounded")
    if _told_problems(converted):
        return PROBLEMS
    status = wrong_output(request, main)
    if status:
        return status
    return _verified(request, converted, main, constants) if request.verify else CLEAN


def _told_problems(converted: ConvertedModel) -> int:
    """Print the nodes that could not be translated; return the exit status."""
    for each in converted.problems[:MOST_PROBLEMS]:
        say(f"error: {str(each)[:LONGEST_PROBLEM]}", err=True)
    if converted.problems:
        say(_untranslated(converted), err=True)
    return PROBLEMS if converted.problems else CLEAN


def _untranslated(converted: ConvertedModel) -> str:
    count = len(converted.problems)
    text = f"{count} node{'' if count == 1 else 's'} could not be translated"
    if not converted.outputs and converted.left_out:
        return f"{text}: nothing is written, since no output can be computed without"
    if not converted.left_out:
        return f"{text}; the rest is written"
    names = ", ".join(f"'{name[:LONGEST_PROBLEM]}'" for name in converted.left_out[:MOST_PROBLEMS])
    return f"{text}; the rest is written, without the output{'' if len(converted.left_out) == 1 else 's'} {names}"


def convert_onnx_file(request: ConvertRequest, fixed: Mapping[str, Any]) -> tuple[ConvertedModel, dict[str, Array]]:
    """Convert a model and write it; return the written model, and the inputs that became constants.

    A model is written if it has outputs. Raise ArgumentError, and OSError for a file that can't be written.
    """
    demand_output(request)
    converted, constants = convert_onnx(request.path, request.memory_bytes, fixed, request.extents)
    if request.weights_from is not None:
        declared = {name: (type_name(array.dtype), array.shape) for name, array in converted.weights.items()}
        given = fitting_weights(request, given_weights(request), declared)
        converted = replace(converted, weights={**converted.weights, **given})
    if converted.outputs or not converted.left_out:
        _write(request, converted.text, converted.weights, os.path.join(request.output, MAIN))
    return converted, constants


def convert_onnx(
    path: str, memory_bytes: int, fixed: Mapping[str, Any] | None = None, names: Mapping[str, str] | None = None
) -> tuple[ConvertedModel, dict[str, Array]]:
    """Return a file of ONNX or PyTorch as a model; inputs in ``fixed`` become constants. Raise ArgumentError.

    ``names`` has names for the symbols of a program.
    """
    try:
        graph = read_source(path, memory_bytes, names or {})
    except OnnxMissingError as problem:
        raise ArgumentError(str(problem)) from None
    except InvalidModelError as problem:
        raise ArgumentError(f"{path}: {problem}") from None
    except OSError as error:
        raise ArgumentError(f"{path}: {reason(error)}") from None
    numbers, others = _extents(graph, fixed or {})
    constants = _constants(graph, others)
    graph = with_extents(graph, numbers)
    return convert_graph(graph, shown_source(path), constants), constants


def read_source(path: str, memory_bytes: int, names: Mapping[str, str]) -> SourceGraph:
    """Return the graph of a file of ONNX or PyTorch. Raise OSError, InvalidModelError and OnnxMissingError."""
    if not path.endswith(PROGRAM_SUFFIX):
        return read_model(path, memory_bytes)
    from snd_server.exchange.torch_import import read_program

    with open_file(path) as file:
        return read_program(file, memory_bytes, names)


def _extents(graph: SourceGraph, fixed: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Return the values of named extents, and the remaining fixed values. Raise ArgumentError."""
    names = symbols_of(graph) - {each.name for each in graph.inputs}
    found: dict[str, int] = {}
    for name in names & fixed.keys():
        try:
            found[name] = operator.index(np.asarray(fixed[name])[()])
        except TypeError:
            raise ArgumentError(f"the extent '{name}' must be an int") from None
        if found[name] < 0:
            raise ArgumentError(f"the extent '{name}' must not be negative")
    return found, {name: value for name, value in fixed.items() if name not in found}


def _constants(graph: SourceGraph, fixed: Mapping[str, Any]) -> dict[str, Array]:
    """Return the inputs that become constants, in the types of the model. Raise ArgumentError."""
    declared = {each.name: each for each in graph.inputs}
    found: dict[str, Array] = {}
    for name, value in fixed.items():
        if name not in declared:
            raise ArgumentError(f"the model has no input and no extent '{name}' that could become a constant")
        try:
            array = np.asarray(value)
            dtype = declared[name].dtype
            found[name] = array if dtype is None else array.astype(dtype)
        except (ValueError, TypeError) as error:
            raise ArgumentError(f"the input '{name}' can't become this constant: {error}") from None
    return found


def _verified(request: ConvertRequest, converted: ConvertedModel, main: str, given: Mapping[str, Array]) -> int:
    from snd_server.exchange.verification import verify_onnx, verify_program

    verify = verify_program if request.path.endswith(PROGRAM_SUFFIX) else verify_onnx
    return verify(request, converted, main, given)


def _write(request: ConvertRequest, text: str, weights: Mapping[str, Array], main: str) -> None:
    """Write the module and its weights. Raise ArgumentError for weights that are too large."""
    total = sum(prod(array.shape) * max(array.dtype.itemsize, 4) for array in weights.values())
    if total > request.memory_bytes:
        raise ArgumentError(f"the weights take {total:,} bytes, more than the {request.memory_bytes:,} allowed")

    def array_of(name: str) -> Array:
        return tensor_array(weights[name])

    files = weight_files(request, weights, lambda name: write_tensor(array_of(name)), array_of)
    write_below(request.output, {MAIN: (text.encode(),), **files})
