"""Trees as plain data, and the programs that the tests of the syntax share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from snd_analysis.base import Span
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes

ROOT = Path(__file__).parents[3]
LIBRARY = sorted((ROOT / "analysis" / "snd_analysis" / "libraries" / "std").glob("*.sknd"))
VALID = sorted((ROOT / "tests" / "fixtures" / "valid").rglob("*.sknd"))
EXAMPLES = sorted(file for file in (ROOT / "examples").rglob("*.sknd") if "broken" not in file.parts)

NODE_KINDS = tuple(
    kind
    for kind in vars(nodes).values()
    if isinstance(kind, type) and issubclass(kind, nodes.Node) and kind != nodes.Node
)


@dataclass(frozen=True)
class Placed:
    """A node with the offset from which its span counts and the place of its parent, both in the chunk."""

    node: nodes.Node
    base: int
    parent: Span
    depth: int

    @property
    def span(self) -> Span:
        return self.node.span.shifted(self.base)


def placed_nodes(document: nodes.Document, length: int) -> Iterator[Placed]:
    """Yield all nodes of a chunk, parents first."""
    pending = [Placed(document, 0, Span(0, length), 0)]
    while pending:
        placed = pending.pop()
        yield placed
        base = placed.node.start if isinstance(placed.node, nodes.Entry) else placed.base
        pending += reversed(
            [Placed(child, base, placed.span, placed.depth + 1) for child in nodes.children(placed.node)]
        )


def content(node: nodes.Node, name: str) -> object:
    """Return a field of a node; a sequence of nodes as a tuple."""
    value = getattr(node, name)
    return (*value,) if isinstance(value, nodes.Entries) else value


def dump(node: nodes.Node) -> list[object]:
    """Everything that a tree says, as a flat list: trees are equal if their dumps are."""
    said: list[object] = []
    pending: list[object] = [node]
    while pending:
        value = pending.pop()
        if isinstance(value, nodes.Node):
            said.append(type(value).__name__)
            pending += [content(value, name) for name in reversed(value.__struct_fields__)]
        elif type(value) is tuple:
            said.append(len(value))
            pending += reversed(value)
        else:
            said.append((type(value).__name__, repr(value)))
    return said


def dump_file(tree: SyntaxTree) -> list[object]:
    """Everything that a file's tree says."""
    return [
        (placed.start, placed.chunk.text, dump(placed.chunk.document), placed.chunk.comments, placed.chunk.problems)
        for placed in tree.chunks
    ]


def outline(value: object) -> str:
    """Return a tree in one line, without places and empty fields."""
    if isinstance(value, tuple):
        return "[" + " ".join(outline(item) for item in value) + "]"
    if isinstance(value, nodes.Name | nodes.Qualified | nodes.TypeName | nodes.Operator | nodes.Modifier):
        return value.text
    if isinstance(value, nodes.Literal):
        return repr(value.value)
    if isinstance(value, nodes.Text):
        return repr(value.value)
    if isinstance(value, nodes.Tilde):
        return "~"
    if isinstance(value, nodes.Entry):
        return outline(value.statement)
    if not isinstance(value, nodes.Node):
        return repr(value) if isinstance(value, str) else str(value)
    shown = [
        f"{name}={outline(found)}"
        for name in value.__struct_fields__
        if name not in ("start", "end", "keyword" if isinstance(value, nodes.Block) else "")
        and (found := content(value, name)) not in (None, (), False)
    ]
    return f"{type(value).__name__}({' '.join(shown)})"
