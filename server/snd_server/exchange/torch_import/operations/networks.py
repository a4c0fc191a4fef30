"""Layers: products of matrices, normalizations, embeddings and attention in place of ATen calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from snd_analysis.symbolic import integers
from snd_server.exchange.onnx_import.data import Data, constant_of, require
from snd_server.exchange.onnx_import.node import unless
from snd_server.exchange.onnx_import.operations.layout import expanded
from snd_server.exchange.onnx_import.operations.products import matrix_product
from snd_server.exchange.torch_import.call import Call, Extent, aten, known, promoted


# ---- products --------------------------------------------------------------------------------------------------------
@aten("linear")
def linear(call: Call, x: Data, weight: Data, bias: Data | None = None) -> Data:
    if x.rank == 2 and weight.rank == 2:
        return call.run("nn.linear", x, weight, bias)
    if x.rank == 1:
        found = linear(call, call.one("Unsqueeze", x, call.ints([0])), weight, bias)
        return call.one("Squeeze", found, call.ints([0]))
    found = call.run("linalg.matmul", x, weight, transB=True)
    return found if bias is None else call.run("math.add", found, bias)


@aten("addmm")
def addmm(call: Call, x: Data, mat1: Data, mat2: Data, beta: float = 1, alpha: float = 1) -> Data:
    return call.one("Gemm", mat1, mat2, x, alpha=float(alpha), beta=float(beta))


@aten("baddbmm")
def baddbmm(call: Call, x: Data, batch1: Data, batch2: Data, beta: float = 1, alpha: float = 1) -> Data:
    found = call.run("linalg.matmul", batch1, batch2)
    found = found if alpha == 1 else call.run("math.mul", found, float(alpha))
    if beta == 0:
        return found
    return call.run("math.add", x if beta == 1 else call.run("math.mul", x, float(beta)), found)


@aten("matmul", "mm", "bmm", "mv", "dot")
def product(call: Call, x: Data, other: Data | None = None, **second: Data) -> Data:
    right = other if other is not None else next(iter(second.values()))
    return matrix_product(call, *promoted(call, x, right))


@aten("outer")
def outer(call: Call, x: Data, vec2: Data) -> Data:
    rows = call.one("Unsqueeze", x, call.ints([1]))
    return call.run("math.mul", rows, call.one("Unsqueeze", vec2, call.ints([0])))


@aten("einsum")
def einsum(call: Call, equation: str, tensors: Sequence[Data], path: Any = None) -> Data:
    return call.one("Einsum", *tensors, equation=equation)


# ---- normalizations --------------------------------------------------------------------------------------------------
@aten("batch_norm", "_native_batch_norm_legit_no_training", "native_batch_norm", "_native_batch_norm_legit")
def batch_norm(
    call: Call, x: Data, weight: Data | None, bias: Data | None, running_mean: Data | None = None,
    running_var: Data | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5, **ignored: Any,
) -> list[Data | None]:  # fmt: skip
    require(not training, "batch normalization in training: call 'module.eval()' before the export")
    require(running_mean is not None and running_var is not None, "batch normalization without running statistics")
    return [call.run("nn.batch_norm", x, running_mean, running_var, bias, weight, epsilon=float(eps)), None, None]


def _ones(shape: Sequence[Any]) -> Data:
    extents = [known(each, "an extent that is normalized") for each in shape]
    return constant_of(np.broadcast_to(np.float32(1), extents), "ones")


@aten("layer_norm", "native_layer_norm")
def layer_norm(
    call: Call, x: Data, normalized_shape: Sequence[Extent], weight: Data | None = None, bias: Data | None = None,
    eps: float = 1e-5, cudnn_enable: bool = False,
) -> list[Data | None]:  # fmt: skip
    first = x.rank - len(normalized_shape)
    if weight is None and bias is None:
        axes = list(range(first, x.rank))
        return [call.run("nn.mean_variance_norm", x, None, None, axes=axes, epsilon=float(eps)), None, None]
    scale = _ones(x.shape[first:]) if weight is None else weight
    return [call.one("LayerNormalization", x, scale, bias, axis=first - x.rank, epsilon=float(eps)), None, None]


@aten("rms_norm", "_fused_rms_norm")
def rms_norm(
    call: Call, x: Data, normalized_shape: Sequence[Extent], weight: Data | None = None, eps: float | None = None
) -> list[Data | None]:
    first = len(normalized_shape)
    scale = _ones(x.shape[x.rank - first :]) if weight is None else weight
    epsilon = float(np.finfo(x.dtype).eps) if eps is None else float(eps)
    return [call.one("RMSNormalization", x, scale, axis=-first, epsilon=epsilon), None]


@aten("group_norm")
def group_norm(
    call: Call, x: Data, num_groups: int, weight: Data | None = None, bias: Data | None = None, eps: float = 1e-5,
    cudnn_enabled: bool = False,
) -> Data:  # fmt: skip
    grouped = call.run("layout.reshape", x, shape=[x.shape[0], num_groups, -1])
    normal = call.run("nn.mean_variance_norm", grouped, None, None, axes=[2], epsilon=float(eps))
    whole = call.run("layout.reshape", normal, shape=list(x.shape))
    align = unless(x.rank == 2, rhs_align=1)
    if weight is not None:
        whole = call.run("math.mul", whole, weight, **align)
    return whole if bias is None else call.run("math.add", whole, bias, **align)


@aten("instance_norm")
def instance_norm(
    call: Call, x: Data, weight: Data | None, bias: Data | None, running_mean: Data | None, running_var: Data | None,
    use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool = False,
) -> Data:  # fmt: skip
    if not use_input_stats:
        return call.run("nn.batch_norm", x, running_mean, running_var, bias, weight, epsilon=float(eps))
    require(x.rank > 2, "normalization of nothing")
    return call.run("nn.mean_variance_norm", x, bias, weight, epsilon=float(eps))


@aten("cosine_similarity")
def cosine_similarity(call: Call, x1: Data, x2: Data, dim: int = 1, eps: float = 1e-8) -> Data:
    axis = dim % x1.rank
    normal = [call.run("nn.l2_norm", each, axes=[axis], epsilon=eps) for each in (x1, x2)]
    return call.run("math.sum_reduce", call.run("math.mul", *normal), axes=[axis], squeeze=True)


# ---- embeddings and attention ----------------------------------------------------------------------------------------
@aten("embedding")
def embedding(
    call: Call, weight: Data, indices: Data, padding_idx: int = -1, scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Data:  # fmt: skip
    return call.run("layout.gather", weight, indices, axis=0, like=weight.dtype)


@aten("scaled_dot_product_attention")
def attention(
    call: Call, query: Data, key: Data, value: Data, attn_mask: Data | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Data:  # fmt: skip
    require(dropout_p == 0, "dropout in training: call 'module.eval()' before the export")
    if enable_gqa and key.shape[-3] != query.shape[-3]:
        key, value = (_repeated(call, each, query) for each in (key, value))
    factor = 1 / sqrt(known(query.shape[-1], "the number of channels")) if scale is None else float(scale)
    scores = call.run("linalg.matmul", query, key, transB=True)
    scores = call.run("math.mul", scores, float(np.float32(factor)))
    if is_causal:
        rows, columns = (known(each.shape[-2], "the length of a causal mask") for each in (query, key))
        attn_mask = constant_of(np.tril(np.ones((rows, columns), np.bool_)), "causal_mask")
    # PyTorch gives a query without a key the weights 0, where softmax of -inf alone is NaN.
    may_be_empty = attn_mask is not None and attn_mask.is_bool and not is_causal
    if attn_mask is not None and attn_mask.is_bool:
        hidden = float(np.finfo(np.float32).min) if may_be_empty else float("-inf")
        scores = call.run("math.select", attn_mask, scores, hidden)
    elif attn_mask is not None:
        scores = call.run("math.add", scores, attn_mask)
    weights = call.run("nn.softmax", scores, axes=[scores.rank - 1])
    if attn_mask is not None and may_be_empty:
        weights = call.run("math.select", attn_mask, weights, 0.0)
    return call.run("linalg.matmul", weights, value)


def _repeated(call: Call, x: Data, query: Data) -> Data:
    """Return keys or values with each head as often as heads of the query take it."""
    heads, wanted = (known(each.shape[-3], "the number of heads") for each in (x, query))
    count = wanted // heads
    wide = call.one("Unsqueeze", x, call.ints([x.rank - 2]))
    many = expanded(call, wide, [*x.shape[:-2], integers.constant(count), *x.shape[-2:]])
    return call.run("layout.reshape", many, shape=[*x.shape[:-3], integers.constant(wanted), *x.shape[-2:]])
