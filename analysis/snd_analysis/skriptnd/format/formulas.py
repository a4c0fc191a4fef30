"""Formulas of ``@lower`` (2.12): the computed expression, and below it the bounds of the indices."""

from __future__ import annotations

from snd_analysis.skriptnd.format.cursor import CONTINUATION, STEP, Cursor
from snd_analysis.skriptnd.format.declarations import index_bound
from snd_analysis.skriptnd.format.expressions import expression, separated
from snd_analysis.skriptnd.format.layout import Document, Group
from snd_analysis.skriptnd.syntax import nodes


def lowering(cursor: Cursor, node: nodes.Lowering) -> Document:
    """Return the layout of ``unroll``, locals and the formula: each on lines of its own."""
    column = cursor.column
    parts: list[Document] = []
    if node.unroll is not None:
        parts += [_unroll(cursor, node.unroll), _line(cursor, column)]
    if node.locals:
        inner = column + STEP
        parts.append(cursor.take("with"))
        for local in node.locals:
            parts.append(_line(cursor, inner))
            parts += [_local(cursor, local), cursor.take(",", ":")]
        parts.append(_line(cursor, inner))
    parts += [cursor.take_node(node.target.name)]
    parts += [expression(cursor, index) for index in node.target.indices]
    parts += [cursor.space(), cursor.take_node(node.operator), cursor.space(), expression(cursor, node.value)]
    after: list[Document] = []
    if node.bounds:
        parts += [cursor.take(","), cursor.line(hard=True)]
        after.append(separated(cursor, node.bounds, index_bound))
    if node.condition is not None:
        after += [cursor.line(), cursor.take("|"), cursor.space(), expression(cursor, node.condition)]
    parts.append(Group(tuple(after)))
    return tuple(parts)


def _unroll(cursor: Cursor, node: nodes.Unroll) -> Document:
    parts = [cursor.take("unroll"), cursor.take(".."), cursor.take("(")]
    if node.name is not None:
        parts += [cursor.take_node(node.name), cursor.space(), cursor.take("->"), cursor.space()]
    return (*parts, expression(cursor, node.count), cursor.take(")"))


def _local(cursor: Cursor, node: nodes.Local) -> Document:
    parts = [cursor.take_node(node.name), cursor.space(), cursor.take("="), cursor.space()]
    return (*parts, expression(cursor, node.value))


def _line(cursor: Cursor, column: int) -> Document:
    cursor.indent = column
    line = cursor.line(hard=True)
    cursor.indent = column + CONTINUATION
    return line
