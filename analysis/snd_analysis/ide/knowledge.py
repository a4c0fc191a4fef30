"""Facts about one definition, for hovers and hints: its names, types, values, and operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import chain

from snd_analysis.base import Span
from snd_analysis.compose import Specialization
from snd_analysis.ide.cursor import chunk_at, definition_at
from snd_analysis.ide.markdown import Examples, no_example
from snd_analysis.model import Graph, Operation, Tensor
from snd_analysis.skriptnd.names import OperatorName, Resolution, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import Chunk, nodes
from snd_analysis.skriptnd.types import UNTYPED, Context, Typed, expression_types
from snd_analysis.symbolic.values import UNDEFINED, Pack, Value
from snd_analysis.workspace import Snapshot

# Number of definitions whose operations are cached by place: several queries use each.
_REMEMBERED = 8


class Knowledge:
    """The facts about a definition of a file, computed on demand.

    Values are those of a graph composed with its defaults, or of an operator composed by itself, for any invocation.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        path: str,
        start: int,
        definition: nodes.Definition,
        examples: Examples = no_example,
    ) -> None:
        self.snapshot = snapshot
        self.path = path
        self.start = start
        """Offset that spans of the definition count from."""
        self.definition = definition
        self.name = OperatorName(path, definition.name.text)
        self._examples = examples

    @cached_property
    def resolution(self) -> Resolution:
        """Resolution of the names in the definition."""
        return self.snapshot.resolution(self.path, self.definition)

    @cached_property
    def specialization(self) -> Specialization | None:
        """The definition composed; None for the second of two of one name, or where declarations are wrong."""
        if self.snapshot.definition(self.name) is not self.definition:
            return None
        specialization = self.snapshot.specialization(self.name)
        if (
            specialization is not None
            and not specialization.template.is_graph
            and specialization.template.signature_is_wrong
        ):
            return None
        return specialization

    @cached_property
    def by_example(self) -> tuple[Knowledge, str] | None:
        """The value in one invocation, and the name of the invocation: ``in the sample …``; None without invocation."""
        if self.snapshot.definition(self.name) is not self.definition:
            return None
        example = self._examples(self.name)
        if example is None:
            return None
        knowledge = Knowledge(self.snapshot, self.path, self.start, self.definition)
        knowledge.specialization = example.specialization
        return knowledge, example.phrase

    @cached_property
    def context(self) -> Context:
        """The types of the definition."""
        return self.snapshot.typing(self.path, self.definition)

    # ---- text --------------------------------------------------------------------------------------------------------
    def source(self, node: nodes.Node, base: int) -> str:
        """Return the text of a node on one line, without comments; its spans count from ``base``, as in the chunk."""
        return source_text(self.snapshot, self.path, node.span.shifted(self.start + base))

    # ---- types -------------------------------------------------------------------------------------------------------
    def typed(self, node: nodes.Node, entry: nodes.Entry | None) -> Typed:
        """Return the type of an expression in an entry."""
        if entry is None:
            return self.context.expressions.get(node, UNTYPED)
        types = expression_types(self.context, self.snapshot.others(self.path), entry.statement)
        return types.get(node, UNTYPED)

    # ---- values ------------------------------------------------------------------------------------------------------
    def value(self, node: nodes.Expression) -> Value:
        """Return the value of an expression; UNDEFINED if it is not known."""
        return UNDEFINED if self.specialization is None else self.specialization.scope.attempt(node)

    def value_of(self, symbol: Symbol) -> Value:
        """Return the value of a symbol, such as a tensor; UNDEFINED if it is not known."""
        specialization = self.specialization
        if specialization is None:
            return UNDEFINED
        is_output = symbol.kind is SymbolKind.OUTPUT and symbol not in self.resolution.ambiguous
        if is_output and not specialization.template.is_graph:
            # Show the declaration: the composition may say the same in more words.
            outputs = zip(specialization.template.outputs, specialization.outputs, strict=False)
            value = next((output for member, output in outputs if member.symbol is symbol), UNDEFINED)
            if isinstance(value, Pack) or (isinstance(value, Tensor) and value.known):
                return value
        return specialization.scope.value_of(symbol)

    # ---- operations --------------------------------------------------------------------------------------------------
    @property
    def operations(self) -> Iterator[Operation]:
        """The operations that have a name, in order."""
        if self.specialization is not None:
            yield from chain.from_iterable(_operations_by_statement(self.specialization).values())

    def operations_of(self, call: nodes.Call, base: int) -> list[Operation]:
        """Return the operations made from an invocation: none if it was not composed, several in an unrolled loop."""
        if self.specialization is None:
            return []
        known, span = _operations_by_statement(self.specialization), call.function.span.shifted(base)
        moved = self.specialization.template.moved
        return [each for each in (*known.get(base, ()), *known.get(None, ())) if moved(each.place).span == span]


def knowledge_at(
    snapshot: Snapshot, path: str, offset: int, examples: Examples = no_example
) -> Knowledge | None:  # fmt: skip
    """Return the facts about the definition around an offset."""
    found = definition_at(snapshot.tree(path), offset)
    return None if found is None else Knowledge(snapshot, path, *found, examples)


def knowledge_of(snapshot: Snapshot, name: OperatorName) -> Knowledge | None:
    """Return the facts about a definition."""
    found = snapshot.definitions(name.path).get(name.name)
    return None if found is None else Knowledge(snapshot, name.path, found.start, found.definition)


@lru_cache(maxsize=_REMEMBERED)
def _operations_by_statement(specialization: Specialization) -> Mapping[int | None, list[Operation]]:
    """Return the operations by the current start of their statement in the chunk; None if that is not known.

    To move the place of each would cost more than all other queries about a long graph after an edit.
    """
    found: dict[int | None, list[Operation]] = {}
    start_of = specialization.template.start_of
    for operation in operations_in(specialization.body) if specialization.body is not None else ():
        if operation.operator is not None:
            found.setdefault(start_of(operation.place), []).append(operation)
    return found


def operations_in(graph: Graph) -> Iterator[Operation]:
    """Yield the operations of a graph and of the control flow in it, without those of invoked definitions."""
    pending: list[Iterable[Operation]] = [(*graph.operations, *graph.update_operations)]
    while pending:
        for operation in pending.pop():
            yield operation
            pending.extend(part.operations for part in operation.subgraphs.values())


def source_text(snapshot: Snapshot, path: str, span: Span) -> str:
    """Return a piece of a file, inside of one definition, on one line and without comments."""
    placed = chunk_at(snapshot.tree(path), span.start)
    return "" if placed is None else one_line(placed.chunk, span.shifted(-placed.start))


def one_line(chunk: Chunk, span: Span) -> str:
    """Return a piece of a chunk on one line, without its comments."""
    parts, at = [], span.start
    if "#" in chunk.text[span.start : span.end]:
        for comment in chunk.comments:
            if span.start <= comment.start < span.end:
                parts.append(chunk.text[at : comment.start])
                at = comment.end
    return " ".join("".join((*parts, chunk.text[at : span.end])).split())
