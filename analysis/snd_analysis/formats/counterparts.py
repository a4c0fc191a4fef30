"""Operators of TOSA that operators of the standard library can be written with."""

from __future__ import annotations

from msgspec import Struct


class Counterpart(Struct, frozen=True):
    """An operator of TOSA; ``same`` if its inputs are the same in the same order, and it needs no attribute."""

    name: str
    same: bool = False


_SAME = {
    "iden": "identity", "neg": "negate", "rcp": "reciprocal", "rsqrt": "rsqrt", "exp": "exp", "log": "log",
    "tanh": "tanh", "abs": "abs", "not": "logical_not", "floor": "floor", "ceil": "ceil", "add": "add", "sub": "sub",
    "mul": "mul", "pow": "pow", "min": "minimum", "max": "maximum", "gt": "greater", "ge": "greater_equal",
    "eq": "equal", "and": "logical_and", "or": "logical_or", "xor": "logical_xor", "select": "select",
}  # fmt: skip
_OTHERS = {
    ("math", "clamp"): "clamp", ("math", "div"): "reciprocal", ("math", "sum_reduce"): "reduce_sum",
    ("math", "max_reduce"): "reduce_max", ("math", "min_reduce"): "reduce_min",
    ("math", "prod_reduce"): "reduce_product",
    ("math", "any_reduce"): "reduce_any", ("math", "all_reduce"): "reduce_all", ("math", "argmax"): "argmax",
    ("math", "lt"): "greater", ("math", "le"): "greater_equal", ("linalg", "matmul"): "matmul",
    ("nn", "conv"): "conv2d",
    ("nn", "deconv"): "transpose_conv2d", ("nn", "max_pool"): "max_pool2d", ("nn", "avg_pool"): "avg_pool2d",
    ("nn", "linear"): "fully_connected", ("nn", "relu"): "clamp", ("layout", "cast"): "cast",
    ("layout", "concat"): "concat", ("layout", "pad"): "pad", ("layout", "reshape"): "reshape",
    ("layout", "flatten"): "reshape", ("layout", "squeeze"): "reshape", ("layout", "unsqueeze"): "reshape",
    ("layout", "slice"): "slice", ("layout", "tile"): "tile", ("layout", "transpose"): "transpose",
    ("layout", "gather"): "gather", ("layout", "scatter"): "scatter", ("layout", "tensor"): "const",
    ("image", "nearest_upsample"): "resize", ("image", "linear_upsample"): "resize",
}  # fmt: skip
COUNTERPARTS = {
    **{("math", name): Counterpart(other, True) for name, other in _SAME.items()},
    **{name: Counterpart(other) for name, other in _OTHERS.items()},
    ("nn", "sigmoid"): Counterpart("sigmoid", True),
}
"""Counterparts by module and name."""
