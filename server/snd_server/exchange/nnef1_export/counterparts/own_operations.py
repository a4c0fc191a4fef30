"""``nnef1`` and ``tract``: operators that are operations of NNEF 1.0 already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snd_analysis.compose import Member
from snd_analysis.nnef1.lints import ABSENT_IN_TRACT
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import UNDEFINED, Pack, Value
from snd_analysis.workspace import operation_names as known_names
from snd_analysis.workspace import operations_of_dialect
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.root_graph import module_of
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.literals import Expression, written_extent
from snd_server.exchange.nnef1_export.registry import counterpart
from snd_server.exchange.nnef1_export.scope import TRACT_TYPES

_TYPES = {("tract_onnx_ml_direct_lookup", "input"): "i32"}
"""The types that tract demands of inputs, other than those that all integers have."""
_NOT_GIVEN = {"scale": 0.0}
"""The values of attributes that are not given, where none can be given that means the same."""
_PAIRED = frozenset(["padding"])
"""The attributes that are arrays of pairs."""
_OF_SND = frozenset(["exact"])
"""The attributes that only snd has."""
_BORDERS = {
    "box": ("constant", "ignore"), "avg_pool": ("constant", "ignore"), "max_pool": ("constant", "ignore"),
    "max_pool_with_index": ("constant", "ignore"), "multilinear_upsample": ("replicate",),
}  # fmt: skip
"""The borders that operations have in tract, other than ``constant`` alone."""
_OF_INTEGERS = frozenset(
    [
        "cast", "concat", "constant", "copy", "copy_n", "desample", "gather", "reshape", "roi_resample", "sample",
        "select", "slice", "split", "squeeze", "stack", "tile", "transpose", "unsqueeze", "unstack",
    ]
)  # fmt: skip
"""The operations of Khronos' dialect that have tensors of integers."""
_TYPED = frozenset(["constant"])
"""The operations whose result has a type that no input determines."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_GENERICS = {"real": "scalar", "int": "integer", "bool": "logical"}


def operation_names(dialect: Dialect) -> frozenset[str]:
    """Return the names that fragments can't have."""
    return known_names(dialect) | known_names(Dialect.KHRONOS)


def is_own_module(name: OperatorName) -> bool:
    """Return whether the operators of a module are operations of NNEF 1.0."""
    return name.path.startswith("snd:") and module_of(name) in ("nnef1", "tract")


def write_own(call: OperationCall) -> None:
    """Write an operation under its name. Raise Unsuitable if the dialect has none with its meaning."""
    template = call.callee.template
    name = template.original or template.name
    operation, dialect = name.name.removesuffix("_"), call.scope.dialect
    found = operations_of_dialect(dialect).operator((operation,))
    if operation == "cast":
        raise Unsuitable("the type that it converts to can't be written")
    if found is None or name.name.startswith("_") or (call.is_tract and operation in ABSENT_IN_TRACT):
        raise Unsuitable(f"the dialect of {dialect.value} has no operation '{operation}'")
    if found != name:
        raise Unsuitable(f"'{operation}' has another meaning in the dialect of {dialect.value}")
    if not call.is_tract and "int" in call.dtypes and operation not in _OF_INTEGERS:
        raise Unsuitable("Khronos' dialect computes with scalars only")
    if call.is_tract:
        _demand_windows_of_tract(call, operation)
    inputs: list[str] = []
    attributes: dict[str, Any] = {}
    is_gap = False
    for at, member in enumerate(template.inputs):
        if not call.has(at) or call.is_default(at):
            is_gap = True
            continue
        argument = _argument(call, at, member)
        wanted = _TYPES.get((operation, member.name))
        if wanted is not None:
            argument = call.scope.node("tract_core_cast", [argument], to=wanted)
        if is_gap or (member.node.optional and operation.startswith("tract_")):
            attributes[member.name] = Expression(argument)
        else:
            inputs.append(argument)
    for member in template.attributes:
        if member.name not in _OF_SND:
            attributes[member.name] = _attribute(call, member)
    if call.is_tract and attributes.get("groups") == 0:  # tract knows it for one filter of each channel only
        attributes["groups"] = call.known()[1]
    outputs = [target for names in call.names for target in names]
    is_array = any(member.node.pack is not None for member in template.outputs)
    generic = _GENERICS[call.output.dtype or "real"] if operation in _TYPED else None
    call.scope.nodes_of(operation, inputs, outputs, generic=generic, is_array=is_array, **attributes)


def _demand_windows_of_tract(call: OperationCall, operation: str) -> None:
    """Raise Unsuitable for windows and borders at which tract ends its process, or computes something else."""
    size = call.attributes.get("size")
    if isinstance(size, tuple | list) and (len(size) < 3 or [*size[:2]] != [1, 1]):
        raise Unsuitable("tract has windows along all axes but the first two")
    border = call.attributes.get("border")
    if border is not None and operation != "pad" and border not in _BORDERS.get(operation, ("constant",)):
        raise Unsuitable(f"tract has no '{operation}' with the border '{border}'")


@counterpart("tract.slice")
def _slice(call: OperationCall) -> None:
    """Write a slice with bounds that count from the first element."""
    begin, end = call.callee.attributes["begin"], call.callee.attributes["end"]
    if any(isinstance(each, Integer) and (each.value or 0) < 0 for each in (*_items(begin), *_items(end))):
        begin, end = (_symbol(call, name) for name in ("first", "last"))
    stride = list(call["stride"])
    given = {"axes": list(call["axes"]), "begin": _extents(call, begin), "end": _extents(call, end)}
    call.write("slice", [call.input()], **given, stride=stride or None)


def _symbol(call: OperationCall, name: str) -> Value:
    found = (value for symbol, value in call.callee.scope.values.items() if symbol.name == name)
    return next(found, UNDEFINED)


def _items(value: Value) -> Sequence[Value]:
    return (value.items or ()) if isinstance(value, Pack) else ()


def _extents(call: OperationCall, value: Value) -> list[Expression]:
    return [Expression(written_extent(each, call.scope.dialect)) for each in _items(value) if isinstance(each, Integer)]


@counterpart("tract.tract_core_einsum")
def _einsum(call: OperationCall) -> None:
    left, right, result = ("".join(_LETTERS[each] for each in call[name]) for name in ("lhs", "rhs", "result"))
    inputs = [f"[{call.input(0)}, {call.input(1)}]"]
    call.write("tract_core_einsum", inputs, expr=f"{left},{right}->{result}", acc=TRACT_TYPES[call.dtype], output="")


@counterpart("tract.tract_core_einsum_q", "tract.tract_core_qconv")
def _quantized(call: OperationCall) -> None:
    raise Unsuitable("tract computes it with tensors of 8 bits, and the model has integers")


@counterpart("tract.tract_core_shape_of")
def _shape(call: OperationCall) -> None:
    """Write extents as integers: tract has a type of its own for them."""
    call.write("tract_core_cast", [call.scope.node("tract_core_shape_of", [call.input()])], to="i64")


@counterpart("tract.tract_core_broadcast")
def _broadcast(call: OperationCall) -> None:
    """Write the extents of the result: tract does not take a 1 for the extent that is there."""
    shape = [each for each in call.output.shape or () if isinstance(each, Integer)]
    extents = [Expression(written_extent(each, call.scope.dialect)) for each in shape]
    call.write("tract_core_broadcast", [call.input()], shape=extents)


def _argument(call: OperationCall, at: int, member: Member) -> str:
    items = call.items(at)
    return f"[{', '.join(items)}]" if member.node.pack is not None else items[0]


def _attribute(call: OperationCall, member: Member) -> Any:
    """Return the value of an attribute; None for one that may be left out."""
    value = call.callee.attributes.get(member.name, UNDEFINED)
    if member.name in call.attributes:
        plain = call.attributes[member.name]
    elif isinstance(value, Integer):
        plain = Expression(written_extent(value, call.scope.dialect))
    elif _items(value) and all(isinstance(each, Integer) for each in _items(value)):
        plain = _extents(call, value)
    else:
        plain = call[member.name]
    if isinstance(plain, tuple):
        plain = list(plain)
    if (plain == [] and member.node.default is not None) or plain == _NOT_GIVEN.get(member.name):
        return None
    if member.name in _PAIRED:
        return [tuple(plain[at : at + 2]) for at in range(0, len(plain), 2)]
    return plain
