"""``nn`` and ``linalg``: activations, normalization, matrix products."""

from __future__ import annotations

from math import sqrt

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.registry import counterpart


def lengthened(call: OperationCall, at: int, rank: int) -> str:
    """Return an argument with leading dimensions of extent 1, up to a rank."""
    missing = rank - call.rank(at)
    return call.scope.node("unsqueeze", [call.input(at)], axes=[*range(missing)]) if missing else call.input(at)


@counterpart("nn.linear")
def _linear(call: OperationCall) -> None:
    if call.has(2):
        call.write("linear", [call.input(0), call.input(1), lengthened(call, 2, 2)])
    else:
        call.write("matmul", [call.input(0), call.input(1)], transposeA=False, transposeB=True)


@counterpart("linalg.matmul")
def _matmul(call: OperationCall) -> None:
    rank = max(call.rank(0), call.rank(1))
    operands = [lengthened(call, at, rank) for at in (0, 1)]
    flags = {"transposeA": call["transA"], "transposeB": call["transB"]}
    if not call.has(2):
        call.write("matmul", operands, **flags)
        return
    call.write("add", [call.scope.node("matmul", operands, **flags), lengthened(call, 2, rank)])


@counterpart("linalg.dot")
def _dot(call: OperationCall) -> None:
    scope = call.scope
    kept = scope.node("sum_reduce", [scope.node("mul", [call.input(0), call.input(1)])], axes=[0])
    if not call.has(2):
        call.write("squeeze", [kept], axes=[0])
        return
    call.write("add", [scope.node("squeeze", [kept], axes=[0]), call.input(2)])


@counterpart("linalg.matvec")
def _matvec(call: OperationCall) -> None:
    scope = call.scope
    column = scope.node("unsqueeze", [call.input(1)], axes=[1])
    product = scope.node("matmul", [call.input(0), column], transposeA=call["transA"], transposeB=False)
    if not call.has(2):
        call.write("squeeze", [product], axes=[1])
        return
    call.write("add", [scope.node("squeeze", [product], axes=[1]), call.input(2)])


@counterpart("linalg.outer")
def _outer(call: OperationCall) -> None:
    rows = call.rank(0)
    right = call.scope.node("unsqueeze", [call.input(1)], axes=[*range(rows)]) if rows else call.input(1)
    call.write("mul", [call.input(0), right])


@counterpart("nn.relu")
def _relu(call: OperationCall) -> None:
    scope, name, alpha, most = call.scope, call.input(), call["alpha"], call["max"]
    if most is None:
        if alpha is None:
            call.write("relu", [name])
        elif alpha > 0.0:
            call.write("leaky_relu", [name], alpha=float(alpha))
        else:
            call.write("max", [name, scope.node("mul", [name, "0.0"])])
        return
    bounded = scope.node("min", [name, call.scope.constant(most, float)])
    if alpha is None:
        call.write("relu", [bounded])
    else:
        call.write("max", [bounded, scope.node("mul", [name, scope.constant(alpha, float)])])


@counterpart("nn.prelu")
def _prelu(call: OperationCall) -> None:
    axis = call.axis()
    slope = call.scope.node("unsqueeze", [call.input(1)], axes=[*range(axis)]) if axis else call.input(1)
    call.write("prelu", [call.input(), slope])


@counterpart("nn.thresholded_relu")
def _thresholded(call: OperationCall) -> None:
    above = call.scope.node("gt", [call.input(), call.scope.constant(call["theta"], float)])
    call.write("select", [above, call.input(), "0.0"])


@counterpart("nn.elu")
def _elu(call: OperationCall) -> None:
    if call["alpha"] == 1.0:
        call.write("elu", [call.input()])
    else:
        call.write("select", _negative_exponential(call))


@counterpart("nn.selu")
def _selu(call: OperationCall) -> None:
    scope = call.scope
    call.write("mul", [scope.node("select", _negative_exponential(call)), scope.constant(call["lambda"], float)])


def _negative_exponential(call: OperationCall) -> list[str]:
    """Return a condition and the values of elu for it and otherwise."""
    scope, name = call.scope, call.input()
    below = scope.node("sub", [scope.node("exp", [name]), "1.0"])
    scaled = scope.node("mul", [below, scope.constant(call["alpha"], float)])
    return [scope.node("lt", [name, "0.0"]), scaled, name]


@counterpart("nn.gelu")
def _gelu(call: OperationCall) -> None:
    scope, name = call.scope, call.input()
    node = scope.node

    def number(value: float) -> str:
        return scope.constant(value, float)

    match call["approximate"]:
        case "TANH":
            cube = node("mul", [node("mul", [name, name]), name])
            inner = node("add", [name, node("mul", [cube, number(0.044715)])])
            weight = node("tanh", [node("mul", [inner, number(0.7978845608028654)])])
        case "SIGMOID":
            call.write("mul", [name, node("sigmoid", [node("mul", [name, number(1.702)])])])
            return
        case _:
            call.demand_tract("error function")
            weight = node("tract_core_erf", [node("mul", [name, number(sqrt(0.5))])])
    half = node("mul", [name, "0.5"])
    call.write("mul", [half, node("add", [weight, "1.0"])])


@counterpart("nn.silu")
def _silu(call: OperationCall) -> None:
    call.write("mul", [call.input(), call.scope.node("sigmoid", [call.input()])])


@counterpart("nn.sigmoid")
def _sigmoid(call: OperationCall) -> None:
    call.write("sigmoid", [call.input()])


@counterpart("nn.softplus")
def _softplus(call: OperationCall) -> None:
    node, name = call.scope.node, call.input()
    # 'softplus' of the text overflows for large values.
    small = node("exp", [node("neg", [node("abs", [name])])])
    call.write("add", [node("relu", [name]), node("log", [node("add", [small, "1.0"])])])


@counterpart("nn.erf")
def _erf(call: OperationCall) -> None:
    call.demand_tract("error function")
    call.write("tract_core_erf", [call.input()])


@counterpart("nn.softmax")
def _softmax(call: OperationCall) -> None:
    call.write("softmax", [call.input()], axes=sorted(call.axes()))


@counterpart("nn.batch_norm")
def _batch_norm(call: OperationCall) -> None:
    axis = call.axis("channel_axis")

    def vector(at: int, otherwise: str) -> str:
        if not call.has(at):
            return otherwise
        return call.scope.node("unsqueeze", [call.input(at)], axes=[*range(axis)]) if axis else call.input(at)

    inputs = [call.input(0), vector(1, ""), vector(2, ""), vector(3, "0.0"), vector(4, "1.0")]
    call.write("batch_normalization", inputs, epsilon=float(call["epsilon"]))


@counterpart("nn.local_response_norm")
def _local_response_norm(call: OperationCall) -> None:
    axes = call.axes()
    given = {name: float(call[name]) for name in ("alpha", "beta", "bias")}
    if call.is_tract:
        if axes != [1]:
            raise Unsuitable("tract normalizes along the channels")
        call.write("tract_onnx_lrn", [call.input()], **given, size=call["size"][0])
        return
    size = [1] * call.rank()
    for axis, extent in zip(axes, call["size"], strict=True):
        size[axis] = extent
    call.write("local_response_normalization", [call.input()], size=size, **given)
