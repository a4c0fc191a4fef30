"""``math``: operators that compute element by element."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.model import Tensor
from snd_server.exchange.graph_export.alignment import starts_of
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import constant_array
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.registry import COUNTERPARTS, Counterpart, counterpart

_UNARY = (
    "neg", "sqr", "sqrt", "rsqr", "rsqrt", "exp", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin",
    "acos", "atan", "asinh", "acosh", "atanh", "abs", "sign", "not", "floor", "ceil",
)  # fmt: skip
_BINARY = ("add", "sub", "mul", "min", "max", "lt", "gt", "le", "ge", "eq", "ne", "and", "or")
_REAL_ONLY = ("pow",)
_FOLDED = {"sum_n": "add", "prod_n": "mul", "min_n": "min", "max_n": "max", "any_n": "or", "all_n": "and"}
_INTEGERS_IN_TRACT = frozenset({"neg", "abs", "sign"})


def demand_scalars(call: OperationCall) -> None:
    """Raise Unsuitable for integers in Khronos' dialect, whose arithmetic is that of scalars."""
    if not call.is_tract and "int" in call.dtypes:
        raise Unsuitable("Khronos' dialect computes with scalars only")


def aligned(call: OperationCall, *names: str) -> list[str]:
    """Return the arguments, such that they broadcast as NNEF 1.0 does it: aligned at their first dimensions."""
    starts = starts_of(call, names)
    return [_beginning_at(call, at, start) for at, start in enumerate(starts)]


def _beginning_at(call: OperationCall, at: int, start: int) -> str:
    tensor = call.inputs[at]
    if not start or not call.rank(at):
        return call.input(at)
    if isinstance(tensor, Tensor) and tensor.value is not None:
        array = constant_array(tensor)
        return call.scope.array(array.reshape((*[1] * start, *array.shape)), tensor.name)
    return call.scope.node("unsqueeze", [call.input(at)], axes=[*range(start)])


def _unary(name: str) -> Counterpart:
    def write(call: OperationCall) -> None:
        demand_scalars(call)
        if call.dtype == "int" and name not in _INTEGERS_IN_TRACT:
            raise Unsuitable("tract computes it of reals only")
        call.write(name, [call.input()])

    return write


def _binary(name: str, is_real: bool) -> Counterpart:
    def write(call: OperationCall) -> None:
        if len(call.dtypes) > 1 or "str" in call.dtypes:
            raise Unsuitable("NNEF 1.0 computes with two tensors of one type of numbers")
        if is_real and call.dtype != "real":
            raise Unsuitable("NNEF 1.0 computes powers of scalars only")
        if call.dtype == "bool" and name in ("eq", "ne"):
            raise Unsuitable("NNEF 1.0 compares numbers only")
        demand_scalars(call)
        call.write(name, aligned(call, "lhs_align", "rhs_align"))

    return write


def _folded(name: str) -> Counterpart:
    def write(call: OperationCall) -> None:
        demand_scalars(call)
        fold(call, name, call.items())

    return write


def fold(call: OperationCall, name: str, items: Sequence[str]) -> None:
    """Write a chain of invocations that combines tensors of one shape."""
    if not items:
        raise Unsuitable("there is no tensor to combine")
    if len(items) == 1:
        call.write("copy", [items[0]])
        return
    found = items[0]
    for each in items[1:-1]:
        found = call.scope.node(name, [found, each])
    call.write(name, [found, items[-1]])


COUNTERPARTS.update({f"math.{name}": _unary(name) for name in _UNARY})
COUNTERPARTS.update({f"math.{name}": _binary(name, False) for name in _BINARY})
COUNTERPARTS.update({f"math.{name}": _binary(name, True) for name in _REAL_ONLY})
COUNTERPARTS.update({f"math.{name}": _folded(operation) for name, operation in _FOLDED.items()})


@counterpart("math.div")
def _quotient(call: OperationCall) -> None:
    both = aligned(call, "lhs_align", "rhs_align")
    if call.dtype == "real":
        call.write("div", both)
        return
    quotient, _, is_below = _truncated(call, both)
    step = call.scope.node("tract_core_cast", [is_below], to="i64")
    call.write("sub", [quotient, step])


@counterpart("math.mod")
def _remainder(call: OperationCall) -> None:
    scope = call.scope
    left, right = aligned(call, "lhs_align", "rhs_align")
    if call.dtype == "real":
        whole = scope.node("floor", [scope.node("div", [left, right])])
        call.write("sub", [left, scope.node("mul", [right, whole])])
        return
    _, rest, is_below = _truncated(call, [left, right])
    call.write("select", [is_below, scope.node("add", [rest, right]), rest])


def _truncated(call: OperationCall, both: Sequence[str]) -> tuple[str, str, str]:
    """Return the quotient that tract rounds to zero, its remainder, and a condition for one that rounds down less."""
    demand_scalars(call)
    node, (left, right) = call.scope.node, both
    quotient = node("div", [left, right])
    rest = node("sub", [left, node("mul", [quotient, right])])
    return quotient, rest, node("lt", [node("mul", [rest, right]), call.scope.constant(0)])


@counterpart("math.argmin_n", "math.argmax_n")
def _first_extremum(call: OperationCall) -> None:
    assert call.operation.operator is not None
    if not call.items():
        raise Unsuitable("there is no tensor to combine")
    node, reduction = call.scope.node, f"{call.operation.operator.name.removesuffix('_n')}_reduce"
    found = node(reduction, [node("stack", [f"[{', '.join(call.items())}]"], axis=0)], axes=[0])
    call.write("squeeze", [found], axes=[0])


@counterpart("math.iden")
def _identity(call: OperationCall) -> None:
    call.write("copy", [call.input()])


@counterpart("math.rcp")
def _reciprocal(call: OperationCall) -> None:
    call.write("recip" if call.is_tract else "rcp", [call.input()])


@counterpart("math.round")
def _round(call: OperationCall) -> None:
    call.write("copy", [rounded(call, call.input())])


def rounded(call: OperationCall, name: str) -> str:
    """Return a tensor rounded, halves away from zero; the text of NNEF 1.0 rounds halves up."""
    node = call.scope.node
    if call.is_tract:
        return node("round", [name])
    whole = node("floor", [node("add", [node("abs", [name]), "0.5"])])
    return node("mul", [node("sign", [name]), whole])


@counterpart("math.xor")
def _exclusive_or(call: OperationCall) -> None:
    both = aligned(call, "lhs_align", "rhs_align")
    if call.is_tract:
        call.write("tract_core_xor", both)
        return
    node = call.scope.node
    neither = node("not", [node("and", both)])
    call.write("and", [node("or", both), neither])


@counterpart("math.select")
def _select(call: OperationCall) -> None:
    call.write("select", aligned(call, "cond_align", "lhs_align", "rhs_align"))


@counterpart("math.clamp")
def _clamp(call: OperationCall) -> None:
    demand_scalars(call)
    x, low, high = aligned(call, "val_align", "min_align", "max_align")
    call.write("max", [call.scope.node("min", [x, high]), low])


@counterpart("math.axpb")
def _axpb(call: OperationCall) -> None:
    # The alignments are named in another order than the inputs.
    a, x, b = aligned(call, "a_align", "x_align", "b_align")
    call.write("add", [call.scope.node("mul", [a, x]), b])


@counterpart("math.axpby")
def _weighted_sum(call: OperationCall) -> None:
    a, x, b, y = aligned(call, "a_align", "x_align", "b_align", "y_align")
    node = call.scope.node
    call.write("add", [node("mul", [a, x]), node("mul", [b, y])])
