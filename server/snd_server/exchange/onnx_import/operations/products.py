"""Products of matrices, and of any dimensions by names: ``linalg`` and ``math`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import OnnxNode, translation


@translation("MatMul")
def product(node: OnnxNode) -> Data:
    return matrix_product(node, node.input(0), node.input(1))


def matrix_product(node: OnnxNode, first: Data, second: Data) -> Data:
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
def affine(node: OnnxNode) -> Data:
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


@translation("Einsum")
def einsum(node: OnnxNode) -> Data:
    """Align all operands by the names of their dimensions, multiply, and sum over dimensions missing in the result."""
    equation = node.text("equation", "").replace(" ", "")
    left, arrow, right = equation.partition("->")
    tensors = [node.as_real(each) for each in node.tensors]
    terms = left.split(",")
    require(len(terms) == len(tensors), f"the equation '{equation}' has another number of operands")
    names = [_dimensions(term, each.rank) for term, each in zip(terms, tensors, strict=True)]
    every = [name for term in names for name in term]
    dots = max((sum(name < 0 for name in term if isinstance(name, int)) for term in names), default=0)
    if arrow:
        output = _dimensions(right, len(right.replace("...", "")) + (dots if "..." in right else 0))
    else:
        once = sorted({name for name in every if isinstance(name, str) and every.count(name) == 1})
        output = [*range(-dots, 0), *once]
    require(all(len(set(term)) == len(term) for term in names), "diagonals of an operand")
    summed = [name for name in dict.fromkeys(every) if name not in output]
    found = _contracted(node, tensors, names, output, summed)
    return node.back(found, node.input(0))


def _dimensions(term: str, rank: int) -> list[str | int]:
    """Return the names of the dimensions; dimensions of an ellipsis are numbers, counted from its end."""
    before, dots, after = term.partition("...")
    count = rank - len(before) - len(after)
    require(count == 0 if not dots else count >= 0, f"'{term}' does not fit a tensor of {rank} dimensions")
    return [*before, *range(-count, 0), *after]


def _contracted(
    node: OnnxNode, tensors: list[Data], names: list[list[str | int]], output: list[str | int], summed: list[str | int]
) -> Data:
    if len(tensors) == 2 and _is_matrix_product(names, output, summed):
        return node.run("linalg.matmul", *tensors)
    order = [*output, *summed]
    result: Data | None = None
    for tensor, term in zip(tensors, names, strict=True):
        aligned = _aligned(node, tensor, term, order)
        result = aligned if result is None else node.run("math.mul", result, aligned)
    assert result is not None
    if summed:
        result = node.run("math.sum_reduce", result, axes=list(range(len(output), len(order))), squeeze=True)
    return result


def _is_matrix_product(names: list[list[str | int]], output: list[str | int], summed: list[str | int]) -> bool:
    first, second = names
    return (
        len(first) == len(second) == len(output) >= 2
        and [first[-1]] == [second[-2]] == summed
        and first[:-2] == second[:-2] == output[:-2]
        and output[-2:] == [first[-2], second[-1]]
    )


def _aligned(node: OnnxNode, tensor: Data, term: list[str | int], order: list[str | int]) -> Data:
    places = sorted(range(len(term)), key=lambda at: order.index(term[at]))
    if places != list(range(len(term))):
        tensor = node.run("layout.transpose", tensor, perm=places)
    missing = [at for at, name in enumerate(order) if name not in term]
    # Dimensions in front are broadcast anyway.
    first = next((at for at, name in enumerate(order) if name in term), 0)
    missing = [at - first for at in missing if at >= first]
    return node.run("layout.unsqueeze", tensor, axes=missing) if missing else tensor
