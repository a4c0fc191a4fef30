"""Reductions and products: ``math`` and ``linalg`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

from support.onnx_models.onnx_nodes import Node, require, translation

REDUCTIONS = {
    "ReduceMax": "math.max_reduce",
    "ReduceMean": "math.mean_reduce",
    "ReduceMin": "math.min_reduce",
    "ReduceProd": "math.prod_reduce",
    "ReduceSum": "math.sum_reduce",
}


def _axes(node: Node) -> list[int] | None:
    """The axes of a reduction; None for none at all."""
    axes = node.ints(1, "axes")
    if axes:
        return axes
    return None if node.attributes.get("noop_with_empty_axes", 0) else list(range(node.input(0).ndim))


def _reduced(node: Node, name: str, x: Any, **attributes: Any) -> Any:
    axes = _axes(node)
    if axes is None:
        return x
    return node.run(name, x, axes=axes, squeeze=not node.attributes.get("keepdims", 1), **attributes)


@translation(*REDUCTIONS)
def reduced(node: Node) -> Any:
    name, x = REDUCTIONS[node.kind], node.input(0)
    if x.dtype == bool:
        name = {"ReduceMax": "math.any_reduce", "ReduceMin": "math.all_reduce"}[node.kind]
    return _reduced(node, name, x)


@translation("ReduceL1", "ReduceL2")
def norm(node: Node) -> Any:
    return _reduced(node, "math.lp_reduce", node.input(0), p=1.0 if node.kind == "ReduceL1" else 2.0)


@translation("ReduceSumSquare")
def sum_of_squares(node: Node) -> Any:
    return _reduced(node, "math.sum_reduce", node.run("math.sqr", node.input(0)))


@translation("ReduceLogSum", "ReduceLogSumExp")
def log_of_sum(node: Node) -> Any:
    x = node.input(0) if node.kind == "ReduceLogSum" else node.run("math.exp", node.input(0))
    return node.run("math.log", _reduced(node, "math.sum_reduce", x))


@translation("ArgMax", "ArgMin")
def extreme(node: Node) -> Any:
    require(not node.attributes.get("select_last_index", 0), "ONNX can prefer the last of equal elements")
    axis, squeeze = node.attributes.get("axis", 0), not node.attributes.get("keepdims", 1)
    return node.run(f"math.{node.kind.lower()}", node.as_real(node.input(0)), axis=axis, squeeze=squeeze)


@translation("CumSum")
def running_sum(node: Node) -> Any:
    x = node.input(0)
    (axis,) = node.ints(1) or [0]
    exclusive, reverse = (bool(node.attributes.get(name, 0)) for name in ("exclusive", "reverse"))
    result = node.run("math.cumsum", node.as_real(x), axis=axis, exclusive=exclusive, reverse=reverse)
    return result if x.dtype.kind == "f" else node.run("layout.cast", result, dtypes=["int"])


@translation("MatMul")
def product(node: Node) -> Any:
    a, b = node.inputs
    if a.ndim == b.ndim == 1:
        return node.run("linalg.dot", a, b, None)
    if a.ndim == 2 and b.ndim == 1:
        return node.run("linalg.matvec", a, b, None)
    if a.ndim == 1 and b.ndim == 2:
        return node.run("linalg.matvec", b, a, None, transA=True)
    # A vector is a matrix of one row or column, which the result doesn't have.
    first = node.run("layout.unsqueeze", a, axes=[0]) if a.ndim == 1 else a
    second = node.run("layout.unsqueeze", b, axes=[1]) if b.ndim == 1 else b
    result = node.run("linalg.matmul", first, second, None)
    superfluous = [-2] * (a.ndim == 1) + [-1] * (b.ndim == 1)
    return node.run("layout.squeeze", result, axes=superfluous) if superfluous else result


@translation("Gemm")
def affine(node: Node) -> Any:
    a, b, c = (node.input(number) for number in range(3))
    alpha, beta = node.attributes.get("alpha", 1.0), node.attributes.get("beta", 1.0)
    transposed = {f"trans{each}": bool(node.attributes.get(f"trans{each}", 0)) for each in "AB"}
    if alpha == beta == 1 and c is not None and c.ndim == 2 and 1 not in c.shape:
        return node.run("linalg.matmul", a, b, c, **transposed)
    result = node.run("linalg.matmul", a, b, None, **transposed)
    return node.run("math.mul", result, alpha) if c is None else node.run("math.axpby", alpha, result, beta, c)
