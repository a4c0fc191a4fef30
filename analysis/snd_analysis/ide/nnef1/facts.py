"""Facts about the names of a file in NNEF 1.0: values, tensors, and the operations made from statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from posixpath import dirname, join

from snd_analysis.base import Span
from snd_analysis.compose import extent_text
from snd_analysis.db import Database, query
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.limits import MOST_SHOWN_ITEMS
from snd_analysis.ide.nnef1.places import PlacedEntry, entry_at, tree_of, use_at
from snd_analysis.ide.values import short_type_text, type_text
from snd_analysis.model import Operation, Tensor
from snd_analysis.nnef1.elaborate import (
    ElaboratedValue,
    GraphTensor,
    ItemList,
    KnownItems,
    ReportedUnknown,
    StoredVariable,
    TensorFile,
    submodels_in,
)
from snd_analysis.nnef1.names import LocalSubject, Nnef1Use, SymbolSubject
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.names import Role
from snd_analysis.skriptnd.syntax import nodes as flat
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.workspace import Snapshot, elaborated, tensor_file, tensor_path


def value_of(snapshot: Snapshot, path: str, use: Nnef1Use) -> ElaboratedValue | None:
    """Return the value of a name at its place; in a fragment, that in its first invocation. None if unknown."""
    found = elaborated(snapshot.db, path)
    match use.subject:
        case SymbolSubject(name=name):
            return found.symbols.get(name)
        case LocalSubject(name=name, comprehension=None):
            pass
        case _:
            return None
    tree = tree_of(snapshot, path)
    placed = entry_at(tree, use.span.start)
    if placed is None or placed.definition.head.name.text != use.subject.definition:  # in a head, or in an invocation
        own = use.subject.definition
        values = found.bodies.get(own)
        if values is not None and name in values.parameters:
            return values.parameters[name]
        values = values or found.values
        return next((each[name] for each in reversed(values.entries) if name in each), None)
    values = found.values if placed.definition.head.kind == "graph" else found.bodies.get(use.subject.definition)
    if values is None:
        return None
    last = placed.number + (use.role is Role.WRITE)
    for assigned in reversed(values.entries[:last]):
        if name in assigned:
            return assigned[name]
    return values.parameters.get(name)


def assigned(snapshot: Snapshot, path: str, placed: PlacedEntry) -> Mapping[str, ElaboratedValue]:
    """Return the values that an entry assigns; in a fragment, those of its first invocation."""
    found = elaborated(snapshot.db, path)
    head = placed.definition.head
    values = found.values if head.kind == "graph" else found.bodies.get(head.name.text)
    if values is None or placed.number >= len(values.entries):
        return {}
    return values.entries[placed.number]


def tensor_names(value: ElaboratedValue | None) -> Iterator[str]:
    """Yield the names in the graph of the tensors that a value is or has."""
    match value:
        case GraphTensor(name=name) if name:
            yield name
        case ItemList(values=values):
            for each in values:
                yield from tensor_names(each)


# ---- operations ------------------------------------------------------------------------------------------------------
@query
def _components(db: Database, path: str) -> Mapping[int, tuple[flat.Component, ...]]:
    """Return the statements made from entries, by the start of the entry."""
    found: dict[int, list[flat.Component]] = {}
    definition = elaborated(db, path).definition
    for block in () if definition is None else definition.blocks:
        if isinstance(block, flat.Block) and block.kind == flat.BlockKind.COMPOSE:
            for entry in block.entries:
                if isinstance(entry.statement, flat.Component):
                    found.setdefault(entry.start, []).append(entry.statement)
    return {start: tuple(each) for start, each in found.items()}


def operations_of(
    snapshot: Snapshot, path: str, entry: nodes.Entry, name: nodes.Identifier
) -> tuple[flat.Call, list[Operation]] | None:
    """Return the invocation made from an operation of an entry, and its operations; None if nothing was made."""
    definition = elaborated(snapshot.db, path).definition
    if definition is None:
        return None
    for component in _components(snapshot.db, path).get(entry.start, ()):
        call = component.value
        if isinstance(call, flat.Call) and call.function.span == name.span:
            knowledge = Knowledge(snapshot, path, 0, definition)
            return call, knowledge.operations_of(call, entry.start)
    return None


# ---- texts -----------------------------------------------------------------------------------------------------------
def fact_text(value: ElaboratedValue | None, *, short: bool = False) -> str:
    """Return the type of a tensor, or a value; empty if nothing is known."""
    match value:
        case None | ReportedUnknown():
            return ""
        case GraphTensor(tensor=Tensor() as tensor, known=known):
            type_ = short_type_text(tensor) if short else type_text(tensor)
            return type_ if known is None or not type_ else f"{type_} = {_known_text(known)}"
        case GraphTensor():
            return ""
        case ItemList(values=values) if any(isinstance(each, GraphTensor) for each in values):
            return ", ".join(fact_text(each, short=short) or "?" for each in values)
    return f"= {plain_text(value)}"


def plain_text(value: ElaboratedValue) -> str:
    """Return a value that is known when a graph is read, in the notation of NNEF 1.0."""
    match value:
        case Integer():
            return extent_text(value)
        case Truth():
            return str(value).lower()
        case str():
            return f"'{value}'"
        case ItemList(values=values):
            shown = [plain_text(each) for each in values[:MOST_SHOWN_ITEMS]]
            more = ["…"] if len(values) > MOST_SHOWN_ITEMS else []
            brackets = "()" if value.is_tuple else "[]"
            return f"{brackets[0]}{', '.join([*shown, *more])}{brackets[1]}"
        case GraphTensor():
            return fact_text(value) or "?"
        case float():
            return repr(value)
    return "?"


def _known_text(known: KnownItems) -> str:
    if known.shape == () and known.items:
        return plain_text(known.items[0])
    return plain_text(ItemList(known.items))


# ---- the variables of a file in NNEF 1.0 and their tensor files ------------------------------------------------------
Stored = tuple[StoredVariable, str | None, TensorFile | None]
"""A variable, the path of its file, and the header of that file."""


def stored_at(snapshot: Snapshot, path: str, offset: int) -> Stored | None:
    """Return the variable whose label an offset stands in."""
    for variable in _with_files(snapshot, path):
        if variable.span.start <= offset <= variable.span.end and not variable.folder:
            return _stored(snapshot, path, variable)
    return None


def stored_named(snapshot: Snapshot, path: str, value: ElaboratedValue) -> Stored | None:
    """Return the variable that a value is."""
    names = set(tensor_names(value))
    found = (each for each in _with_files(snapshot, path) if each.name in names)
    variable = next(found, None)
    return None if variable is None or len(names) > 1 else _stored(snapshot, path, variable)


def stored_path(snapshot: Snapshot, path: str, offset: int) -> str | None:
    """Return the path of the tensor file of the variable that is named at an offset, or whose label stands there."""
    found = stored_at(snapshot, path, offset)
    if found is None:
        use = use_at(snapshot, path, offset)
        value = None if use is None else value_of(snapshot, path, use)
        found = None if value is None else stored_named(snapshot, path, value)
    return None if found is None or found[2] is None or found[2].fault is not None else found[1]


def labels(snapshot: Snapshot, path: str) -> Iterable[Stored]:
    """Yield every variable whose label is in the file, with its own file."""
    return (_stored(snapshot, path, each) for each in _with_files(snapshot, path) if not each.folder)


def submodel_labels(snapshot: Snapshot, path: str) -> Iterable[tuple[Span, str]]:
    """Yield the labels of submodels that are folders, with the paths of their graphs."""
    for use in submodels_in(elaborated(snapshot.db, path)):
        if use.is_own and use.submodel is not None and use.submodel.folder == use.label:
            yield use.span, join(dirname(path), use.submodel.path)


def _with_files(snapshot: Snapshot, path: str) -> Iterator[StoredVariable]:
    """Yield the variables that files belong to: not the states of streams."""
    return (each for each in elaborated(snapshot.db, path).variables if each.initial is None)


def _stored(snapshot: Snapshot, path: str, variable: StoredVariable) -> Stored:
    return variable, tensor_path(path, variable.label), tensor_file(snapshot.db, path, variable.label)
