"""Arguments of an invocation that would fit transposed, such as weights of another framework."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.body.scoped_names import Callees
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.template import Template
from snd_analysis.model import Shape, Tensor, TensorKind
from snd_analysis.symbolic.integers import Integer

_MODULES = ("linalg", "nn")
"""Modules whose operators take matrices and filters. Others broadcast, so that a transposed argument often fits."""
_NAMED = frozenset({TensorKind.VARIABLE, TensorKind.CONSTANT, TensorKind.INPUT})
_MATRIX = 2
"""Rank of a matrix."""


def transposed_argument(callees: Callees, template: Template, given: Arguments) -> Failure | None:
    """Return the failure of the one argument, not the first, whose transposition makes an invocation valid; else None.

    The invocation fails as it is.
    """
    module = template.name.path.rpartition(":")[2]
    if module not in _MODULES:
        return None
    candidates = _candidates(given, is_filter=module == "nn")
    found = [each for each in candidates if _fits(callees, template, given, each[0], each[2])]
    if len({at for at, _, _ in found}) != 1 or found[0][0] >= len(template.inputs):
        return None
    at, tensor, shape = found[0]
    member = template.inputs[at]
    message = (
        f"'{tensor.name}' has {_shown(tensor.shape or ())}, which fits transposed: the input '{member.name}' of "
        f"'{template.shown}' needs {_shown(shape)}"
    )
    declared = Site(template.declared(member.symbol), f"the input '{member.name}' is declared here")
    return Failure(rules.ARGUMENT_SHAPE, message, (), (declared,), (member.name,))


def _candidates(given: Arguments, is_filter: bool) -> Iterator[tuple[int, Tensor, Shape]]:
    """Yield the arguments after the first with each of their transposed shapes."""
    for at, tensor in enumerate(given.inputs[1:], 1):
        if not isinstance(tensor, Tensor) or tensor.kind not in _NAMED or tensor.place is None:
            continue
        if tensor.shape is None or len(tensor.shape) < _MATRIX or not tensor.name.isidentifier():
            continue  # arguments of samples have no names
        if not all(isinstance(extent, Integer) for extent in tensor.shape):
            continue
        for shape in _filters(tensor.shape) if is_filter else _matrices(tensor.shape):
            if shape != tensor.shape:
                yield at, tensor, shape


def _matrices(shape: Shape) -> Iterator[Shape]:
    *batch, rows, columns = shape
    yield (*batch, columns, rows)


def _filters(shape: Shape) -> Iterator[Shape]:
    """Yield the shapes of a filter with its two channels exchanged, and with the channels moved before its space."""
    first, second, *space = shape
    yield (second, first, *space)
    *space, first, second = shape
    if len(space) > 1 and len(set(space)) == 1:
        yield (second, first, *space)


def _fits(callees: Callees, template: Template, given: Arguments, at: int, shape: Shape) -> bool:
    tensor = given.inputs[at]
    assert isinstance(tensor, Tensor)
    inputs = (*given.inputs[:at], replace(tensor, shape=shape), *given.inputs[at + 1 :])
    specialization = callees.specialization(template, replace(given, inputs=inputs))
    return specialization.valid and not specialization.failures


def _shown(shape: Shape) -> str:
    return f"[{', '.join(map(str, shape))}]"
