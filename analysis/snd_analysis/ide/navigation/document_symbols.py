"""The outline of a file: definitions, their blocks, and the entries of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Location, Span
from snd_analysis.ide.knowledge import Knowledge, source_text
from snd_analysis.ide.limits import MOST_SYMBOLS
from snd_analysis.ide.targets import module_name
from snd_analysis.ide.values import type_text
from snd_analysis.skriptnd.names import (
    LIBRARY_PREFIX,
    OperatorName,
    Symbol,
    is_library,
    library_modules,
    operators_called,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

# Nodes that can contain statements and labels.
_AROUND_STATEMENTS = (nodes.Branch, nodes.Case, nodes.Labelled, nodes.Loop, nodes.Region, nodes.While)


class OutlineKind(StrEnum):
    """Kind of a line of the outline."""

    OPERATOR = "operator"
    GRAPH = "graph"
    BLOCK = "block"
    TYPE = "type"
    ATTRIBUTE = "attribute"
    PARAMETER = "parameter"
    """An input, output, constant or variable."""
    VALUE = "value"
    TENSOR = "tensor"
    LABEL = "label"
    FORMULA = "formula"
    QUANTIZATION = "quantization"


class DocumentSymbol(Struct, frozen=True):
    """A line of the outline. ``name_span`` lies in ``whole``, the spans of ``children`` may lie beside it."""

    name: str
    kind: OutlineKind
    detail: str
    """A type and shape, a value, or an operator that is invoked."""
    whole: Span
    name_span: Span
    children: tuple[DocumentSymbol, ...] = ()


def document_symbols(snapshot: Snapshot, path: str) -> list[DocumentSymbol]:
    """Return the outline of a file, in order of its places; unparsed entries are left out.

    Tensors of ``@compose`` have the shapes from composing the definition by itself, except in the standard library,
    which is not composed for an outline.
    """
    return [_definition(snapshot, path, start, definition) for start, definition in snapshot.tree(path).definitions]


def _definition(snapshot: Snapshot, path: str, start: int, definition: nodes.Definition) -> DocumentSymbol:
    outline = _Outline(snapshot, path, start, definition)
    blocks = (outline.block(block) for block in definition.blocks if isinstance(block, nodes.Block))
    whole, name = definition.span.shifted(start), definition.name.span.shifted(start)
    kind = OutlineKind.GRAPH if definition.kind == "graph" else OutlineKind.OPERATOR
    detail = f"{'public ' if definition.public else ''}{definition.kind}"
    return DocumentSymbol(definition.name.text or definition.kind, kind, detail, whole, name, tuple(blocks))


class _Outline:
    """The outline of one definition. Spans of the tree count from ``base``."""

    def __init__(self, snapshot: Snapshot, path: str, start: int, definition: nodes.Definition) -> None:
        self._snapshot = snapshot
        self._path = path
        self._start = start
        self._knowledge = Knowledge(snapshot, path, start, definition)
        self._base = start

    def block(self, block: nodes.Block) -> DocumentSymbol:
        children: list[DocumentSymbol] = []
        for entry in block.entries:
            self._base = self._start + entry.start
            children += self._entry(block.kind, entry.statement)
        keyword = block.keyword.shifted(self._start)
        whole = block.span.shifted(self._start)
        return DocumentSymbol(f"@{block.kind}", OutlineKind.BLOCK, "", whole, keyword, tuple(children))

    def _entry(self, block: BlockKind, statement: nodes.Statement) -> Iterator[DocumentSymbol]:
        match statement:
            case nodes.DtypeDeclaration():
                yield from self._named(statement.name, OutlineKind.TYPE, statement.base.text, statement)
            case nodes.Parameter():
                kind = OutlineKind.ATTRIBUTE if block == BlockKind.ATTRIB else OutlineKind.PARAMETER
                yield from self._named(statement.name, kind, self._type_of(statement), statement)
            case nodes.Using():
                yield from self._using(statement)
            case nodes.Lowering():
                detail = self._text(Span(statement.target.name.end, statement.end))
                yield from self._named(statement.target.name, OutlineKind.FORMULA, detail, statement)
            case nodes.Component():
                yield from self._component(statement)
            case nodes.Quantization():
                target = statement.target
                name = nodes.Name(target.start, target.end, target.text)
                yield from self._named(name, OutlineKind.QUANTIZATION, statement.algorithm.text, statement)

    def _type_of(self, parameter: nodes.Parameter) -> str:
        end = parameter.default.start if parameter.default is not None else parameter.end
        start = parameter.modifiers[0].start if parameter.modifiers else parameter.type.start
        return self._text(Span(start, end)).removesuffix("=").rstrip()

    def _using(self, using: nodes.Using) -> Iterator[DocumentSymbol]:
        targets = using.target.items if isinstance(using.target, nodes.ListTarget) else (using.target,)
        names = [name for target in targets for name in target.names]
        for name in names:
            whole = using if len(names) == 1 else name
            yield from self._named(name, OutlineKind.VALUE, self._text(using.value.span), whole)

    def _component(self, component: nodes.Component) -> Iterator[DocumentSymbol]:
        names = component.names
        inner = tuple(self._inside(component.value))
        detail = _invoked(component.value)
        for name in names:
            whole = component if len(names) == 1 else name
            yield from self._named(name, OutlineKind.TENSOR, self._tensor_text(name) or detail, whole, inner)
            inner = ()
        yield from inner

    def _inside(self, node: nodes.Node) -> Iterator[DocumentSymbol]:
        """Yield labels and the statements of blocks in a right side, from outside in."""
        if isinstance(node, nodes.Labelled):
            inner = tuple(self._inside(node.value))
            yield from self._named(node.label, OutlineKind.LABEL, _invoked(node.value), node, inner)
            return
        if not isinstance(node, _AROUND_STATEMENTS):
            return
        for child in nodes.children(node):
            if isinstance(child, nodes.Component):
                yield from self._component(child)
            elif isinstance(child, _AROUND_STATEMENTS):
                yield from self._inside(child)

    def _tensor_text(self, name: nodes.Name) -> str:
        if is_library(self._path):
            return ""
        symbol = self._knowledge.resolution.targets.get(name)
        return type_text(self._knowledge.value_of(symbol)) if isinstance(symbol, Symbol) else ""

    def _named(
        self,
        name: nodes.Name,
        kind: OutlineKind,
        detail: str,
        whole: nodes.Node,
        children: tuple[DocumentSymbol, ...] = (),
    ) -> Iterator[DocumentSymbol]:
        if name.text:
            span, name_span = whole.span.shifted(self._base), name.span.shifted(self._base)
            yield DocumentSymbol(name.text, kind, detail, span, name_span, children)

    def _text(self, span: Span) -> str:
        return source_text(self._snapshot, self._path, span.shifted(self._base))


def _invoked(value: nodes.Node) -> str:
    """Return the operator that a right side invokes, or the kind of its control flow."""
    match value:
        case nodes.Labelled():
            return _invoked(value.value)
        case nodes.Call():
            return value.function.text
        case nodes.Branch():
            return "if"
        case nodes.Loop():
            return value.keyword.text
        case _:
            return ""


# ---- definitions of all files by a part of their names ---------------------------------------------------------------
# Scores of matches of the letters of a query in a name; a greater sum is better.
_WORD_START = 8
_NEIGHBOUR = 10
_PREFIX = 2
_SAME_CASE = 1
_WHOLE = 32


class WorkspaceSymbol(Struct, frozen=True):
    """An operator or a graph of any file."""

    name: OperatorName
    kind: str
    module: str
    location: Location
    """Location of its name."""


def workspace_symbols(
    snapshot: Snapshot, query: str, paths: Iterable[str], with_library: bool = True
) -> list[WorkspaceSymbol]:
    """Return the definitions whose names have the letters of a query in its order, the most similar first.

    A query with a dot is compared with qualified names. An empty query finds nothing in the standard library, which
    everyone has. Operators of the library are found by their names in PyTorch, ONNX and NNEF 1.0, too.
    """
    library = [LIBRARY_PREFIX + module for module in library_modules()] if with_library and query else []
    ranked: list[tuple[float, str, str, OperatorName]] = []
    for path in dict.fromkeys([*paths, *library]):
        module = f"{module_name(snapshot, path, path)}." if "." in query else ""
        for name in snapshot.definitions(path):
            similar = similarity(query, module + name)
            if similar is not None:
                ranked.append((-similar, name, path, OperatorName(path, name)))
    for operator in operators_called(query) if library else ():
        module, _, name = operator.partition(".")
        ranked.append((-_WHOLE, name, LIBRARY_PREFIX + module, OperatorName(LIBRARY_PREFIX + module, name)))
    names = dict.fromkeys(name for *_, name in sorted(ranked))
    return [found for name in [*names][:MOST_SYMBOLS] if (found := _symbol(snapshot, name)) is not None]


def similarity(query: str, name: str) -> float | None:
    """Return how well a name fits a query, the greater the better; None if it does not have its letters in its order.

    Letters count for more at starts of words and next to each other, and in short names.
    """
    if not query:
        return 0.0
    best: dict[int, float] = {-2: 0.0}  # by the place in the name of the letter that was found last
    for letter in query:
        following: dict[int, float] = {}
        for at, character in enumerate(name):
            if character.lower() != letter.lower():
                continue
            own = _SAME_CASE * (character == letter) + _WORD_START * _begins_word(name, at) + _PREFIX * (at == 0)
            before = [worth + _NEIGHBOUR * (last == at - 1) for last, worth in best.items() if last < at]
            if before:
                following[at] = max(before) + own
        best = following
        if not best:
            return None
    return max(best.values()) + _WHOLE * (query.lower() == name.lower()) - len(name) / 64


def _begins_word(name: str, at: int) -> bool:
    if at == 0 or not name[at - 1].isalnum():
        return name[at].isalnum()
    return (name[at].isupper() and name[at - 1].islower()) or (name[at].isdigit() and not name[at - 1].isdigit())


def _symbol(snapshot: Snapshot, name: OperatorName) -> WorkspaceSymbol | None:
    found = snapshot.definitions(name.path).get(name.name)
    if found is None:
        return None
    span = found.definition.name.span.shifted(found.start)
    return WorkspaceSymbol(
        name, found.definition.kind, module_name(snapshot, name.path, name.path), Location(name.path, span)
    )
