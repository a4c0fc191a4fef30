"""Invocations of the standard library as TOSA writes them: the operator, and its attributes with their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from snd_analysis.formats.intervals import Operands, extents
from snd_analysis.model import Operation, tensors_of
from snd_analysis.symbolic.integers import FALSE, TRUE
from snd_analysis.symbolic.values import NULL


# ---- operators of TOSA that operators of the standard library can be written with ------------------------------------
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


_REDUCTIONS = frozenset({"sum_reduce", "max_reduce", "min_reduce", "prod_reduce", "any_reduce", "all_reduce"})
_RESHAPING = frozenset({"reshape", "flatten", "squeeze", "unsqueeze"})
_GREATEST_RANK = 4


def as_tosa(operation: Operation, module: str, name: str) -> str | None:
    """Return an operator of TOSA with its attributes, without a module, that means the same for the same inputs.

    Return None if there is none, or extents that it must name are not known.
    """
    counterpart = COUNTERPARTS.get((module, name))
    if counterpart is None:
        return None
    if counterpart.same:
        ranks = {len(shape) for each in operation.inputs if (shape := extents(each)) is not None}
        plain = all(value is NULL for value in operation.attributes.values())
        return counterpart.name if plain and len(ranks) == 1 else None
    attributes = _attributes(Operands(operation, lambda _: None), module, name)
    return None if attributes is None else f"{counterpart.name}{attributes}"


def _attributes(found: Operands, module: str, name: str) -> str | None:
    """Return the attributes in braces; empty for none, None if there is no counterpart."""
    first = next(iter(tensors_of(found.operation.inputs[0])), None) if found.operation.inputs else None
    shape = extents(first) if first is not None else None
    result = found.result_shape()
    given = sum(each is not NULL for each in found.operation.inputs)
    if shape is None or result is None:
        return None
    rank = len(shape)
    match module, name:
        case "math", _ if name in _REDUCTIONS:
            axes = found.numbers("axes")
            if axes and len(axes) == 1 and found.attributes.get("squeeze") is FALSE and rank <= _GREATEST_RANK:
                return f"{{axis={axes[0] % rank}}}"
        case "math", "argmax":
            axis = found.number("axis")
            if axis is not None and found.attributes.get("squeeze") is TRUE and rank <= _GREATEST_RANK:
                return f"{{axis={axis % rank}}}"
        case "layout", "concat":
            axis = found.number("axis")
            return None if axis is None else f"{{axis={axis % rank}}}"
        case "layout", "transpose":
            perm, axis = found.numbers("perm"), found.number("axis")
            if perm and axis is not None:
                return f"{{perms={_list([*range(axis % rank), *(each % rank for each in perm)])}}}"
        case "layout", _ if name in _RESHAPING:
            return f"{{new_shape={_list(result)}}}"
        case "layout", "tile" if rank <= _GREATEST_RANK:
            return f"{{multiples={_list([new // max(old, 1) for old, new in zip(shape, result, strict=True)])}}}"
        case "layout", "slice" if rank <= _GREATEST_RANK:
            axes, begin, stride = (found.numbers(each) for each in ("axes", "begin", "stride"))
            if axes is not None and begin is not None and stride is not None and all(each == 1 for each in stride):
                first_of = {axis % rank: at for axis, at in zip(axes, begin, strict=True)}
                return f"{{start={_list([first_of.get(at, 0) for at in range(rank)])}, size={_list(result)}}}"
        case "layout", "pad":
            axes, padding = found.numbers("axes"), found.numbers("padding")
            if axes is not None and padding and found.text("method") == "CONSTANT" and given == 1:
                around = {axis % rank: padding[2 * at : 2 * at + 2] for at, axis in enumerate(axes)}
                return f"{{padding={_list([each for at in range(rank) for each in around.get(at, [0, 0])])}}}"
        case "nn", "linear":
            return "" if given == 3 else None
        case "linalg", "matmul":
            plain = all(found.attributes.get(each) is FALSE for each in ("transA", "transB"))
            other = found.shape(1)
            same_batch = rank == 3 and other is not None and len(other) == rank and other[0] == shape[0]
            return "" if plain and same_batch and given == 2 else None
        case "nn", "relu":
            most = found.attributes.get("max")
            if isinstance(most, float) and found.attributes.get("alpha") is NULL:
                return f"{{min_val=0.0, max_val={most!r}}}"
    return None


def _list(items: Sequence[int]) -> str:
    return f"[{','.join(map(str, items))}]"
