"""A definition to mutate: its tree with the places of all nodes in the file, and the results of the checks about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from snd_analysis.base import Diagnostic, Severity, Span
from snd_analysis.ide import references
from snd_analysis.skriptnd.names import OperatorName, PassFold, Resolution, Symbol
from snd_analysis.skriptnd.syntax import nodes, parse_file
from snd_analysis.skriptnd.types import Context, Type, check_lowering, declare
from snd_analysis.skriptnd.types.compose import check_compose
from snd_analysis.workspace import Snapshot, Workspace
from support.memory import MemoryReader, snapshot_of


@dataclass(frozen=True)
class Subject:
    """One definition in a file that holds little more than it needs, with the other files of its program."""

    title: str
    files: Mapping[str, str]
    path: str
    name: str
    workspace: Workspace
    """The workspace of the whole program, so that unchanged parts are read once for all mutations."""

    @property
    def text(self) -> str:
        """The text of the file that the definition stands in."""
        return self.files[self.path]

    @cached_property
    def context(self) -> Context:
        """All results of the checks about the definition without a mutation."""
        self.workspace.open(self.path, self.text)
        snapshot = self.workspace.snapshot()
        definition = snapshot.definitions(self.path)[self.name][1]
        context = Context(definition, snapshot.resolution(self.path, definition), snapshot.others(self.path))
        declare(context, PassFold(None))
        check_lowering(context)
        check_compose(context, PassFold(None))
        return context

    @cached_property
    def definition(self) -> nodes.Definition:
        """The definition."""
        return self.context.definition

    @cached_property
    def resolution(self) -> Resolution:
        """Resolution of its names."""
        return self.context.resolution

    @cached_property
    def _base(self) -> int:
        tree = parse_file(self.text)
        return next(base for base, definition in tree.definitions if definition.name.text == self.name)

    @cached_property
    def _end(self) -> int:
        return self._base + self.definition.end

    @cached_property
    def _places(self) -> dict[nodes.Node, tuple[int, nodes.Node | None, str]]:
        """The offset that the span of each node counts from, the node above it, and the kind of its block."""
        found: dict[nodes.Node, tuple[int, nodes.Node | None, str]] = {self.definition: (self._base, None, "")}
        for block in self.blocks():
            found[block] = (self._base, self.definition, block.kind)
            for entry in block.entries:
                found[entry] = (self._base, block, block.kind)
                pending: list[tuple[nodes.Node, nodes.Node]] = [(entry.statement, entry)]
                while pending:
                    node, above = pending.pop()
                    found[node] = (self._base + entry.start, above, block.kind)
                    pending.extend((child, node) for child in nodes.children(node))
        return found

    def span(self, node: nodes.Node) -> Span:
        """Return the span of a node in the file."""
        return node.span.shifted(self._places[node][0])

    def spelled(self, node: nodes.Node) -> str:
        """Return the text of a node."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def above(self, node: nodes.Node) -> nodes.Node | None:
        """Return the parent of a node."""
        return self._places[node][1]

    def block_of(self, node: nodes.Node) -> str:
        """Return the kind of the block around a node."""
        return self._places[node][2]

    def chain(self, node: nodes.Node) -> Iterator[tuple[nodes.Node, nodes.Node]]:
        """Yield pairs of a node and the one above it, from ``node`` up to the block."""
        above = self.above(node)
        while above is not None:
            yield node, above
            node, above = above, self.above(above)

    def blocks(self) -> list[nodes.Block]:
        """Return the blocks of the definition."""
        return [block for block in self.definition.blocks if isinstance(block, nodes.Block)]

    def entries(self, *kinds: str) -> list[nodes.Entry]:
        """Return the entries of all blocks of these kinds, or of all blocks."""
        return [entry for block in self.blocks() if not kinds or block.kind in kinds for entry in block.entries]

    def every(self, *types: type[nodes.Node]) -> list[nodes.Node]:
        """Return all nodes of these types inside the entries, in the order of the text."""
        return sorted((node for node in self._places if isinstance(node, types)), key=lambda node: self.span(node))

    def type_of(self, node: nodes.Node) -> Type | None:
        """Return the type of an expression in the unchanged definition."""
        typed = self.context.expressions.get(node)
        return None if typed is None else typed.type

    def symbol(self, node: nodes.Node) -> Symbol | None:
        """Return the symbol that a name refers to."""
        target = self.resolution.targets.get(node)
        return target if isinstance(target, Symbol) else None

    def uses(self, symbol: Symbol) -> list[nodes.Node]:
        """Return the nodes that read a symbol (or its shape), in the order of the text."""
        return [node for node in self._uses.get(symbol, ()) if isinstance(node, nodes.Qualified | nodes.TypeName)]

    def occurrences(self, symbol: Symbol) -> list[Span]:
        """Every place in the file where the name of a symbol stands: its declarations and samples included."""
        found = references(self._alone, self.path, self.declared(symbol).start, [self.path])
        return [place.span for place in found if place.path == self.path]

    @cached_property
    def _alone(self) -> Snapshot:
        """The unchanged program, regardless of changes of the workspace."""
        return snapshot_of(self.files)

    def declared(self, symbol: Symbol) -> Span:
        """Return the span of the declaration of a symbol."""
        return self.resolution.span(symbol).shifted(self._base)

    @cached_property
    def _uses(self) -> dict[Symbol, list[nodes.Node]]:
        found: dict[Symbol, list[nodes.Node]] = {}
        for node in self._places:
            target = self.resolution.targets.get(node)
            symbol = getattr(target, "tensor", target)
            if isinstance(symbol, Symbol):
                found.setdefault(symbol, []).append(node)
        return found

    def errors(self, text: str | None = None) -> list[Diagnostic]:
        """Return the errors in the definition, with ``text`` in place of that of its file."""
        self.workspace.open(self.path, self.text if text is None else text)
        found = self.workspace.snapshot().diagnostics(self.path)
        start, end = self._base, self._end + len(text or self.text) - len(self.text)
        return [
            item for item in found
            if item.severity is Severity.ERROR and start <= item.location.span.start <= end
        ]  # fmt: skip


def subjects(title: str, files: Mapping[str, str]) -> Iterator[Subject]:
    """Yield every definition of a program, each in a file with only the definitions that it invokes.

    Breakage in definitions that invoke it is not counted: a changed signature rightly breaks them.
    """
    snapshot = snapshot_of(files)
    for path in files:
        tree = snapshot.tree(path)
        first_graph = next((each for _, each in tree.definitions if each.kind == "graph"), None)
        chunks = {each.name.text: placed.chunk.text for placed in tree.chunks for each in placed.chunk.definitions}
        first = tree.chunks[0].chunk
        head = "" if next(first.definitions, None) else first.text
        for _, definition in tree.definitions:
            name = definition.name.text
            needed = _needed(snapshot, path, definition)
            text = head + "".join(chunks[each] for each in chunks if each in needed and each != name) + chunks[name]
            own = path if first_graph is None or definition.kind == "graph" else "operators.sknd"
            if definition.kind == "graph":  # which one is the main graph depends on the others
                text = files[path]
            program = {**files, own: text}
            yield Subject(f"{title}:{name}", program, own, name, Workspace(MemoryReader(program)))


def _needed(snapshot: Snapshot, path: str, definition: nodes.Definition) -> set[str]:
    """Return the definitions of its file that a definition needs, itself included."""
    found = {definition.name.text}
    pending = [definition]
    while pending:
        targets = snapshot.resolution(path, pending.pop()).targets.values()
        for target in targets:
            if not isinstance(target, OperatorName) or target.path != path or target.name in found:
                continue
            known = snapshot.definition(target)
            assert known is not None
            found.add(target.name)
            pending.append(known)
    return found
