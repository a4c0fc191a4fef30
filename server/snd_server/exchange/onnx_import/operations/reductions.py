"""Reductions: ``math`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

from snd_analysis.skriptnd.names import counterparts_of_nodes
from snd_server.exchange.onnx_import.data import Data
from snd_server.exchange.onnx_import.node import INT, OnnxNode, translation, unless

REDUCTIONS = counterparts_of_nodes("ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum")


def _axes(node: OnnxNode) -> list[int] | None:
    """Return the axes of a reduction; None for none at all."""
    axes = node.ints(1, "axes")
    if axes:
        return axes
    return None if node.number("noop_with_empty_axes", 0) else list(range(node.input(0).rank))


def _reduced(node: OnnxNode, name: str, x: Data, **attributes: Any) -> Data:
    axes = _axes(node)
    if axes is None:
        return x
    return node.run(name, x, axes=axes, **unless(node.number("keepdims", 1), squeeze=True), **attributes)


@translation(*REDUCTIONS)
def reduced(node: OnnxNode) -> Data:
    name, x = REDUCTIONS[node.kind], node.input(0)
    if x.is_bool:
        name = {"ReduceMax": "math.any_reduce", "ReduceMin": "math.all_reduce"}[node.kind]
    if node.kind == "ReduceMean" and not x.is_real:
        return node.back(_reduced(node, name, node.as_real(x)), x)
    return _reduced(node, name, x)


@translation("ReduceL1", "ReduceL2")
def norm(node: OnnxNode) -> Data:
    x = node.input(0)
    return node.back(_reduced(node, "math.lp_reduce", node.as_real(x), p=1.0 if node.kind == "ReduceL1" else 2.0), x)


@translation("ReduceSumSquare")
def sum_of_squares(node: OnnxNode) -> Data:
    return _reduced(node, "math.sum_reduce", node.run("math.sqr", node.input(0)))


@translation("ReduceLogSum", "ReduceLogSumExp")
def log_of_sum(node: OnnxNode) -> Data:
    x = node.as_real(node.input(0))
    given = x if node.kind == "ReduceLogSum" else node.run("math.exp", x)
    return node.back(node.run("math.log", _reduced(node, "math.sum_reduce", given)), node.input(0))


@translation("ArgMax", "ArgMin")
def extreme(node: OnnxNode) -> Data:
    x = node.as_real(node.input(0))
    axis = node.axis(x.rank, 0)
    squeeze = unless(node.number("keepdims", 1), squeeze=True)
    operator = f"math.{node.kind.lower()}"
    if not node.number("select_last_index", 0):
        return node.run(operator, x, axis=axis, **squeeze)
    # The last of equal elements is the first one from the end.
    last = x.shape[axis] - 1
    backwards = node.run("layout.slice", x, axes=[axis], begin=[last], end=[-1], stride=[-1])
    return node.run("math.sub", last, node.run(operator, backwards, axis=axis, **squeeze), like=INT)


@translation("CumProd")
def running_product(node: OnnxNode) -> Data:
    x = node.input(0)
    (axis,) = node.ints(1) or [0]
    flags: dict[str, Any] = {name: True for name in ("exclusive", "reverse") if node.number(name, 0)}
    return node.run("onnx.cumprod", x, axis=axis, **flags)


@translation("CumSum")
def running_sum(node: OnnxNode) -> Data:
    x = node.input(0)
    (axis,) = node.ints(1) or [0]
    flags: dict[str, Any] = {name: True for name in ("exclusive", "reverse") if node.number(name, 0)}
    return node.back(node.run("math.cumsum", node.as_real(x), axis=axis, **flags), x)
