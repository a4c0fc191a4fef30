"""The test cases of nodes that the ``onnx`` package publishes, run by operators of the library."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from onnx.backend.test.case.node import collect_testcases

from support.onnx_models import onnx_elementwise, onnx_images, onnx_layout, onnx_networks, onnx_reductions, onnx_windows
from support.onnx_models.onnx_nodes import TRANSLATIONS, converted, evaluate, nodes_of, require, type_of

FAMILIES = (onnx_elementwise, onnx_images, onnx_layout, onnx_networks, onnx_reductions, onnx_windows)
TOLERANCE = 1e-5
NO_COUNTERPART = "no counterpart"
ROUNDED = {"gridsample_bicubic": 1e-4}
"""Cases whose data were written down with fewer digits."""


@dataclass(frozen=True, eq=False)
class NodeCase:
    """A test case: a model of a single node, or of those that a node is made of, with its inputs and outputs."""

    name: str
    model: Any
    data: Any

    def __str__(self) -> str:
        return self.name

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of nodes, each once."""
        return tuple(dict.fromkeys(nodes_of(self.model)))

    def check(self) -> None:
        """Compares all outputs. Raises AssertionError if they differ, UntranslatableError if they can't be compared."""
        missing = [kind for kind in self.kinds if kind not in TRANSLATIONS]
        require(not missing, f"{''.join(missing[:1])}: {NO_COUNTERPART}")
        for inputs, outputs in self.data:
            types = {type_of(each) for each in (*inputs, *outputs)}
            real = np.dtype(np.float64 if np.dtype(np.float64) in types else np.float32)
            expected = [converted(each, real) for each in outputs]
            results = evaluate(self.model, inputs, real)
            pairs = [(one, other) for one, other in zip(results, expected, strict=True) if one is not None]
            require(pairs, "outputs that the library does not have")
            for found, wanted in pairs:
                assert_same(found, wanted, ROUNDED.get(self.name, TOLERANCE))


@cache
def cases() -> tuple[NodeCase, ...]:
    """All of them, those whose nodes have no translation too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collected = collect_testcases(None)
    return tuple(
        NodeCase(case.name.removeprefix("test_"), case.model, case.data_sets)
        for case in sorted(collected, key=lambda case: case.name)
    )


def assert_same(found: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    """Whether a result is the one of ONNX: shape, kind of type, and values."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(found, expected)
