"""Choices among elements that are equal except for rounding: two engines may choose differently, and both are right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.compose import specialization_of
from snd_analysis.model import Graph, Operation, tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution.prepared import prepared
from snd_server.running.deviation import difference

Array: TypeAlias = np.ndarray[Any, Any]

_SUPPRESSION = OperatorName("snd:algo", "nonmax_suppress")
_TOP_K = OperatorName("snd:algo", "top_k")


_ROUNDING = frozenset(
    {
        OperatorName("snd:onnx", "round"),
        OperatorName("snd:onnx", "quantize_linear"),
        OperatorName("snd:layout", "cast"),
        *(OperatorName("snd:math", name) for name in ("round", "floor", "ceil")),
    }
)


def operator_of_rounding(
    graph: Graph, name: str, found: Array, expected: Array, others: Mapping[str, Any], tensors: Mapping[str, Any]
) -> str | None:
    """Return the operator that rounds the sources of a tensor, if it turns mere rounding errors into the difference.

    Both versions must be rounded from values that are equal up to rounding errors, and exactly equal values must have
    equal results. ``others`` are tensors of the run that gave ``found``; for the rest see ``operator_of_tie``.
    """
    makers = {
        each.name: operation
        for operation in graph.operations
        for value in operation.outputs
        for each in tensors_of(value)
    }
    differing = found != expected
    rounding = None
    while (operation := makers.get(name)) is not None:
        callee = specialization_of(operation)
        given = [each.name for value in operation.inputs for each in tensors_of(value) if each.value is None]
        if callee is None or len(given) != 1 or given[0] not in tensors or np.shape(tensors[given[0]]) != found.shape:
            return None
        (name,) = given
        if (callee.template.original or callee.template.name) in _ROUNDING:
            rounding = callee.template.shown
        if rounding is not None and name in others:
            one, other = np.asarray(others[name]), np.asarray(tensors[name])
            is_tie = one.dtype.kind == "f" and difference(one, other) is None and (one != other)[differing].all()
            return rounding if is_tie else None
    return None


def operator_of_tie(graph: Graph, name: str, found: Array, expected: Array, tensors: Mapping[str, Any]) -> str | None:
    """Return the operator of a tensor, if both versions of it choose elements that are equal except for rounding.

    ``graph`` is flat; ``tensors`` are the tensors of the run that gave ``expected``, by name.
    """
    for operation in graph.operations:
        given = [each.name for value in operation.outputs for each in tensors_of(value)]
        callee = specialization_of(operation)
        if name not in given or callee is None or found.shape != expected.shape:
            continue
        chosen = callee.template.original or callee.template.name
        try:
            if chosen == _SUPPRESSION:
                scores = _input(operation, 1, tensors)
                pair = scores[tuple(found.T)], scores[tuple(expected.T)]
            elif chosen == _TOP_K and given.index(name) == 1:
                values, axis = _input(operation, 0, tensors), int(prepared(callee).attributes["axis"])  # type: ignore[arg-type]
                pair = np.take_along_axis(values, found, axis), np.take_along_axis(values, expected, axis)
            else:
                return None
        except (IndexError, KeyError, ValueError):  # indices beyond the tensor, or a tensor that was not seen
            return None
        return callee.template.shown if difference(*pair) is None else None
    return None


def _input(operation: Operation, at: int, tensors: Mapping[str, Any]) -> Array:
    (tensor,) = tensors_of(operation.inputs[at])
    return np.asarray(tensors[tensor.name])
