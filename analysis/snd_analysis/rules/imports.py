"""Checks of a file's head: version, extensions and imports, and of the names that its definitions share (2.15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from snd_analysis.names.modules import is_main
from snd_analysis.source import Edit, Span
from snd_analysis.diagnostics import Severity
from snd_analysis.rules.rule import Rule
from snd_analysis.syntax import nodes
from snd_analysis.syntax.chunks import SyntaxTree
from snd_analysis.syntax.problem import Elsewhere, Note, Problem, Repair
from snd_analysis.syntax.spelling import close_matches


@dataclass(frozen=True, slots=True)
class ImportedName:
    """One module name in an import statement, and what it was found to mean."""

    node: nodes.Qualified
    statement: nodes.Import
    base: int
    path: str | None
    shadowed: str | None
    """A module of the standard library that a file of the same name hides."""
    graphs: tuple[str, ...]

    @property
    def span(self) -> Span:
        """Where the name stands in the file."""
        return self.node.span.shifted(self.base)


def check_items(tree: SyntaxTree) -> Iterator[Problem]:
    """The order of a document: version, extensions, imports, definitions."""
    latest, order = 0, {nodes.Version: 0, nodes.Extension: 1, nodes.Import: 2, nodes.Definition: 3}
    for placed in tree.chunks:
        for item in placed.chunk.document.items:
            rank = order.get(type(item))
            if rank is None:
                continue
            if rank < latest:
                what = {0: "the version stands", 1: "extensions stand", 2: "imports stand"}[rank]
                before = "everything else" if rank == 0 else "imports and definitions" if rank == 1 else "definitions"
                yield Problem("misplaced-header", item.span.shifted(placed.start), f"{what} before {before}")
            latest = max(latest, rank)


def check_imports(imports: tuple[ImportedName, ...], used: frozenset[str], known: tuple[str, ...]) -> Iterator[Problem]:
    """Modules that are missing, imported twice, never used, or that hide a standard one. ``used`` are names."""
    first: dict[str, ImportedName] = {}
    for item in imports:
        name = item.node.text
        earlier = first.setdefault(name, item)
        if earlier is not item:
            note = Note(earlier.span, "first imported here")
            repair = Repair("remove the import", (_removal(item),))
            yield Problem("duplicate-import", item.span, f"the module '{name}' is imported already", (note,), repair)
        elif item.path is None:
            close = close_matches(name, known)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            message = f"there is no module '{name}': no '{name.replace('.', '/')}.sknd' beside this file, in the model's folder, in 'module-paths' or in the standard library{hint}"
            repair = Repair(f"write '{close[0]}'", (Edit(item.span, close[0]),), safe=False) if close else None
            yield Problem("module-not-found", item.span, message, repair=repair)
        else:
            yield from _check_found(item, name, used)


def _check_found(item: ImportedName, name: str, used: frozenset[str]) -> Iterator[Problem]:
    if item.graphs:
        assert item.path is not None
        notes = tuple(
            Note(Span(0, 0), f"the graph '{graph}' is here", Elsewhere(item.path, graph)) for graph in item.graphs
        )
        message = f"the module '{name}' contains the graph '{item.graphs[0]}': only the main module may contain graphs"
        yield Problem("graph-in-imported-module", item.span, message, notes)
    if item.shadowed is not None:
        message = f"'{item.path}' hides the module '{name}' of the standard library"
        yield Problem("shadowed-module", item.span, message)
    if name not in used:
        repair = Repair("remove the import", (_removal(item),))
        yield Problem("unused-import", item.span, f"the module '{name}' is imported and never used", repair=repair)


def _removal(item: ImportedName) -> Edit:
    names = item.statement.modules
    if len(names) == 1:
        return Edit(item.statement.span.shifted(item.base), "")
    at = names.index(item.node)
    if at == 0:
        return Edit(Span(item.node.start, names[1].start).shifted(item.base), "")
    return Edit(Span(names[at - 1].end, item.node.end).shifted(item.base), "")


def check_definitions(path: str, tree: SyntaxTree) -> Iterator[Problem]:
    """Two definitions of one name, and a main module without a graph."""
    first: dict[str, tuple[int, nodes.Definition]] = {}
    graphs = 0
    for base, definition in tree.definitions:
        graphs += definition.kind == "graph"
        name = definition.name
        if not name.text:
            continue
        if name.text in first:
            earlier_base, earlier = first[name.text]
            note = Note(earlier.name.span.shifted(earlier_base), f"the {earlier.kind} '{name.text}' is defined here")
            message = f"this module has a definition of the name '{name.text}' already"
            yield Problem("duplicate-operator", name.span.shifted(base), message, (note,))
        else:
            first[name.text] = (base, definition)
    broken = any(isinstance(item, nodes.ErrorItem) for placed in tree.chunks for item in placed.chunk.document.items)
    if is_main(path) and not graphs and not broken:
        message = "the main module of a model must contain a graph"
        yield Problem("main-without-graph", Span(0, 0), message)


Named = Mapping[str, ImportedName]


MISPLACED_HEADER = Rule(
    name="misplaced-header",
    summary="",
    why="",
    bad="",
    good="",
    section="2.16",
)

MODULE_NOT_FOUND = Rule(
    name="module-not-found",
    summary="",
    why="",
    bad="",
    good="",
    section="2.15",
)

DUPLICATE_IMPORT = Rule(
    name="duplicate-import",
    summary="",
    why="",
    bad="",
    good="",
    section="2.15",
    severity=Severity.WARNING,
)

UNUSED_IMPORT = Rule(
    name="unused-import",
    summary="",
    why="",
    bad="",
    good="",
    section="tool",
    severity=Severity.HINT,
)

SHADOWED_MODULE = Rule(
    name="shadowed-module",
    summary="",
    why="",
    bad="",
    good="",
    section="LANGUAGE",
    severity=Severity.WARNING,
)

GRAPH_IN_IMPORTED_MODULE = Rule(
    name="graph-in-imported-module",
    summary="",
    why="",
    bad="",
    good="",
    section="2.15",
)

MAIN_WITHOUT_GRAPH = Rule(
    name="main-without-graph",
    summary="",
    why="",
    bad="",
    good="",
    section="2.15",
)

DUPLICATE_OPERATOR = Rule(
    name="duplicate-operator",
    summary="",
    why="",
    bad="",
    good="",
    section="2.15",
)
