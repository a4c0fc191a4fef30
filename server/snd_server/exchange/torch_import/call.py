"""Calls of ATen operators, and the registry of their translations.

A translation is a function whose parameters are those of the operator. Tensors are ``Data``, symbolic ints ``Integer``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, UntranslatableError, constant_of, require
from snd_server.exchange.onnx_import.node import INT, REAL, TRANSLATIONS, Item, OnnxNode, TensorSequence
from snd_server.exchange.onnx_import.operations.elementwise import bits_of, wrapped
from snd_server.exchange.onnx_import.source import Array, SourceNode
from snd_server.exchange.torch_import.program import Ref, Unsupported

Extent: TypeAlias = "int | Integer"
CallTranslation: TypeAlias = "Callable[..., Item | Sequence[Item] | int | Integer]"
_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPSET = 21
"""Version of the ONNX nodes that calls are translated by."""
_RENAMED = {"self": "x", "input": "x", "max": "high", "min": "low", "type": "kind"}
"""Names of parameters by the names of ATen's."""


class Call(OnnxNode, frozen=True, eq=False):
    """A call of an ATen operator, with the facts about its tensors."""

    @property
    def name(self) -> str:
        """Name of the operator without its overload: ``conv2d``."""
        return self.source.kind.partition(".")[0]

    def onnx(self, kind: str, *inputs: Data | None, outputs: int = 1, **attributes: Any) -> list[Data]:
        """Return the results of an ONNX node on tensors."""
        names = tuple("" if each is None else f"input {at + 1}" for at, each in enumerate(inputs))
        results = tuple(f"output {at + 1}" for at in range(outputs))
        source = SourceNode(kind, "", self.source.name, names, results, attributes, _OPSET, self.source.modules)
        found = TRANSLATIONS["", kind](OnnxNode(source, inputs, self.builder, self.translator))
        items = [found] if found is None or isinstance(found, Data | TensorSequence) else list(found)
        return [each for each in items if isinstance(each, Data)]

    def one(self, kind: str, *inputs: Data | None, **attributes: Any) -> Data:
        """Return the result of an ONNX node with one output."""
        (found,) = self.onnx(kind, *inputs, **attributes)
        return found

    def ints(self, items: Sequence[int]) -> Data:  # type: ignore[override]
        """Return a constant list of ints."""
        return self.constant(list(items), INT)

    def extents(self, items: Sequence[Extent]) -> Data:
        """Return a list of ints that may depend on extents."""
        found = np.empty(len(items), object)
        found[:] = [integer(each) for each in items]
        return Data(INT, (integers.constant(len(items)),), contents=found)

    def stored(self, result: Data) -> Data:
        """Return sums and products of ints as their type stores them."""
        is_known = result.array is not None or result.contents is not None
        is_wide = result.dtype.kind not in "iu" or bits_of(result.dtype) > 32
        return result if is_known or is_wide else wrapped(self, result)


def integer(value: Extent) -> Integer:
    """Return an int as a symbolic one."""
    return value if isinstance(value, Integer) else integers.constant(int(value))


def known(value: Extent, what: str) -> int:
    """Return an int that must be a number. Raise UntranslatableError."""
    found = integer(value).value
    require(found is not None, f"{what} must be a number, but depends on extents")
    assert found is not None
    return found


def axis_of(axis: int, rank: int) -> int:
    """Return an axis, counted from the first one."""
    require(-max(rank, 1) <= axis < max(rank, 1), f"there is no axis {axis} of {rank}")
    return axis % rank if rank else 0


def axes_of(axes: int | Sequence[int] | None, rank: int) -> list[int]:
    """Return axes, counted from the first one; all for None or an empty list."""
    if axes is None or axes == []:
        return list(range(rank))
    return [axis_of(each, rank) for each in ([axes] if isinstance(axes, int) else axes)]


def tensor(call: OnnxNode, value: Data | float | int | bool | Integer, like: Data | None = None) -> Data:
    """Return a number as a tensor, in the type that ATen computes it in beside ``like``."""
    if isinstance(value, Data):
        return value
    if isinstance(value, Integer):
        found = _symbolic(value)
        return call.as_real(found) if like is not None and like.is_real else found
    if like is not None and (like.is_real or (like.is_int and not isinstance(value, float))):
        return constant_of(np.asarray(value, like.dtype))
    return constant_of(np.asarray(value, REAL if isinstance(value, float) else None))


def promoted(call: Call, *values: Data | float | int | bool | Integer) -> list[Data]:
    """Return tensors and numbers in the type that ATen computes them in.

    A number decides the type only if it is of a later kind (bool, int, real) than all tensors, and so does a tensor
    without dimensions beside others with dimensions.
    """
    tensors = [each for each in values if isinstance(each, Data)]
    like = max(tensors, key=lambda each: (_kind(each), each.rank > 0, each.dtype.itemsize), default=None)
    kinds = [_kind(tensor(call, each)) for each in values]
    if like is None or max(kinds) > _kind(like):
        like = constant_of(np.zeros((), REAL if max(kinds) == 2 else INT))
    return [as_type(call, tensor(call, each, like), like.dtype) for each in values]


def _kind(data: Data) -> int:
    return 2 if data.is_real else 1 if data.is_int else 0


def as_type(call: OnnxNode, data: Data, dtype: np.dtype[Any]) -> Data:
    """Return a tensor with elements of another type, as ATen casts them."""
    from snd_server.exchange.onnx_import.operations.elementwise import cast_to

    if data.dtype == dtype:
        return data
    if data.array is not None and data.tensor is None:
        with np.errstate(all="ignore"):
            return constant_of(data.array.astype(dtype), data.name)
    return cast_to(call, data, dtype)


def aten(*names: str) -> Callable[[_Function], _Function]:
    """Register a function as the translation of calls: of all overloads (``conv2d``), or of one (``max.dim``)."""

    def register(function: _Function) -> _Function:
        for name in names:
            assert name not in _CALLS, name
            _CALLS[name] = function
        return function

    return register


_CALLS: dict[str, CallTranslation] = {}


def translated(node: OnnxNode) -> Item | Sequence[Item]:
    """Translate a call. Raise UntranslatableError."""
    function = _CALLS.get(node.source.kind) or _CALLS.get(node.source.kind.partition(".")[0])
    if function is None:
        raise UntranslatableError("there is no operator for this call")
    arguments = {_RENAMED.get(name, name): _value(value, node) for name, value in node.source.attributes.items()}
    found = function(Call(node.source, node.inputs, node.builder, node.translator), **arguments)
    return _symbolic(found) if isinstance(found, int | Integer) else found


def _symbolic(value: Extent) -> Data:
    """Return an int as a tensor without dimensions."""
    contents = np.empty((), object)
    contents[()] = integer(value)
    return Data(INT, (), contents=contents)


def _value(value: Any, node: OnnxNode) -> Any:
    match value:
        case Ref():
            found = node.inputs[value.at]
            if isinstance(found, Data) and found.contents is not None and not found.rank:
                item = found.contents.item()
                return item if item.value is None else item.value
            return found
        case list():
            return [_value(each, node) for each in value]
        case Unsupported():
            raise UntranslatableError(f"an argument that is a {value.kind.replace('_', ' ')}")
    return value


def array_of(value: Any) -> Array | None:
    """Return the elements of a constant tensor; None for other tensors."""
    return value.array if isinstance(value, Data) else None
