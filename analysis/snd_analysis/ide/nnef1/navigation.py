"""Navigation in a file in NNEF 1.0: targets and occurrences of names, its outline, and its folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from snd_analysis.base import Edit, Location, Severity, Span, TextEdit
from snd_analysis.ide.declarations import declared
from snd_analysis.ide.mentions import Occurrence
from snd_analysis.ide.navigation.definition import Link
from snd_analysis.ide.navigation.definition import implementation as implementation_of
from snd_analysis.ide.navigation.document_symbols import DocumentSymbol, OutlineKind
from snd_analysis.ide.navigation.folding import DocumentLink, FoldableRange, FoldKind
from snd_analysis.ide.nnef1.facts import assigned, fact_text, labels, submodel_labels
from snd_analysis.ide.nnef1.operations import signature_of
from snd_analysis.ide.nnef1.places import (
    PlacedEntry,
    definitions,
    entry_at,
    fragment_named,
    nodes_around,
    tree_of,
    use_at,
    uses,
    uses_of,
)
from snd_analysis.ide.nnef1.quantization import quantized_places
from snd_analysis.ide.rename import RenameRefused, Renaming
from snd_analysis.nnef1.names import Fragment, LocalSubject, Nnef1Use, OperationSubject, ParameterSubject, SymbolSubject
from snd_analysis.nnef1.syntax import KEYWORDS, Nnef1SyntaxTree, nodes
from snd_analysis.skriptnd.names import OperatorName, Role
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_SOURCES = frozenset({"external", "tract_core_external", "variable", "constant"})
_FEWEST_FOLDED = 2


# ---- where a name leads ----------------------------------------------------------------------------------------------
def definition(snapshot: Snapshot, path: str, offset: int) -> Link | None:
    """Return the declaration of the name at an offset: of an operation, its operator in the library."""
    use = use_at(snapshot, path, offset)
    if use is None:
        return None
    match use.subject:
        case OperationSubject(name=name):
            return _operator(snapshot, path, name, use.span)
        case ParameterSubject(operation=operation, name=name):
            return _parameter(snapshot, path, operation, name, use.span)
        case Fragment(name=name):
            return _fragment(snapshot, path, name, use.span)
        case LocalSubject() | SymbolSubject():
            return _assigned(snapshot, path, use)


def implementation(snapshot: Snapshot, path: str, offset: int) -> Sequence[Link]:
    """Return the formulas and compositions of the operator of the operation that is named at an offset."""
    use = use_at(snapshot, path, offset)
    is_operation = use is not None and isinstance(use.subject, OperationSubject)
    signature = signature_of(snapshot, path, use.subject.name) if use is not None and is_operation else None
    operator = None if signature is None else signature.operator
    found = None if operator is None else snapshot.definitions(operator.path).get(operator.name)
    if use is None or operator is None or found is None:
        return ()
    links = implementation_of(snapshot, operator.path, found.start + found.definition.name.start)
    return [Link(use.span, each.whole, each.name) for each in links]


def _operator(snapshot: Snapshot, path: str, name: str, origin: Span) -> Link | None:
    signature = signature_of(snapshot, path, name)
    operator = None if signature is None else signature.operator
    return None if operator is None else _of_operator(snapshot, operator, origin)


def _of_operator(snapshot: Snapshot, operator: OperatorName, origin: Span) -> Link | None:
    found = snapshot.definitions(operator.path).get(operator.name)
    if found is None:
        return None
    whole, name = found.definition.span, found.definition.name.span
    return Link(
        origin, Location(operator.path, whole.shifted(found.start)), Location(operator.path, name.shifted(found.start))
    )


def _parameter(snapshot: Snapshot, path: str, operation: str, name: str, origin: Span) -> Link | None:
    signature = signature_of(snapshot, path, operation)
    operator = None if signature is None else signature.operator
    if operator is None:
        return None
    for entry in declared(snapshot, operator, (BlockKind.ATTRIB, BlockKind.INPUT)):
        if entry.name.removesuffix("_") == name:
            return Link(origin, Location(operator.path, entry.span), Location(operator.path, entry.name_span))
    return _of_operator(snapshot, operator, origin)


def _fragment(snapshot: Snapshot, path: str, name: str, origin: Span) -> Link | None:
    tree = tree_of(snapshot, path)
    named = (each for each in definitions(tree) if each.head.name.text == name)
    found = fragment_named(tree, name) or next(named, None)
    if found is None:
        return None
    head = found.head.name.span.shifted(found.start)
    return Link(origin, Location(path, Span(found.start, found.end)), Location(path, head))


def _assigned(snapshot: Snapshot, path: str, use: Nnef1Use) -> Link | None:
    """Return the last assignment before a name, else its declaration, else the first assignment."""
    places = [*uses_of(snapshot, path, use.subject)]
    tree = tree_of(snapshot, path)
    own = entry_at(tree, use.span.start)
    before = own.entry.start if own is not None else use.span.start
    written = [each for each in places if each.role is Role.WRITE]
    earlier = [each for each in written if each.span.start < before]
    declared_at = [each for each in places if each.role is Role.DECLARATION]
    found = use if use.role is Role.WRITE else next(iter([*earlier[::-1], *declared_at, *written, *places]), None)
    if use.role is Role.DECLARATION and written:
        found = written[-1]
    if found is None:
        return None
    placed = entry_at(tree, found.span.start)
    whole = found.span if placed is None else Span(placed.entry.start, placed.end)
    return Link(use.span, Location(path, whole), Location(path, found.span))


def type_definition(snapshot: Snapshot, path: str, offset: int) -> Link | None:
    """Return the operation or fragment that makes the tensor at an offset."""
    use = use_at(snapshot, path, offset)
    if use is None or not isinstance(use.subject, LocalSubject):
        return None
    link = _assigned(snapshot, path, use)
    placed = None if link is None else entry_at(tree_of(snapshot, path), link.name.span.start)
    statement = None if placed is None else placed.entry.statements[0]
    if not isinstance(statement, nodes.Assignment) or not isinstance(statement.value, nodes.Call):
        return None
    name = statement.value.function.text
    return _fragment(snapshot, path, name, use.span) or _operator(snapshot, path, name, use.span)


def occurrences(snapshot: Snapshot, path: str, offset: int, paths: Iterable[str] | None) -> Iterator[Occurrence]:
    """Yield the places that name the subject at an offset, also in the quantizations beside the graph."""
    use = use_at(snapshot, path, offset)
    if use is None:
        return
    for each in uses_of(snapshot, path, use.subject):
        yield Occurrence(Location(path, each.span), each.role)
    if paths is not None and isinstance(use.subject, LocalSubject) and is_of_graph(snapshot, path, use.subject):
        for place in quantized_places(snapshot, path, use.subject.name):
            yield Occurrence(place, Role.READ)


def is_of_graph(snapshot: Snapshot, path: str, subject: LocalSubject) -> bool:
    """Return whether a name is local to the graph of a file, not to a fragment."""
    graphs = (each for each in definitions(tree_of(snapshot, path)) if each.head.kind == "graph")
    return any(each.head.name.text == subject.definition for each in graphs) and subject.comprehension is None


def links(snapshot: Snapshot, path: str) -> Sequence[DocumentLink]:
    """Return the labels of variables and submodels with the files that they lead to."""
    found = [DocumentLink(variable.span, file) for variable, file, known in labels(snapshot, path) if file and known]
    return [*found, *(DocumentLink(span, graph) for span, graph in submodel_labels(snapshot, path))]


# ---- the shape of the file -------------------------------------------------------------------------------------------
def around(snapshot: Snapshot, path: str, offset: int) -> Iterator[Span]:
    """Yield the definition, the statement and the nodes around an offset."""
    tree = tree_of(snapshot, path)
    for item in tree.document.items:
        if isinstance(item, nodes.Placed):
            if item.start <= offset <= item.start + item.item.end:
                yield item.item.span.shifted(item.start)
        elif item.start <= offset <= item.end:
            yield Span(item.start, item.end)
    placed = entry_at(tree, offset)
    if placed is not None:
        for node in nodes_around(placed.entry, offset):
            yield node.span.shifted(placed.entry.start)


def foldable(snapshot: Snapshot, path: str) -> Iterator[FoldableRange]:
    """Yield definitions, statements of several lines, and runs of declarations: variables, inputs, constants."""
    tree = tree_of(snapshot, path)
    extensions = [
        each.item.span.shifted(each.start)
        for each in tree.document.items
        if isinstance(each, nodes.Placed) and isinstance(each.item, nodes.Extension)
    ]
    if len(extensions) > 1:
        yield FoldableRange(Span(extensions[0].start, extensions[-1].end), FoldKind.IMPORTS)
    for each in definitions(tree):
        yield FoldableRange(Span(each.start, each.end), FoldKind.CODE)
        placed = [PlacedEntry(each, entry, number) for number, entry in enumerate(each.body or ())]
        for kind, group in groupby(placed, lambda entry: _source(entry.entry)):
            run = [*group]
            if kind and len(run) >= _FEWEST_FOLDED:
                yield FoldableRange(Span(run[0].entry.start, run[-1].end), FoldKind.CODE)
            else:
                for entry in run:
                    yield FoldableRange(Span(entry.entry.start, entry.end), FoldKind.CODE)


def _source(entry: nodes.Entry) -> str:
    """Return the operation of an entry that declares a tensor; empty for others."""
    statement = entry.statements[0]
    value = statement.value if isinstance(statement, nodes.Assignment) else None
    name = value.function.text if isinstance(value, nodes.Call) else ""
    return name if name in _SOURCES else ""


def outline(snapshot: Snapshot, path: str) -> Sequence[DocumentSymbol]:
    """Return the fragments and the graph, with the names that their bodies assign."""
    tree = tree_of(snapshot, path)
    return [_definition(snapshot, path, tree, each) for each in definitions(tree)]


def _definition(snapshot: Snapshot, path: str, tree: Nnef1SyntaxTree, item: nodes.Definition) -> DocumentSymbol:
    head = item.head
    kind = OutlineKind.GRAPH if head.kind == "graph" else OutlineKind.OPERATOR
    children: list[DocumentSymbol] = []
    if head.kind == "fragment":
        for parameter in head.parameters:
            span, name = parameter.span.shifted(item.start), parameter.name.span.shifted(item.start)
            written = "" if parameter.type is None else _shown(tree, parameter.type, item.start)
            children.append(DocumentSymbol(parameter.name.text, OutlineKind.PARAMETER, written, span, name))
    for number, entry in enumerate(item.body or ()):
        children += _entry(snapshot, path, PlacedEntry(item, entry, number))
    name = head.name.span.shifted(item.start)
    return DocumentSymbol(head.name.text, kind, head.kind, Span(item.start, item.end), name, tuple(children))


def _shown(tree: Nnef1SyntaxTree, node: nodes.Node, base: int) -> str:
    return tree.text[node.start + base : node.end + base]


def _entry(snapshot: Snapshot, path: str, placed: PlacedEntry) -> Iterator[DocumentSymbol]:
    values = assigned(snapshot, path, placed)
    kind = OutlineKind.PARAMETER if _source(placed.entry) else OutlineKind.TENSOR
    for statement in placed.entry.statements:
        if not isinstance(statement, nodes.Assignment):
            continue
        operation = statement.value.function.text if isinstance(statement.value, nodes.Call) else ""
        for name in _names(statement.target):
            detail = fact_text(values.get(name.text), short=True) or operation
            whole = Span(statement.start + placed.entry.start, statement.end + placed.entry.start)
            yield DocumentSymbol(name.text, kind, detail, whole, name.span.shifted(placed.entry.start))


def _names(target: nodes.Expression) -> Iterator[nodes.Identifier]:
    match target:
        case nodes.Identifier():
            yield target
        case nodes.Array(items=items) | nodes.Tuple(items=items):
            for each in items:
                yield from _names(each)


# ---- renaming in a file in NNEF 1.0 ----------------------------------------------------------------------------------
def prepare_rename(snapshot: Snapshot, path: str, offset: int) -> tuple[Span, str]:
    """Return the name at an offset that can be changed: its span and its text. Raise RenameRefused."""
    use = _renamed(snapshot, path, offset)
    return use.span, tree_of(snapshot, path).text[use.span.start : use.span.end]


def rename(snapshot: Snapshot, path: str, offset: int, name: str, _: Iterable[str]) -> Renaming:
    """Return the renaming of the subject at an offset. Raise RenameRefused if the target of a name would change."""
    use = _renamed(snapshot, path, offset)
    text = tree_of(snapshot, path).text
    if name in KEYWORDS:
        raise RenameRefused(f"'{name}' is a keyword")
    if not (name.isidentifier() and name.isascii()):
        raise RenameRefused(f"'{name}' is no identifier: a letter or '_', then letters, digits and '_'")
    if name == text[use.span.start : use.span.end]:
        return Renaming(())
    places = [each.span for each in uses_of(snapshot, path, use.subject)]
    _demand_same_meaning(snapshot, path, use, places, name)
    found = dict.fromkeys(each.location for each in occurrences(snapshot, path, offset, ()))
    return Renaming(tuple(TextEdit(location, name) for location in sorted(found)))


def _renamed(snapshot: Snapshot, path: str, offset: int) -> Nnef1Use:
    use = use_at(snapshot, path, offset)
    if use is None:
        raise RenameRefused("there is no name here that could be changed")
    if not isinstance(use.subject, LocalSubject | Fragment | SymbolSubject):
        raise RenameRefused(f"'{use.subject.name}' is an operation: its name is fixed")
    return use


def _demand_same_meaning(snapshot: Snapshot, path: str, use: Nnef1Use, places: list[Span], name: str) -> None:
    """Make the change in a copy, and look where every name leads then."""
    text = tree_of(snapshot, path).text
    for span in reversed(places):
        text = Edit(span, name).apply(text)
    after = snapshot.changed({path: text})
    renamed = {span.start for span in places}
    growth, expected = 0, []
    for each in uses(snapshot.db, path):
        if each.span.start in renamed:
            expected.append((each.span.start + growth, "renamed"))
            growth += len(name) - (each.span.end - each.span.start)
        else:
            expected.append((each.span.start + growth, "other"))
    subjects = {start for start, kind in expected if kind == "renamed"}
    found = [*uses(after.db, path)]
    own = {each.subject for each in found if each.span.start in subjects}
    clash = next((each for each in found if each.span.start not in subjects and each.subject in own), None)
    if clash is not None or len(own) != 1 or len(found) != len(expected):
        raise RenameRefused(f"the name would clash with another: there is a '{name}' already")
    before = sum(each.severity is Severity.ERROR for each in snapshot.diagnostics(path))
    errors = [each.message for each in after.diagnostics(path) if each.severity is Severity.ERROR]
    if len(errors) > before:
        raise RenameRefused(f"the program would be wrong then: {errors[0]}")
