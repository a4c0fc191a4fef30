"""Expressions (2.4): blanks around operators with two operands, none inside of brackets; breaks after operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snd_analysis.skriptnd.format.cursor import Cursor, Unprintable
from snd_analysis.skriptnd.format.layout import Document, Fill, Group
from snd_analysis.skriptnd.syntax import nodes

# Several cases are on one line only if they are short.
_WIDEST_CASES = 60


def expression(cursor: Cursor, node: nodes.Node) -> Document:
    """Return an expression, an item of a list, or a tilde."""
    match node:
        case nodes.Select():
            return _select(cursor, node)
        case nodes.Coalesce(value=value, fallback=fallback):
            parts = [expression(cursor, value), cursor.space(), cursor.take("??")]
            return Group((*parts, cursor.line(), expression(cursor, fallback)))
        case nodes.Binary():
            return _chain(cursor, node)
        case nodes.Fold(operand=operand):
            parts = [expression(cursor, operand), cursor.space(), cursor.take(), cursor.space()]
            return (*parts, cursor.take("..", "..."))
        case nodes.Unary(operand=operand):
            return cursor.take(), expression(cursor, operand)
        case nodes.Substitution(target=target, index=index, value=value):
            parts = [expression(cursor, target), expression(cursor, index), cursor.space(), cursor.take("<-")]
            return (*parts, cursor.space(), expression(cursor, value))
        case nodes.Subscript(target=target, index=index):
            return expression(cursor, target), expression(cursor, index)
        case nodes.List(items=items) | nodes.Index(items=items):
            return enclosed(cursor, "[", items, "]")
        case nodes.Zip(items=items):
            return enclosed(cursor, "(", items, ")")
        case nodes.Expanded(item=item, expansion=length):
            return _expanded(cursor, item, length)
        case nodes.Range():
            return _range(cursor, node)
        case nodes.Call():
            return _call(cursor, node)
        case nodes.Cast(value=value):
            return (cursor.take(), *_parenthesized(cursor, value))
        case nodes.Parenthesized(inner=inner):
            return _parenthesized(cursor, inner)
        case nodes.Bounded():
            return _bounded(cursor, node)
        case nodes.String():
            return _string(cursor, node)
        case nodes.ErrorExpression():
            raise Unprintable
    return cursor.take_node(node)


def enclosed(
    cursor: Cursor,
    opening: str,
    items: Sequence[nodes.Node],
    closing: str,
    item: Callable[[Cursor, nodes.Node], Document] = expression,
) -> Document:
    """Return items with commas between them, as many on each line as fit. A comma after the last is kept."""
    begin = cursor.take(opening)
    content = separated(cursor, items, item, closing)
    return begin, content, cursor.take(closing)


def separated(
    cursor: Cursor,
    items: Sequence[nodes.Node],
    item: Callable[[Cursor, nodes.Node], Document] = expression,
    end: str | None = None,
) -> Document:
    """Return items with commas between them, as many on each line as fit, up to a token spelled like ``end``."""
    pieces: list[Document] = []
    lines: list[Document] = []
    for at, each in enumerate(items):
        piece = item(cursor, each)
        if cursor.sees(",") and (at + 1 < len(items) or end is not None):
            piece = (piece, cursor.take(","))
        if at + 1 < len(items):
            lines.append(cursor.line())
        pieces.append(piece)
    return Fill(tuple(pieces), tuple(lines))


def expansion(cursor: Cursor, length: nodes.Expression | None) -> Document:
    """Return the layout of ``..`` or ``..(length)``."""
    # Without the blank, `1..` would look like a real number that was begun.
    dots = (" " if cursor.after_number else "", cursor.take(".."))
    return dots if length is None else (dots, cursor.take("("), expression(cursor, length), cursor.take(")"))


def generics(cursor: Cursor, node: nodes.Generics | None) -> Document:
    """Return the layout of ``<int, T>``."""
    return "" if node is None else enclosed(cursor, "<", node.items, ">")


def attributes(cursor: Cursor, node: nodes.Attributes | None) -> Document:
    """Return the layout of ``{a=1, b=2}``."""
    return "" if node is None else enclosed(cursor, "{", node.items, "}", _attribute)


def _attribute(cursor: Cursor, node: nodes.Node) -> Document:
    assert isinstance(node, nodes.Attribute)
    name = cursor.take_node(node.name)
    sign = cursor.take("=", ":")
    return name, sign, cursor.space() if node.colon else "", expression(cursor, node.value)


def _call(cursor: Cursor, node: nodes.Call) -> Document:
    function = cursor.take_node(node.function)
    head = (function, generics(cursor, node.generics), attributes(cursor, node.attributes))
    return (*head, enclosed(cursor, "(", node.arguments, ")"))


def _select(cursor: Cursor, node: nodes.Select) -> Document:
    """Print one case per line if there are several; a single case breaks after its ':', then after its '?'."""
    most = _WIDEST_CASES if isinstance(node.alternative, nodes.Select) else None
    parts: list[Document] = []
    rest: nodes.Expression = node
    while isinstance(rest, nodes.Select):
        if parts:
            parts.append(cursor.line())
        condition = (expression(cursor, rest.condition), cursor.space(), cursor.take("?"))
        case: list[Document] = [*condition, cursor.line(), expression(cursor, rest.consequent)]
        if rest.alternative is None:
            return Group((*parts, Group(tuple(case))))
        case += [cursor.space(), cursor.take(":")]
        parts.append(Group(tuple(case)))
        rest = rest.alternative
    return Group((*parts, cursor.line(), expression(cursor, rest)), most)


def _chain(cursor: Cursor, node: nodes.Binary) -> Document:
    """Print operands of operators that bind equally: as many on each line as fit."""
    links: list[nodes.Binary] = []
    first: nodes.Expression = node
    while isinstance(first, nodes.Binary) and (not links or _binds_alike(first, links[-1])):
        links.append(first)
        first = first.left
    pieces: list[Document] = [expression(cursor, first)]
    lines: list[Document] = []
    for link in reversed(links):
        pieces[-1] = (pieces[-1], cursor.space(), cursor.take())
        lines.append(cursor.line())
        pieces.append(expression(cursor, link.right))
    return Fill(tuple(pieces), tuple(lines))


def _binds_alike(left: nodes.Binary, right: nodes.Binary) -> bool:
    alike = (("+", "-"), ("*", "/", "\\", "%"))
    a, b = left.operator.text, right.operator.text
    return a == b or any(a in each and b in each for each in alike)


def _expanded(cursor: Cursor, item: nodes.Node, length: nodes.Expansion) -> Document:
    return expression(cursor, item), expansion(cursor, length.length)


def _range(cursor: Cursor, node: nodes.Range) -> Document:
    parts: list[Document] = []
    for at, bound in enumerate((node.first, node.last, node.step)):
        if at and cursor.sees(":"):
            parts.append(cursor.take(":"))
        if bound is not None:
            parts.append(expression(cursor, bound))
    return tuple(parts)


def _parenthesized(cursor: Cursor, inner: nodes.Expression | None) -> tuple[Document, ...]:
    begin = cursor.take("(")
    return begin, "" if inner is None else expression(cursor, inner), cursor.take(")")


def _bounded(cursor: Cursor, node: nodes.Bounded) -> Document:
    parts: list[Document] = [cursor.take("|"), expression(cursor, node.value)]
    if node.below is not None:
        parts += [cursor.space(), cursor.take("<>", "<"), cursor.space(), expression(cursor, node.below)]
    if node.above is not None:
        parts += [cursor.space(), cursor.take(":"), cursor.space(), expression(cursor, node.above)]
    return (*parts, cursor.take("|"))


def _string(cursor: Cursor, node: nodes.String) -> Document:
    pieces: list[Document] = []
    lines: list[Document] = []
    end = node.end + cursor.base
    while (token := cursor.next) is not None and token.start < end:
        if pieces:
            lines.append(cursor.line())
        pieces.append(cursor.take())
    return Fill(tuple(pieces), tuple(lines))


__all__ = ["attributes", "enclosed", "expansion", "expression", "generics", "separated"]
