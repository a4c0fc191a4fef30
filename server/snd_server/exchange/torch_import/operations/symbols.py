"""Ints that programs compute from extents."""

from __future__ import annotations

from typing import Any

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.torch_import.call import Call, Extent, aten, axis_of, integer


@aten("sym_size.int", "size.int")
def size(call: Call, x: Data, dim: int) -> Integer:
    return x.shape[axis_of(dim, x.rank)]


@aten("sym_numel")
def count(call: Call, x: Data) -> Integer:
    found = integers.constant(1)
    for each in x.shape:
        found = found * each
    return found


def _operands(arguments: dict[str, Any]) -> list[Integer]:
    values = list(arguments.values())
    require(all(isinstance(each, int | Integer) for each in values), "it computes with numbers that are no ints")
    return [integer(each) for each in values]


@aten(
    *(f"_operator.{name}" for name in ("add", "sub", "mul", "floordiv", "mod", "neg")), "torch.sym_max", "torch.sym_min"
)
def arithmetic(call: Call, **arguments: Extent) -> Integer:
    first, *rest = _operands(arguments)
    match call.source.kind.rpartition(".")[2], rest:
        case "add", [second]:
            return first + second
        case "sub", [second]:
            return first - second
        case "mul", [second]:
            return first * second
        case "floordiv", [second]:
            return integers.floor_divide(first, second)
        case "mod", [second]:
            return integers.remainder(first, second)
        case "sym_max", [second]:
            return integers.maximum(first, second)
        case "sym_min", [second]:
            return integers.minimum(first, second)
    return -first


_COMPARISONS = ("ge", "le", "eq", "gt", "lt", "ne", "and_", "or_", "not_")
_CONDITIONS = (
    "_assert_scalar", "_assert_tensor_metadata", "_assert_async", "sym_constrain_range_for_size", "sym_constrain_range",
    "_check_is_size",
)  # fmt: skip


@aten(*(f"_operator.{name}" for name in _COMPARISONS), *_CONDITIONS)
def condition(call: Call, **arguments: Any) -> list[Data | None]:
    """Leave out a condition on extents, which ``torch.export`` has shown."""
    return [None]
