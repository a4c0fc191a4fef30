"""Operators bound to NumPy arrays: how tests run library operators and formulas of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from snd_analysis.compose import Arguments, Session, Specialization
from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import NULL, Pack, Value
from snd_analysis.workspace import Snapshot
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering import Lowered, lower
from support.memory import snapshot_of

FLOAT64 = np.dtype(np.float64)
_DTYPES = {"f": "real", "i": "int", "b": "bool", "O": "str", "U": "str"}


class InvalidError(Exception):
    """An invocation that composing refuses."""


def specialized(
    snapshot: Snapshot,
    name: OperatorName,
    inputs: Sequence[Any],
    attributes: Mapping[str, Any],
    dtypes: Sequence[str] = (),
) -> Specialization:
    """Return the specialization of an operator for arrays, valid or not."""
    session = Session(snapshot)
    template = session.template(name)
    assert template is not None, name
    given = Arguments(
        tuple(dtypes),
        {key: value_of(value) for key, value in attributes.items()},
        tuple(tensor_of(value, f"x{at}") for at, value in enumerate(inputs)),
    )
    return session.specialization(template, given)


def bound(
    snapshot: Snapshot,
    name: OperatorName,
    inputs: Sequence[Any],
    attributes: Mapping[str, Any],
    dtypes: Sequence[str] = (),
) -> Specialization:
    """Return the specialization of an operator for arrays; fail if the invocation is invalid."""
    specialization = specialized(snapshot, name, inputs, attributes, dtypes)
    if not specialization.valid:
        raise InvalidError([failure.message for failure in specialization.failures])
    return specialization


def value_of(value: Any) -> Value:
    """Return a Python value as one of the analysis."""
    if isinstance(value, list | tuple):
        return Pack([value_of(item) for item in value])
    if value is None:
        return NULL
    if isinstance(value, bool):
        return shapes.truth(value)
    return shapes.constant(value) if isinstance(value, int) else value


def tensor_of(value: Any, name: str) -> TensorValue:
    """Return an argument as composing knows it."""
    if value is None:
        return NULL
    if isinstance(value, list | tuple):
        return Pack([tensor_of(item, f"{name}[{at}]") for at, item in enumerate(value)])
    extents = tuple(shapes.constant(extent) for extent in value.shape)
    return Tensor(name, _DTYPES[value.dtype.kind], extents, TensorKind.INPUT)


@cache
def library_snapshot() -> Snapshot:
    """Return a snapshot that sees the library and nothing else."""
    return snapshot_of({"main.sknd": ""})


def library(
    name: str,
    *inputs: Any,
    dtypes: Sequence[str] = (),
    limits: Limits | None = None,
    real: np.dtype[Any] = FLOAT64,
    **attributes: Any,
) -> Any:
    """Run an operator of the library, such as ``math.add``, in 64-bit reals; a single output is not in a tuple."""
    return _run(lower(bind_library(name, inputs, attributes, dtypes)), inputs, limits, real)


def bind_library(
    name: str, inputs: Sequence[Any], attributes: Mapping[str, Any], dtypes: Sequence[str] = ()
) -> Specialization:
    """Return the specialization of an operator of the library, such as ``math.add``."""
    module, _, operator = name.partition(".")
    return bound(library_snapshot(), OperatorName(f"snd:{module}", operator), inputs, attributes, dtypes)


def compiled(text: str, inputs: Sequence[Any], dtypes: Sequence[str] = (), **attributes: Any) -> Lowered:
    """Return the first operator of a text, bound to arrays."""
    snapshot = snapshot_of({"operators.sknd": text})
    definition = next(definition for _, definition in snapshot.tree("operators.sknd").definitions)
    found = [
        diagnostic.message for diagnostic in snapshot.diagnostics("operators.sknd") if diagnostic.severity == "error"
    ]
    assert not found, found
    name = OperatorName("operators.sknd", definition.name.text)
    return lower(bound(snapshot, name, inputs, attributes, dtypes))


def run(text: str, *inputs: Any, dtypes: Sequence[str] = (), limits: Limits | None = None, **attributes: Any) -> Any:
    """Run the first operator of a text in 64-bit reals; a single output is not in a tuple."""
    return _run(compiled(text, inputs, dtypes, **attributes), inputs, limits)


def _run(lowered: Lowered, inputs: Sequence[Any], limits: Limits | None, real: np.dtype[Any] = FLOAT64) -> Any:
    outputs = lowered.run(inputs, real=real, budget=Budget(limits or Limits()))
    return outputs[0] if len(outputs) == 1 else outputs
