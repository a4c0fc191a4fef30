"""``math``: operators that compute element by element."""

from __future__ import annotations

from snd_analysis.skriptnd.names import counterparts_of_nodes
from snd_server.exchange.graph_export.alignment import starts_of
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import rank_of
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.registry import COUNTERPARTS, Counterpart, counterpart

_PLAIN = counterparts_of_nodes(
    "Identity", "Reciprocal", "Sqrt", "Exp", "Log", "Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Asin", "Acos", "Atan",
    "Asinh", "Acosh", "Atanh", "Neg", "Abs", "Sign", "Not", "Floor", "Ceil", "Sigmoid", "Erf",
)  # fmt: skip
_BINARY = counterparts_of_nodes(
    "Add", "Sub", "Mul", "And", "Or", "Xor", "Min", "Max", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"
)
_REAL_ONLY = counterparts_of_nodes("Div", "Pow")
_COUNTED = {"math.sum_n": "Sum", "math.min_n": "Min", "math.max_n": "Max"}


def _plain(kind: str) -> Counterpart:
    return lambda call: call.write(kind, [call.input()])


def _broadcasting(kind: str) -> Counterpart:
    def write(call: ScopedCall) -> None:
        left, right = aligned(call, "lhs_align", "rhs_align")
        if "str" in call.dtypes or len(call.dtypes) > 1:
            raise Unsuitable("ONNX computes with two tensors of one type of numbers")
        call.write(kind, [left, right])

    return write


def aligned(call: ScopedCall, *names: str) -> list[str]:
    """Return the arguments, such that they broadcast as ONNX does it: aligned at their last dimensions."""
    rank = rank_of(call.output)
    starts = starts_of(call, names)
    # An operand that begins behind the first dimension of the result must supply the dimensions before it.
    before = min(starts)
    found = []
    for at, start in enumerate(starts):
        own, name = call.rank(at), call.input(at)
        leading = before if start == before else 0
        axes = [*range(leading), *range(leading + own, leading + rank - start)]
        found.append(call.scope.node("Unsqueeze", [name, call.scope.constant(axes)]) if axes else name)
    return found


def _real(kind: str) -> Counterpart:
    broadcasting = _broadcasting(kind)

    def write(call: ScopedCall) -> None:
        if call.dtype != "real":
            raise Unsuitable("ONNX rounds quotients of ints towards zero")
        broadcasting(call)

    return write


def _counted(kind: str) -> Counterpart:
    def write(call: ScopedCall) -> None:
        if kind == "Sum" and call.dtype != "real":
            raise Unsuitable("ONNX sums reals")
        call.write(kind, call.items())

    return write


COUNTERPARTS.update({name: _plain(kind) for kind, name in _PLAIN.items()})
COUNTERPARTS.update({name: _broadcasting(kind) for kind, name in _BINARY.items()})
COUNTERPARTS.update({name: _real(kind) for kind, name in _REAL_ONLY.items()})
COUNTERPARTS.update({name: _counted(kind) for name, kind in _COUNTED.items()})


@counterpart("math.sqr")
def _square(call: ScopedCall) -> None:
    call.write("Mul", [call.input(), call.input()])


@counterpart("math.rsqrt")
def _rsqrt(call: ScopedCall) -> None:
    call.write("Reciprocal", [call.scope.node("Sqrt", [call.input()])])


@counterpart("math.ne")
def _differs(call: ScopedCall) -> None:
    both = aligned(call, "lhs_align", "rhs_align")
    call.write("Not", [call.scope.node("Equal", both)])


@counterpart("math.mod")
def _modulo(call: ScopedCall) -> None:
    if call.dtype != "int":
        raise Unsuitable("ONNX has remainders of reals with the sign of the dividend only")
    call.write("Mod", aligned(call, "lhs_align", "rhs_align"))


@counterpart("math.select")
def _select(call: ScopedCall) -> None:
    if call.output.dtype == "bool":
        raise Unsuitable("onnxruntime selects no bools")
    call.write("Where", aligned(call, "cond_align", "lhs_align", "rhs_align"))


@counterpart("math.clamp")
def _clamp(call: ScopedCall) -> None:
    x, low, high = aligned(call, "val_align", "min_align", "max_align")
    # The lower bound wins where the bounds are in a wrong order.
    call.write("Where", [call.scope.node("Less", [x, low]), low, call.scope.node("Min", [x, high])])


@counterpart("math.axpb")
def _axpb(call: ScopedCall) -> None:
    scope = call.scope
    # The alignments are named in another order than the inputs.
    a, x, b = aligned(call, "a_align", "x_align", "b_align")
    call.write("Add", [scope.node("Mul", [a, x]), b])


@counterpart("math.axpby")
def _weighted_sum(call: ScopedCall) -> None:
    if any(call[f"{each}_align"] is not None for each in "axby"):
        raise Unsuitable("it aligns dimensions otherwise than ONNX")
    node = call.scope.node
    call.write("Add", [node("Mul", [call.input(0), call.input(1)]), node("Mul", [call.input(2), call.input(3)])])
