"""The test cases of nodes that the ``onnx`` package publishes, converted by ``snd convert`` and run."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, bind_arrays, execute
from snd_server.exchange.onnx_import import ConvertedModel, InvalidModelError, SourceGraph, convert_graph, source_of
from snd_server.exchange.onnx_import.data import UntranslatableError, tensor_array
from support.memory import snapshot_of

TOLERANCE = 1e-5
NO_COUNTERPART = "there is no operator for this kind of node"
ROUNDED = {"gridsample_bicubic": 1e-4, "roialign_aligned_false": 1e-4, "roialign_aligned_true": 1e-4}
"""Cases whose data were written down with fewer digits."""
DIFFERENT = {
    **dict.fromkeys(
        (f"bitshift_{way}_{kind}_negative_shift" for way in ("left", "right") for kind in ("int8", "int32")),
        "shifting by a negative number of bits, which ONNX leaves open",
    ),
    **dict.fromkeys(
        (f"mod_float_edge_cases_fmod_0_float{bits}" for bits in (16, 32, 64)),
        "remainders of infinite divisors, which are NaN by the formula",
    ),
}
"""Cases that are converted, and give something else."""
SMALL_TOLERANCE = {"float16": 3e-3, "bfloat16": 2e-2}
"""Tolerances where ONNX computes with reals of 16 bits, and a converted model with 32."""


@dataclass(frozen=True, eq=False)
class NodeCase:
    """A test case: a model of one node, or of the nodes that a node is composed of, with its inputs and outputs."""

    name: str
    model: Any
    data: Any

    def __str__(self) -> str:
        return self.name

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of nodes, each once."""
        return tuple(dict.fromkeys(node.op_type for node in self.model.graph.node))

    def check(self) -> frozenset[str]:
        """Compare all outputs, and returns the operators that took the place of the nodes.

        Raise AssertionError if they differ, UntranslatableError if they can't be compared.
        """
        if self.name in DIFFERENT:
            raise UntranslatableError(DIFFERENT[self.name])
        used: set[str] = set()
        for inputs, outputs in self.data:
            types = {each.dtype for each in map(plain, (*inputs, *outputs)) if each is not None}
            real = np.dtype(np.float64 if np.dtype(np.float64) in types else np.float32)
            results, model = evaluate(self.model, inputs, real)
            used |= operators_of(model)
            tolerance = max(
                [ROUNDED.get(self.name, TOLERANCE), *(SMALL_TOLERANCE.get(each.name, 0.0) for each in types)]
            )
            for found, wanted in zip(results, map(plain, outputs), strict=True):
                if wanted is None:
                    raise UntranslatableError("sequences and optional values")
                assert_same(found, tensor_array(wanted), tolerance)
        return frozenset(used)


@cache
def cases() -> tuple[NodeCase, ...]:
    """Return all cases, including nodes without a translation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collected = collect_testcases(None)
    return tuple(
        NodeCase(case.name.removeprefix("test_"), case.model, case.data_sets)
        for case in sorted(collected, key=lambda case: case.name)
    )


def plain(value: Any) -> Any:
    """Return a value of ONNX as an array; None if it is not one."""
    if isinstance(value, onnx.TensorProto):
        value = onnx.numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.ndarray | np.generic) else None


def evaluate(model: onnx.ModelProto, inputs: Sequence[Any], real: np.dtype[Any]) -> tuple[list[Any], ConvertedModel]:
    """Return the outputs of a model, converted and run; None for missing ones.

    Inputs that must be known to convert the model are constants. Raise UntranslatableError for untranslated operators.
    """
    try:
        graph = source_of(model)
    except InvalidModelError as error:
        raise UntranslatableError(str(error)) from None
    names = [each.name for each in graph.inputs]
    arrays = dict(zip(names, map(plain, inputs), strict=True))
    if any(each is None for each in arrays.values()):
        raise UntranslatableError("sequences and optional values")
    converted, fixed = _converted(graph, arrays)
    program = {"main.sknd": converted.text}
    snapshot = snapshot_of(program)
    errors = [each for each in snapshot.diagnostics("main.sknd") if each.severity == "error"]
    assert not errors, f"{errors[0].message}\n{converted.text}"
    session = Session(snapshot)
    template = session.template(OperatorName("main.sknd", snapshot.main_graphs("main.sknd")[0].name.text))
    assert template is not None
    given = [tensor_array(arrays[name]) for name in names if name not in fixed]
    specialization = bind_arrays(session, template, given, {})
    weights = {name: tensor_array(array) for name, array in converted.weights.items()}
    outputs = execute(session, specialization, given, Execution(real=real, variables=weights)).outputs
    return [outputs.get(converted.outputs.get(each.name, "")) for each in graph.outputs], converted


def _converted(graph: SourceGraph, arrays: Mapping[str, Any]) -> tuple[ConvertedModel, Sequence[str]]:
    first: ConvertedModel | None = None
    for fixed in _choices(arrays):
        converted = convert_graph(graph, "a case", {name: arrays[name] for name in fixed})
        first = first or converted
        # A wholly constant model leaves nothing to compare.
        passed_on = any(f" = {name};" in converted.text for name in converted.inputs.values())
        if not converted.problems and (not fixed or converted.statements or passed_on):
            return converted, fixed
    assert first is not None
    raise UntranslatableError(first.problems[0].reason if first.problems else "all of it is constant")


def _choices(arrays: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the inputs that become constants: none, one of few ints, all of these, all but the first."""
    ints = [name for name, array in arrays.items() if array.dtype.kind in "iu" and array.size <= 64]
    yield []
    yield from ([name] for name in ints)
    yield ints[1:] if ints and ints[0] == next(iter(arrays)) else ints
    yield list(arrays)[1:]


def operators_of(model: ConvertedModel) -> frozenset[str]:
    """Return the operators that a converted model invokes."""
    return model.operators


def assert_same(found: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    """Return whether a result is the one of ONNX: shape, kind of type, and values."""
    assert found is not None
    assert found.shape == expected.shape
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(found, expected)
