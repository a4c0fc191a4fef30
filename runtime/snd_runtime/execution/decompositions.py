"""Comparison of the formulas of an operator with its composition: both must give the same results (2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snd_analysis.compose import Specialization
from snd_runtime.deviation import Array, deviation
from snd_runtime.errors import EvaluationFailed
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import DECOMPOSITION_DIFFERS

_TOLERANCE = 1e-4
"""Sums in another order, in 32 bits, deviate by less."""


def check_decomposition(
    specialization: Specialization, computed: Sequence[Argument], composed: Sequence[Argument]
) -> None:
    """Compare the outputs of the formulas with the outputs of the composition.

    Raise EvaluationFailed if they differ.
    """
    template = specialization.template
    for member, expected, found in zip(template.outputs, computed, composed, strict=True):
        for name, one, other in _arrays(member.name, expected, found):
            difference = _difference(one, other)
            if difference is not None:
                message = f"'@lower' and '@compose' of '{template.shown}' disagree about '{name}': {difference}"
                raise EvaluationFailed(DECOMPOSITION_DIFFERS, message, template.place(0, template.definition.name))


def _arrays(name: str, expected: Argument, found: Argument) -> list[tuple[str, Array, Array]]:
    if expected is None or found is None:
        return []
    if isinstance(expected, np.ndarray) and isinstance(found, np.ndarray):
        return [(name, expected, found)]
    pairs = enumerate(zip(expected, found, strict=True))
    return [(f"{name}[{at}]", np.asarray(one), np.asarray(other)) for at, (one, other) in pairs]


def _difference(expected: Array, found: Array) -> str | None:
    if expected.shape != found.shape:
        return f"the shapes are {list(expected.shape)} and {list(found.shape)}"
    return deviation(expected, found, _TOLERANCE)
