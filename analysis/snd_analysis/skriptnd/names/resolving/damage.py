"""Suppression of messages about definitions with syntax errors: other mistakes may follow from the unparsed text."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from snd_analysis.base import Span
from snd_analysis.skriptnd.names.part import GroupRow, StatementPart, is_nameless
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_HEADERS = frozenset({"operator", "graph", "import"})


class _Everything(Container[str]):
    def __contains__(self, item: object) -> bool:
        return True


class _Lost(Container[str]):
    """Names that are words of broken text, or prefixes or extensions of one: the broken word may be the name itself."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)

    def __contains__(self, item: object) -> bool:
        name = str(item)
        return any(word.startswith(name) or name.startswith(word) for word in self._words)


def damaged_places(definition: nodes.Definition) -> Iterator[Span]:
    """Yield the spans of the entries whose intended meaning is a guess."""
    return (
        entry.span.shifted(base)
        for block in definition.blocks
        if isinstance(block, nodes.Block)
        for base, group in block.entries.groups
        for entry in group.damaged
    )


def misplaced_names(definition: nodes.Definition) -> frozenset[str]:
    """Return the names of the operators and modules that a definition defines or imports inside itself."""
    names = set[str]()
    for block in definition.blocks:
        if isinstance(block, nodes.ErrorBlock):
            names.update(block.names)
            continue
        for _, group in block.entries.groups:
            for entry in group.damaged:
                if isinstance(entry.statement, nodes.ErrorEntry) and not _HEADERS.isdisjoint(entry.damage or ()):
                    names.update(entry.damage or ())
    return frozenset(names)


def lost_names(definition: nodes.Definition, rows: Mapping[str, Sequence[StatementPart]]) -> Container[str]:
    """Return names that unparsed text may have declared: they may be undefined only in appearance.

    ``rows`` are the rows of the ``Resolution``.
    """
    names = set[str]()
    for block in definition.blocks:
        if isinstance(block, nodes.ErrorBlock):
            return _Everything()
        if block.kind is BlockKind.LOWER:  # 'a = x[i,];' may be meant as a local value
            entries = (entry.statement for _, group in block.entries.groups for entry in group.damaged)
            names.update(each.name for each in entries if isinstance(each, nodes.ErrorEntry) and each.name)
        if block.kind in (BlockKind.ASSERT, BlockKind.LOWER, BlockKind.QUANTIZE):
            continue
        for entry in _questionable(block, rows.get(block.kind, ())):
            statement = entry.statement
            if is_nameless(statement) or (block.kind == BlockKind.INPUT and _is_shapeless(definition, statement)):
                return _Everything()
            if entry.damage is not None and _lacks_name(statement):
                return _Everything()
            names.update(entry.damage or ())
    return _Lost(sorted(names))


def _questionable(block: nodes.Block, rows: Sequence[StatementPart]) -> Iterator[nodes.Entry]:
    """Yield the entries of a block, except those of groups that are parsed and have all names."""
    whole = {row.group for row in rows if isinstance(row, GroupRow) and not row.lacks_name}
    for _, group in block.entries.groups:
        if group not in whole or not group.is_read or group.damaged:
            yield from group.entries


def _lacks_name(statement: nodes.Statement) -> bool:
    """Return whether a name is missing anywhere in a statement that declares names."""
    return isinstance(statement, nodes.Parameter) and any(
        isinstance(node, nodes.Name) and not node.text for node in nodes.descendants(statement)
    )


def _is_shapeless(definition: nodes.Definition, statement: nodes.Statement) -> bool:
    """Return whether a statement is an input of an operator without the shape that would declare its extents."""
    return definition.kind == "operator" and isinstance(statement, nodes.Parameter) and statement.shape is None
