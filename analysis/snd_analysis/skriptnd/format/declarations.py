"""Declarations, helper symbols and assertions (2.5 to 2.9, 2.13)."""

from __future__ import annotations

from snd_analysis.skriptnd.format.cursor import Cursor
from snd_analysis.skriptnd.format.expressions import enclosed, expansion, expression, separated
from snd_analysis.skriptnd.format.layout import Document, Group, Tail
from snd_analysis.skriptnd.syntax import nodes


def dtype_declaration(cursor: Cursor, node: nodes.DtypeDeclaration) -> Document:
    """Return the layout of ``T: num = real``."""
    parts = [cursor.take_node(node.name), cursor.take(":"), cursor.space(), cursor.take_node(node.base)]
    if node.default is not None:
        parts += [cursor.space(), cursor.take("="), cursor.space(), cursor.take_node(node.default)]
    return tuple(parts)


def parameter(cursor: Cursor, node: nodes.Parameter) -> Document:
    """Return the layout of ``name: optional real^(r)[n]..(k) = value, i < n``."""
    parts = [cursor.take_node(node.name), cursor.take(":"), cursor.space()]
    for modifier in node.modifiers:
        parts += [cursor.take_node(modifier), cursor.space()]
    parts.append(cursor.take_node(node.type))
    if node.rank is not None:
        parts += [cursor.take("^"), cursor.take("("), cursor.take_node(node.rank), cursor.take(")")]
    if node.shape is not None:
        parts.append(shape(cursor, node.shape))
    if node.pack is not None:
        parts.append(pack(cursor, node.pack))
    if node.default is not None:
        parts += [cursor.space(), cursor.take("="), cursor.space(), expression(cursor, node.default.value)]
        if node.default.bounds:
            bounds = (cursor.take(","), cursor.line(), separated(cursor, node.default.bounds, index_bound))
            return Group((*parts, *bounds))
    return tuple(parts)


def index_bound(cursor: Cursor, node: nodes.Node) -> Document:
    """Return the layout of ``i < n``."""
    assert isinstance(node, nodes.IndexBound)
    parts = [cursor.take_node(node.name), cursor.space(), cursor.take("<"), cursor.space()]
    return (*parts, expression(cursor, node.bound))


def shape(cursor: Cursor, node: nodes.Shape) -> Document:
    """Return the layout of ``[a|10, b..(d)]``."""
    return enclosed(cursor, "[", node.extents, "]", _extent)


def _extent(cursor: Cursor, node: nodes.Node) -> Document:
    assert isinstance(node, nodes.Extent)
    parts: list[Document] = []
    if node.static:
        parts += [cursor.take("static"), cursor.space()]
    if node.spread:
        parts.append(cursor.take(".."))
    parts.append(expression(cursor, node.value))
    if node.bound is not None:
        parts += [cursor.take("|"), expression(cursor, node.bound)]
    if node.expansion is not None:
        parts.append(expansion(cursor, node.expansion.length))
    return tuple(parts)


def pack(cursor: Cursor, node: nodes.Pack) -> Document:
    """Return the layout of ``..``, ``..(n)``, ``..(dynamic n|10)``."""
    parts = [cursor.take("..")]
    if not cursor.sees("("):
        return tuple(parts)
    parts.append(cursor.take("("))
    if node.qualifier is not None:
        parts += [cursor.take(node.qualifier), cursor.space()]
    if node.length is not None:
        parts.append(expression(cursor, node.length))
    if node.bound is not None:
        parts += [cursor.take("|"), expression(cursor, node.bound)]
    return (*parts, cursor.take(")"))


def using(cursor: Cursor, node: nodes.Using) -> Document:
    """Return the layout of ``target = value``."""
    parts = [_using_target(cursor, node.target), cursor.space(), cursor.take("=")]
    return (*parts, Tail(cursor.line(), expression(cursor, node.value)))


def _using_target(cursor: Cursor, node: nodes.Node) -> Document:
    match node:
        case nodes.ListTarget(items=items):
            return enclosed(cursor, "[", items, "]", _using_target)
        case nodes.TupleTarget(names=names, expansion=length):
            row = enclosed(cursor, "(", names, ")")
            return row if length is None else (row, expansion(cursor, length.length))
        case nodes.NameTarget(name=name, expansion=length):
            single = cursor.take_node(name)
            return single if length is None else (single, expansion(cursor, length.length))
    return cursor.take_node(node)


def assertion(cursor: Cursor, node: nodes.Assertion) -> Document:
    """Return the layout of ``condition: "message", values``.

    It is one line, or message and values each have lines of their own.
    """
    condition = expression(cursor, node.condition)
    if node.message is None:
        return condition
    parts = [condition, cursor.take(":"), cursor.line()]
    message = expression(cursor, node.message)
    if node.printed:
        values = (cursor.take(","), cursor.line(), separated(cursor, node.printed, _printed))
        return Group((*parts, Group((message, *values))))
    return Group((*parts, message))


def _printed(cursor: Cursor, node: nodes.Node) -> Document:
    assert isinstance(node, nodes.Printed)
    if node.label is None:
        return expression(cursor, node.value)
    label = (expression(cursor, node.label), cursor.take(":"), cursor.space())
    return (*label, expression(cursor, node.value))
