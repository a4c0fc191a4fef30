"""Type of an inlay hint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice

from msgspec import Struct

from snd_analysis.base import Location, Span
from snd_analysis.db import Database, query
from snd_analysis.ide.declarations import Declared, declared
from snd_analysis.ide.knowledge import knowledge_of
from snd_analysis.skriptnd.names import OperatorName, is_constant
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot


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

_REST = re.compile(r"[ \t]*(?:$|[\r\n])")
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
    if text[span.end - 1 : span.end] != "}" or _REST.match(text, span.end) is None:
        return
    breaks = _LINE_BREAK.finditer(text, span.start, span.end)
    if next(islice(breaks, LONG - 2, None), None) is not None:
        yield InlayHint(span.end, HintKind.BLOCK_END, (LabelPart(title, Location(path, place)),), before=True)
