"""What is not said of a definition whose syntax is broken: its mistakes may be those of what could not be read."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from snd_analysis.base import Span
from snd_analysis.skriptnd.names.part import Part
from snd_analysis.skriptnd.syntax import keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind


class _Everything(Container[str]):
    def __contains__(self, item: object) -> bool:
        return True


class _Lost(Container[str]):
    """Names that are words of broken text, or that begin one or with one: what is broken may be the name itself."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)

    def __contains__(self, item: object) -> bool:
        name = str(item)
        return any(word.startswith(name) or name.startswith(word) for word in self._words)


def damaged_places(definition: nodes.Definition) -> Iterator[Span]:
    """Where the entries stand of which it is a guess what they were meant to say."""
    return (
        entry.span
        for block in definition.blocks
        if isinstance(block, nodes.Block)
        for entry in block.entries
        if entry.damage is not None
    )


def lost_names(definition: nodes.Definition, rows: Mapping[str, Sequence[Part]]) -> Container[str]:
    """Names that may have been declared in what could not be read: if they seem undefined, they may be none.

    ``rows`` are those of the ``Resolution``.
    """
    names = set[str]()
    for block in definition.blocks:
        if isinstance(block, nodes.ErrorBlock):
            return _Everything()
        if block.kind in (BlockKind.ASSERT, BlockKind.LOWER, BlockKind.QUANTIZE):
            continue
        for entry in _questionable(block, rows.get(block.kind)):
            statement = entry.statement
            if _is_nameless(statement) or (block.kind == BlockKind.INPUT and _is_shapeless(definition, statement)):
                return _Everything()
            if entry.damage is not None and _lacks_name(statement):
                return _Everything()
            names.update(entry.damage or ())
    return _Lost(sorted(names))


def _questionable(block: nodes.Block, rows: Sequence[Part] | None) -> Sequence[nodes.Entry]:
    """The entries of a block without those of which it is known that they are read and have all names."""
    if rows is None:
        return block.entries
    nameless = {part.node for row in rows if row.lacks_result for part in row.single if part.lacks_result}
    return [
        entry
        for entry in block.entries
        if entry.damage is not None or type(entry.statement) is not nodes.Component or entry.statement in nameless
    ]


def _lacks_name(statement: nodes.Statement) -> bool:
    """Whether a name is missing anywhere in a statement that declares names."""
    return isinstance(statement, nodes.Parameter) and any(
        isinstance(node, nodes.Name) and not node.text for node in nodes.descendants(statement)
    )


def _is_nameless(statement: nodes.Statement) -> bool:
    """Whether a statement declares something of which the name is missing, or a keyword that has to become another."""
    if isinstance(statement, nodes.ErrorEntry):
        return not statement.name
    if isinstance(statement, nodes.Parameter | nodes.DtypeDeclaration):
        return not statement.name.text or statement.name.text in keywords()
    return isinstance(statement, nodes.Component) and any(_is_nameless_result(result) for result in statement.results)


def _is_nameless_result(result: nodes.Result | nodes.ResultList) -> bool:
    return isinstance(result, nodes.Result) and isinstance(result.target, nodes.Name) and not result.target.text


def _is_shapeless(definition: nodes.Definition, statement: nodes.Statement) -> bool:
    """An input of an operator without the shape that would declare its extents."""
    return definition.kind == "operator" and isinstance(statement, nodes.Parameter) and statement.shape is None
