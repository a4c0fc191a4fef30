"""Reductions and products: ``math`` and ``linalg`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

from snd_server.onnx_import.data import Data, require
from snd_server.onnx_import.node import Node, translation, unless

REDUCTIONS = {
    "ReduceMax": "math.max_reduce",
    "ReduceMean": "math.mean_reduce",
    "ReduceMin": "math.min_reduce",
    "ReduceProd": "math.prod_reduce",
    "ReduceSum": "math.sum_reduce",
}


def _axes(node: Node) -> list[int] | None:
    """Return the axes of a reduction; None for none at all."""
    axes = node.ints(1, "axes")
    if axes:
        return axes
    return None if node.number("noop_with_empty_axes", 0) else list(range(node.input(0).rank))


def _reduced(node: Node, name: str, x: Data, **attributes: Any) -> Data:
    axes = _axes(node)
    if axes is None:
        return x
    return node.run(name, x, axes=axes, **unless(node.number("keepdims", 1), squeeze=True), **attributes)


@translation(*REDUCTIONS)
def reduced(node: Node) -> Data:
    name, x = REDUCTIONS[node.kind], node.input(0)
    if x.is_bool:
        name = {"ReduceMax": "math.any_reduce", "ReduceMin": "math.all_reduce"}[node.kind]
    if node.kind == "ReduceMean" and not x.is_real:
        return node.back(_reduced(node, name, node.as_real(x)), x)
    return _reduced(node, name, x)


@translation("ReduceL1", "ReduceL2")
def norm(node: Node) -> Data:
    x = node.input(0)
    return node.back(_reduced(node, "math.lp_reduce", node.as_real(x), p=1.0 if node.kind == "ReduceL1" else 2.0), x)


@translation("ReduceSumSquare")
def sum_of_squares(node: Node) -> Data:
    return _reduced(node, "math.sum_reduce", node.run("math.sqr", node.input(0)))


@translation("ReduceLogSum", "ReduceLogSumExp")
def log_of_sum(node: Node) -> Data:
    x = node.as_real(node.input(0))
    given = x if node.kind == "ReduceLogSum" else node.run("math.exp", x)
    return node.back(node.run("math.log", _reduced(node, "math.sum_reduce", given)), node.input(0))


@translation("ArgMax", "ArgMin")
def extreme(node: Node) -> Data:
    require(not node.number("select_last_index", 0), "ONNX can prefer the last of equal elements")
    x = node.input(0)
    axis = node.number("axis", 0)
    squeeze = unless(node.number("keepdims", 1), squeeze=True)
    return node.run(f"math.{node.kind.lower()}", node.as_real(x), axis=axis, **squeeze)


@translation("CumSum")
def running_sum(node: Node) -> Data:
    x = node.input(0)
    (axis,) = node.ints(1) or [0]
    flags: dict[str, Any] = {name: True for name in ("exclusive", "reverse") if node.number(name, 0)}
    return node.back(node.run("math.cumsum", node.as_real(x), axis=axis, **flags), x)


# ---- products --------------------------------------------------------------------------------------------------------
@translation("MatMul")
def product(node: Node) -> Data:
    return matrix_product(node, node.input(0), node.input(1))


def matrix_product(node: Node, first: Data, second: Data) -> Data:
    """Return the product of matrices, vectors, or batches of matrices."""
    a, b = node.as_real(first), node.as_real(second)
    require(a.rank and b.rank, "a product of a scalar")
    if a.rank == b.rank == 1:
        result = node.run("linalg.dot", a, b)
    elif a.rank == 2 and b.rank == 1:
        result = node.run("linalg.matvec", a, b)
    elif a.rank == 1 and b.rank == 2:
        result = node.run("linalg.matvec", b, a, transA=True)
    else:
        # A vector is a matrix of one row or column, which the result doesn't have.
        wide = node.run("layout.unsqueeze", a, axes=[0]) if a.rank == 1 else a
        other = node.run("layout.unsqueeze", b, axes=[1]) if b.rank == 1 else b
        result = node.run("linalg.matmul", wide, other)
        superfluous = [-2] * (a.rank == 1) + [-1] * (b.rank == 1)
        result = node.run("layout.squeeze", result, axes=superfluous) if superfluous else result
    return node.back(result, first)


@translation("Gemm")
def affine(node: Node) -> Data:
    a, b, c = node.as_real(node.input(0)), node.as_real(node.input(1)), node.maybe(2)
    alpha, beta = node.real("alpha", 1.0), node.real("beta", 1.0)
    transposed: dict[str, Any] = {f"trans{each}": True for each in "AB" if node.number(f"trans{each}", 0)}
    if alpha == beta == 1 and transposed == {"transB": True} and (c is None or c.shape == b.shape[:1]) and b.rank == 2:
        return node.back(node.run("nn.linear", a, b, c), node.input(0))
    result = node.run("linalg.matmul", a, b, **transposed)
    if c is not None:
        c = node.as_real(c)
    if c is None:
        result = result if alpha == 1 else node.run("math.mul", result, alpha)
    elif alpha == beta == 1:
        result = node.run("math.add", result, c)
    else:
        result = node.run("math.axpby", alpha, result, beta, c)
    return node.back(result, node.input(0))
