"""Inlay hints: shapes, deduced values, names of inputs, ends of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from enum import StrEnum
from itertools import islice

from msgspec import Struct

from snd_analysis.base import Location, Span
from snd_analysis.db import Database, query
from snd_analysis.ide.declarations import Declared, declared
from snd_analysis.ide.evaluation import entries_in
from snd_analysis.ide.knowledge import Knowledge, knowledge_of
from snd_analysis.ide.limits import LONGEST_HINT
from snd_analysis.ide.values import is_known_tensor, short_type_text, type_text, value_text
from snd_analysis.model import Operation
from snd_analysis.skriptnd.names import OperatorName, Symbol, is_constant
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.values import NULL, UNDEFINED, Value
from snd_analysis.workspace import Snapshot

__all__ = ["ALL_KINDS", "HintKind", "InlayHint", "LabelPart", "inlay_hints", "statement_end"]


# ---- type of an inlay hint -------------------------------------------------------------------------------------------
class HintKind(StrEnum):
    """Kind of a hint; each kind can be switched off by itself."""

    SHAPE = "shapes"
    """Types and shapes of results, at the ends of statements in ``@compose``."""
    ATTRIBUTE = "attributes"
    """Values of attributes that are deduced, not given and no plain defaults."""
    ARGUMENT = "arguments"
    """Names of inputs, before their arguments."""
    GENERIC = "generics"
    """Generic types that are deduced."""
    BLOCK_END = "block-ends"
    """The head of a block far above, at its closing brace."""
    VALUE = "values"
    """Values of samples. They are not made here: it takes a runtime."""
    GRAPH_VALUE = "graph-values"
    """Values of the tensors of graphs, at the ends of statements. They are not made here, either."""


class LabelPart(Struct, frozen=True):
    """A piece of a hint; ``location`` is where it leads."""

    text: str
    location: Location | None = None


class InlayHint(Struct, frozen=True):
    """Text that is shown at an offset of a file and is not in it."""

    offset: int
    kind: HintKind
    parts: tuple[LabelPart, ...]
    before: bool = False
    """True if a space stands before it."""
    after: bool = False
    """True if a space stands after it."""

    @property
    def text(self) -> str:
        """The whole of it."""
        return "".join(part.text for part in self.parts)


# ---- facts about an invoked definition for the hints of an invocation ------------------------------------------------
class CalleeDeclarations(Struct, frozen=True):
    """The declarations of a definition that is invoked."""

    generics: tuple[Declared, ...]
    inputs: tuple[Declared, ...]
    outputs: tuple[Location, ...]
    """Locations of the declarations of the outputs."""
    result_types: frozenset[str]
    """The names of their types, generic ones too: hints of shapes show these."""
    deduced: tuple[Declared, ...]
    """Attributes whose defaults are no constants."""


@query
def callee(db: Database, name: OperatorName) -> CalleeDeclarations:
    """Return the declarations of a definition; an empty result if there is none of that name."""
    snapshot = Snapshot(db)
    outputs = declared(snapshot, name, (BlockKind.OUTPUT,))
    knowledge = knowledge_of(snapshot, name)
    return CalleeDeclarations(
        generics=tuple(declared(snapshot, name, (BlockKind.DTYPE,))),
        inputs=tuple(declared(snapshot, name, (BlockKind.INPUT,))),
        outputs=tuple(Location(name.path, entry.name_span) for entry in outputs),
        result_types=frozenset(entry.node.type.text for entry in outputs if isinstance(entry.node, nodes.Parameter)),
        deduced=tuple(
            entry
            for entry in declared(snapshot, name, (BlockKind.ATTRIB,))
            if knowledge is not None
            and isinstance(entry.node, nodes.Parameter)
            and isinstance(entry.node.default, nodes.Default)
            and not is_constant(knowledge.resolution, entry.node.default.value)
        ),
    )


# ---- hints after the braces that end long blocks: the head of the block ----------------------------------------------
LONG = 24
"""Minimum number of lines of a long block, with both braces: about one screen."""

_REST_OF_LINE = re.compile(r"[ \t]*(?:$|[\r\n])")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


def block_ends(snapshot: Snapshot, path: str, start: int, definition: nodes.Definition) -> Iterator[InlayHint]:
    """Yield the ends of a definition and of its blocks, if they are long; none where text follows the brace."""
    text = snapshot.source(path).text
    name = definition.name.text
    if name:
        place = definition.name.span.shifted(start)
        yield from _end(text, path, definition.span.shifted(start), f"{definition.kind} {name}", place)
    for block in definition.blocks:
        if isinstance(block, nodes.Block):
            yield from _end(text, path, block.span.shifted(start), f"@{block.kind}", block.keyword.shifted(start))


def _end(text: str, path: str, span: Span, title: str, place: Span) -> Iterator[InlayHint]:
    if text[span.end - 1 : span.end] != "}" or _REST_OF_LINE.match(text, span.end) is None:
        return
    breaks = _LINE_BREAK.finditer(text, span.start, span.end)
    if next(islice(breaks, LONG - 2, None), None) is not None:
        yield InlayHint(span.end, HintKind.BLOCK_END, (LabelPart(title, Location(path, place)),), before=True)


# ---- hints inside invocations: names of inputs, and deduced values ---------------------------------------------------
_MAIN_INPUT = "input"
_USUAL_TYPE = "real"


def invocation_hints(knowledge: Knowledge, call: nodes.Call, base: int, kinds: Set[HintKind]) -> Iterator[InlayHint]:
    """Yield the hints of one invocation. ``base`` is the offset in the file that its spans count from."""
    target = knowledge.resolution.targets.get(call.function)
    if not isinstance(target, OperatorName):
        return
    if HintKind.ARGUMENT in kinds:
        yield from _arguments(knowledge, call, target, base)
    if not kinds & {HintKind.ATTRIBUTE, HintKind.GENERIC}:
        return
    operations = knowledge.operations_of(call, base - knowledge.start)
    if not operations:
        return
    if HintKind.GENERIC in kinds and call.generics is None:
        yield from _generics(knowledge, call, target, operations[0], base)
    if HintKind.ATTRIBUTE in kinds:
        yield from _attributes(knowledge, call, target, operations, base)


def _arguments(knowledge: Knowledge, call: nodes.Call, target: OperatorName, base: int) -> Iterator[InlayHint]:
    """Yield the name of each input before its argument, where the name tells more than the argument.

    A single input, the main one and names of one letter (``x``, ``y`` of ``math.add``) tell nothing.
    """
    inputs = callee(knowledge.snapshot.db, target).inputs
    if len(inputs) < 2:
        return
    for entry, argument in zip(inputs, call.arguments, strict=False):
        if len(entry.name) == 1 or entry.name == _MAIN_INPUT or _says(argument, entry.name):
            continue
        part = LabelPart(f"{entry.name}:", Location(target.path, entry.name_span))
        yield InlayHint(argument.start + base, HintKind.ARGUMENT, (part,), after=True)


def _says(argument: nodes.Node, name: str) -> bool:
    """Return whether an argument is called as the input, or the one name contains the other: ``filter1``."""
    if not isinstance(argument, nodes.Qualified):
        return False
    ours, theirs = (each.replace("_", "").casefold() for each in (argument.parts[-1].text, name))
    return ours in theirs or theirs in ours


def _generics(
    knowledge: Knowledge, call: nodes.Call, target: OperatorName, operation: Operation, base: int
) -> Iterator[InlayHint]:
    """Yield the types that neither the results show nor anybody would expect."""
    called = callee(knowledge.snapshot.db, target)
    entries = [
        entry
        for entry in called.generics
        if entry.name not in called.result_types and operation.dtypes.get(entry.name, _USUAL_TYPE) != _USUAL_TYPE
    ]
    if entries:
        parts = _joined([(operation.dtypes[entry.name], entry) for entry in entries], target)
        yield InlayHint(
            call.function.end + base, HintKind.GENERIC, (LabelPart("<"), *parts, LabelPart(">"))
        )  # fmt: skip


def _attributes(
    knowledge: Knowledge, call: nodes.Call, target: OperatorName, operations: Sequence[Operation], base: int
) -> Iterator[InlayHint]:
    """Yield the values of attributes that are not given, and whose defaults are not constant."""
    given = {item.name.text for item in call.attributes.items} if call.attributes is not None else set[str]()
    deduced: list[tuple[str, Declared]] = []
    for entry in callee(knowledge.snapshot.db, target).deduced:
        if entry.name in given:
            continue
        values = [operation.attributes.get(entry.name, NULL) for operation in operations]
        text = value_text(values[0], LONGEST_HINT)
        if values[0] is not NULL and text and all(value == values[0] for value in values):
            deduced.append((f"{entry.name}={text}", entry))
    if not deduced:
        return
    parts = _joined(deduced, target)
    if call.attributes is None:
        place = call.generics.end if call.generics is not None else call.function.end
        yield InlayHint(place + base, HintKind.ATTRIBUTE, (LabelPart("{"), *parts, LabelPart("}")))
    else:
        separator = (LabelPart(", "),) if call.attributes.items else ()
        yield InlayHint(call.attributes.end - 1 + base, HintKind.ATTRIBUTE, (*separator, *parts))


def _joined(items: Sequence[tuple[str, Declared]], target: OperatorName) -> Iterator[LabelPart]:
    for at, (text, entry) in enumerate(items):
        if at:
            yield LabelPart(", ")
        yield LabelPart(text, Location(target.path, entry.name_span))


# ---- hints at the ends of statements: the types and shapes of their results ------------------------------------------
_END = re.compile(r"\s*;")
_REST = re.compile(r"[ \t]*(?:#|$|[\r\n])")


def statement_end(text: str, at: int) -> int | None:
    """Return the offset for hints of a statement that ends ``at`` an offset.

    It is after the semicolon; None if more text follows there.
    """
    end = _END.match(text, at)
    return None if end is None or _REST.match(text, end.end()) is None else end.end()


def shape_hints(knowledge: Knowledge, component: nodes.Component, base: int) -> Iterator[InlayHint]:
    """Yield the shapes of the results of a statement, after its semicolon; none if they are written, or not known.

    ``base`` is the offset in the file that the spans of the statement count from.
    """
    end = _END.match(knowledge.snapshot.source(knowledge.path).text, component.end + base)
    if end is None:
        return
    results = [*_results(knowledge, component, base)]
    if not results:
        return
    parts: list[LabelPart] = []
    for name, type_, location in results:
        separator = ", " if parts else ""
        prefix = f"{name}: " if len(results) > 1 else ""
        parts.append(LabelPart(f"{separator}{prefix}"))
        parts.append(LabelPart(type_, location))
    yield InlayHint(end.end(), HintKind.SHAPE, tuple(part for part in parts if part.text), before=True)


def _results(knowledge: Knowledge, component: nodes.Component, base: int) -> Iterator[tuple[str, str, Location | None]]:
    places = _outputs(knowledge, component)
    for at, result in enumerate(component.results):
        singles = result.items if isinstance(result, nodes.ResultList) else (result,)
        for single in singles:
            if isinstance(single, nodes.Result) and isinstance(single.target, nodes.Name):
                target = knowledge.resolution.targets.get(single.target)
                symbol = target if isinstance(target, Symbol) else None
                value = UNDEFINED if symbol is None else knowledge.value_of(symbol)
                if is_known_tensor(value) and not _is_written(knowledge, single, symbol, value, base):
                    place = places[at] if at < len(places) else None
                    yield single.target.text, short_type_text(value), place


def _is_written(knowledge: Knowledge, result: nodes.Result, symbol: Symbol | None, value: Value, base: int) -> bool:
    """Return whether the statement, or the declaration of the output that it assigns, says the same."""
    if result.type is not None:
        written = knowledge.source(result.type, base - knowledge.start).lstrip(":")
    elif symbol is not None and isinstance(symbol.node, nodes.Parameter):
        declaration = knowledge.source(symbol.node, knowledge.resolution.starts.get(symbol.statement, 0))
        written = declaration.partition(":")[2]
    else:
        return False
    return written.replace(" ", "") == type_text(value).replace(" ", "")


def _outputs(knowledge: Knowledge, component: nodes.Component) -> tuple[Location, ...]:
    """Return where the outputs of the operator that a statement invokes are declared."""
    value = component.value.value if isinstance(component.value, nodes.Labelled) else component.value
    target = knowledge.resolution.targets.get(value.function) if isinstance(value, nodes.Call) else None
    if not isinstance(target, OperatorName):
        return ()
    return callee(knowledge.snapshot.db, target).outputs


ALL_KINDS = frozenset(HintKind)
_COMPOSED = frozenset({BlockKind.COMPOSE, BlockKind.UPDATE})


def inlay_hints(
    snapshot: Snapshot, path: str, within: Span | None = None, kinds: Set[HintKind] = ALL_KINDS
) -> list[InlayHint]:
    """Return the hints of these kinds in a file, or in a part of it, in order."""
    tree = snapshot.tree(path)
    span = within or Span(0, len(tree.text))
    found: list[InlayHint] = []
    for start, definition in tree.definitions:
        if _touches(definition, start, span):
            found += _hints(Knowledge(snapshot, path, start, definition), span, kinds)
    found = [hint for hint in found if span.start <= hint.offset <= span.end]
    return sorted(found, key=lambda hint: hint.offset)


def _touches(node: nodes.Node, base: int, span: Span) -> bool:
    return node.start + base <= span.end and span.start <= node.end + base


def _hints(knowledge: Knowledge, span: Span, kinds: Set[HintKind]) -> Iterator[InlayHint]:
    definition, start = knowledge.definition, knowledge.start
    if HintKind.BLOCK_END in kinds:
        yield from block_ends(knowledge.snapshot, knowledge.path, start, definition)
    for block in definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind not in _COMPOSED:
            continue
        for entry in entries_in(block, span.shifted(-start)):
            if isinstance(entry.statement, nodes.Component):
                yield from _statement(knowledge, entry.statement, entry.start + start, kinds)


def _statement(
    knowledge: Knowledge, component: nodes.Component, base: int, kinds: Set[HintKind]
) -> Iterator[InlayHint]:
    for node in nodes.descendants(component):
        if isinstance(node, nodes.Call):
            yield from invocation_hints(knowledge, node, base, kinds)
        elif isinstance(node, nodes.Component) and HintKind.SHAPE in kinds:
            yield from shape_hints(knowledge, node, base)
