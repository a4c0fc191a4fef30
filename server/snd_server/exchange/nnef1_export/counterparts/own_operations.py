"""``nnef1`` and ``tract``: operators that are operations of NNEF 1.0 already."""

from __future__ import annotations

from typing import Any

from snd_analysis.compose import Member
from snd_analysis.nnef1.lints import ABSENT_IN_TRACT
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_analysis.workspace import operation_names as known_names
from snd_analysis.workspace import operations_of_dialect
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.root_graph import module_of
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.literals import Expression, written_extent

_PAIRED = frozenset(["padding"])
"""The attributes that are arrays of pairs."""
_OF_SND = frozenset(["exact"])
"""The attributes that only snd has."""
_TYPED = frozenset(["constant", "cast"])
"""The operations whose result has a type that no input determines."""
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
    if found is None or name.name.startswith("_") or (call.is_tract and operation in ABSENT_IN_TRACT):
        raise Unsuitable(f"the dialect of {dialect.value} has no operation '{operation}'")
    if found != name:
        raise Unsuitable(f"'{operation}' has another meaning in the dialect of {dialect.value}")
    inputs: list[str] = []
    attributes: dict[str, Any] = {}
    is_gap = False
    for at, member in enumerate(template.inputs):
        if not call.has(at) or call.is_default(at):
            is_gap = True
            continue
        argument = _argument(call, at, member)
        if is_gap:
            attributes[member.name] = Expression(argument)
        else:
            inputs.append(argument)
    for member in template.attributes:
        if member.name not in _OF_SND:
            attributes[member.name] = _attribute(call, member)
    outputs = [target for names in call.names for target in names]
    is_array = any(member.node.pack is not None for member in template.outputs)
    generic = _GENERICS[call.output.dtype or "real"] if operation in _TYPED else None
    call.scope.nodes_of(operation, inputs, outputs, generic=generic, is_array=is_array, **attributes)


def _argument(call: OperationCall, at: int, member: Member) -> str:
    items = call.items(at)
    return f"[{', '.join(items)}]" if member.node.pack is not None else items[0]


def _attribute(call: OperationCall, member: Member) -> Any:
    """Return the value of an attribute; None for one that may be left out."""
    value = call.callee.attributes.get(member.name)
    if member.name in call.attributes:
        plain = call.attributes[member.name]
    elif isinstance(value, Integer):
        plain = Expression(written_extent(value, call.scope.dialect))
    elif isinstance(value, Pack) and value.items is not None and all(isinstance(each, Integer) for each in value.items):
        items = [each for each in value.items if isinstance(each, Integer)]
        plain = [Expression(written_extent(each, call.scope.dialect)) for each in items]
    else:
        plain = call[member.name]
    if isinstance(plain, tuple):
        plain = list(plain)
    if plain == [] and member.node.default is not None:
        return None
    if member.name in _PAIRED:
        return [tuple(plain[at : at + 2]) for at in range(0, len(plain), 2)]
    return plain
