"""Products of arrays, summed along axes: matrix products where that is faster."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from snd_runtime.lowering.arithmetic import Array

# Matrices with fewer products are not worth a call each.
_SMALL_MATRICES = 64
# Number of products that OpenBLAS computes without a copy of its operands: half of the work for few rows (measured).
_UNPACKED_PRODUCTS = 600_000
_SHORT_PIECE = 64
_FEW_ROWS = 64


def contract(factors: Sequence[Array], reduced: Sequence[int], lengths: Sequence[int]) -> Array | None:
    """Return the sum of the products along the reduced axes, which stay as extents of 1.

    The factors have as many dimensions as ``lengths``, with extents of 1 where they don't vary. None if ints might not
    fit into 64 bits, or if infinity makes a difference between the sum of products and the product of sums.
    """
    if factors[0].dtype.kind == "i":
        return _contract_integers(factors, reduced, lengths)
    result = _contract(factors, reduced, lengths)
    summed = [axis for axis in reduced if lengths[axis] > 1]
    is_plain = len(factors) == 2 and all(factor.shape[axis] > 1 for factor in factors for axis in summed)
    return result if is_plain or np.isfinite(result).all() else None


def _contract_integers(factors: Sequence[Array], reduced: Sequence[int], lengths: Sequence[int]) -> Array | None:
    """Return the contraction of ints in 64-bit reals, which is much faster; None if that is not exact."""
    largest = prod(lengths[axis] for axis in reduced)
    for factor in factors:
        largest *= max(abs(int(factor.min())), abs(int(factor.max())), 1) if factor.size else 1
    if largest >= 1 << 63:
        return None
    if largest >= 1 << 53:
        return _contract(factors, reduced, lengths)
    exact: Array = _contract([factor.astype(np.float64) for factor in factors], reduced, lengths)
    return np.asarray(exact.astype(np.int64), np.int64)


def _contract(factors: Sequence[Array], reduced: Sequence[int], lengths: Sequence[int]) -> Array:
    rest = list(factors)
    summed = [axis for axis in reduced if lengths[axis] > 1]
    # Along axes that no factor varies along, the sum is a multiple.
    times = prod(lengths[axis] for axis in summed if all(factor.shape[axis] == 1 for factor in rest))
    summed = [axis for axis in summed if any(factor.shape[axis] > 1 for factor in rest)]
    while len(rest) > 2:
        _multiply_smallest(rest)
    if len(rest) == 1:
        result = np.asarray(rest[0].sum(axis=tuple(summed), keepdims=True))
    else:
        result = _contract_two(rest[0], rest[1], summed)
    return result * result.dtype.type(times) if times != 1 else result


def _multiply_smallest(rest: list[Array]) -> None:
    """Replace the two factors whose product has the fewest elements by that."""
    pairs = [(a, b) for a in range(len(rest)) for b in range(a)]
    a, b = min(pairs, key=lambda pair: prod(np.broadcast_shapes(rest[pair[0]].shape, rest[pair[1]].shape)))
    product = rest[a] * rest[b]
    del rest[a], rest[b]
    rest.append(product)


def _contract_two(a: Array, b: Array, summed: Sequence[int]) -> Array:
    a = _sum_alone(a, b, summed)
    b = _sum_alone(b, a, summed)
    if prod(a.shape) > prod(b.shape):
        # The larger one is copied where need be, and that is fast if the last axis stays last.
        a, b = b, a
    axes = range(a.ndim)
    inner = [axis for axis in summed if a.shape[axis] > 1 and b.shape[axis] > 1]
    free = [axis for axis in axes if axis not in inner]
    batch = [axis for axis in free if a.shape[axis] > 1 and b.shape[axis] > 1]
    rows = [axis for axis in free if a.shape[axis] > 1 and b.shape[axis] == 1]
    columns = [axis for axis in free if b.shape[axis] > 1 and a.shape[axis] == 1]
    size = [prod(a.shape[axis] for axis in rows), prod(a.shape[axis] for axis in inner)]
    size.append(prod(b.shape[axis] for axis in columns))
    if not inner:
        return np.asarray(a * b)
    if prod(size) < _SMALL_MATRICES and batch:
        return _einsum(a, b, inner)
    left = _matrix(a, batch, rows, inner)
    right = _matrix(b, batch, inner, columns)
    product = _matrix_product(left, right)
    order = [*batch, *rows, *columns]
    product = product.reshape([max(a.shape[axis], b.shape[axis]) for axis in order])
    product = product.transpose(sorted(range(len(order)), key=order.__getitem__))
    shape = [max(a.shape[axis], b.shape[axis]) if axis in order else 1 for axis in axes]
    return np.asarray(product.reshape(shape))


def _matrix_product(left: Array, right: Array) -> Array:
    """Return ``left @ right`` in the way that BLAS is fast at.

    Where the right one stands transposed in memory, as weights of linear layers do, and the left one has few rows, most
    time goes into packing the right one, unless it comes first or in pieces that BLAS does not pack.
    """
    rows, inner = left.shape[-2:]
    columns = right.shape[-1]
    if left.ndim > 2 or not 1 < rows <= _FEW_ROWS or columns <= rows or right.strides[0] != right.itemsize:
        return np.asarray(np.matmul(left, right))
    piece = _UNPACKED_PRODUCTS // (rows * inner)
    if piece < _SHORT_PIECE:
        return np.asarray(np.matmul(right.T, left.T)).T
    product = np.empty((rows, columns), left.dtype)
    for start in range(0, columns, piece):
        np.matmul(left, right[:, start : start + piece], out=product[:, start : start + piece])
    return product


def _sum_alone(a: Array, b: Array, summed: Sequence[int]) -> Array:
    """Sum along the axes that only one factor varies along."""
    alone = tuple(axis for axis in summed if a.shape[axis] > 1 and b.shape[axis] == 1)
    return np.asarray(a.sum(axis=alone, keepdims=True)) if alone else a


def _matrix(a: Array, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> Array:
    """Return matrices of these dimensions; copied elements keep their order in memory."""
    lengths = [a.shape[axis] for axis in batch]
    height, width = prod(a.shape[axis] for axis in rows), prod(a.shape[axis] for axis in columns)
    if rows and columns and a.strides[rows[-1]] < a.strides[columns[-1]]:
        return _arranged(a, [*batch, *columns, *rows]).reshape(*lengths, width, height).swapaxes(-1, -2)
    return _arranged(a, [*batch, *rows, *columns]).reshape(*lengths, height, width)


def _arranged(a: Array, axes: Sequence[int]) -> Array:
    """Return the dimensions in this order; unnamed ones of extent 1 are dropped."""
    rest = [axis for axis in range(a.ndim) if axis not in axes]
    return a.transpose([*axes, *rest]).reshape([a.shape[axis] for axis in axes])


def _einsum(a: Array, b: Array, inner: Sequence[int]) -> Array:
    names_a = [axis for axis in range(a.ndim) if a.shape[axis] > 1]
    names_b = [axis for axis in range(b.ndim) if b.shape[axis] > 1]
    kept = sorted({*names_a, *names_b} - set(inner))
    found = np.einsum(_arranged(a, names_a), names_a, _arranged(b, names_b), names_b, kept)
    shape = [max(a.shape[axis], b.shape[axis]) if axis in kept else 1 for axis in range(a.ndim)]
    return np.asarray(found).reshape(shape)
