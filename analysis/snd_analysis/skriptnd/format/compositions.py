"""Statements of ``@compose``, ``@update`` and ``@quantize`` (2.10, 2.11, 2.14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snd_analysis.skriptnd.format.cursor import CONTINUATION, STEP, Cursor, Unprintable
from snd_analysis.skriptnd.format.declarations import pack, shape
from snd_analysis.skriptnd.format.expressions import attributes, enclosed, expression, generics, separated
from snd_analysis.skriptnd.format.layout import Document, Group, Tail
from snd_analysis.skriptnd.syntax import nodes


def component(cursor: Cursor, node: nodes.Node) -> Document:
    """Return the layout of ``results = right side``."""
    if not isinstance(node, nodes.Component):
        raise Unprintable
    results = separated(cursor, node.results, _result)
    sign = (cursor.space(), cursor.take("="))
    match node.value:
        case nodes.Branch():
            return results, *sign, cursor.space(), _branch(cursor, node.value)
        case nodes.Loop():
            return results, *sign, cursor.space(), _loop(cursor, node.value)
        case nodes.Region() | nodes.Labelled(value=nodes.Region()):
            return results, *sign, cursor.space(), _callable(cursor, node.value)
    return results, *sign, Tail(cursor.line(), _callable(cursor, node.value))


def yielded(cursor: Cursor, node: nodes.Yield) -> Document:
    """Return the layout of ``yield a, b``."""
    return cursor.take("yield"), cursor.space(), separated(cursor, node.values)


def quantization(cursor: Cursor, node: nodes.Quantization) -> Document:
    """Return the layout of ``tensor: algorithm{…}``."""
    if node.arguments is not None:
        raise Unprintable
    parts = [cursor.take_node(node.target), cursor.take(":"), cursor.space(), cursor.take_node(node.algorithm)]
    return (*parts, generics(cursor, node.generics), attributes(cursor, node.attributes))


# ---- left sides ------------------------------------------------------------------------------------------------------
def _result(cursor: Cursor, node: nodes.Node) -> Document:
    match node:
        case nodes.ResultList(items=items):
            return enclosed(cursor, "[", items, "]", _result)
        case nodes.ResultTuple(names=names, types=types, pack=length):
            typed: dict[nodes.Node, nodes.ResultType | None] = dict(zip(names, types, strict=True))
            row = enclosed(cursor, "(", names, ")", lambda cursor, name: _typed(cursor, name, typed[name]))
            return row if length is None else (row, pack(cursor, length))
        case nodes.Result(target=target, type=type_, pack=length):
            single = _typed(cursor, target, type_)
            return single if length is None else (single, pack(cursor, length))
    raise Unprintable


def _typed(cursor: Cursor, target: nodes.Node, type_: nodes.ResultType | None) -> Document:
    name = cursor.take_node(target)
    if type_ is None:
        return name
    parts = [name, cursor.take(":"), cursor.space(), cursor.take_node(type_.type)]
    return (*parts, shape(cursor, type_.shape))


# ---- right sides -----------------------------------------------------------------------------------------------------
def _callable(cursor: Cursor, node: nodes.Node) -> Document:
    match node:
        case nodes.Region():
            return _region(cursor, node)
        case nodes.Labelled(label=label, value=value):
            parts = [cursor.take_node(label), cursor.take(":"), cursor.space()]
            return (*parts, _callable(cursor, value))
    return expression(cursor, node)


def _region(cursor: Cursor, node: nodes.Region) -> Document:
    """Print statements between braces, one level deeper than the statement that the region is part of."""
    column, indent = cursor.column, cursor.indent
    cursor.column = cursor.indent = column + STEP
    parts: list[Document] = [cursor.take("{")]
    for at, item in enumerate(node.items):
        parts += [cursor.blank_line()] if at else []
        parts.append(cursor.line(hard=True))
        cursor.indent = cursor.column + CONTINUATION
        parts.append(yielded(cursor, item) if isinstance(item, nodes.Yield) else component(cursor, item))
        cursor.indent = cursor.column
        parts.append(cursor.take(";"))
    cursor.indent = column
    parts += [cursor.line(hard=True), cursor.take("}")]
    cursor.column, cursor.indent = column, indent
    return tuple(parts)


def _branch(cursor: Cursor, node: nodes.Branch) -> Document:
    """Return a line for each case if they don't fit on one; blocks stay after their ``then`` and ``else``."""
    parts: list[Document] = []
    for number, case in enumerate(node.cases):
        if number:
            parts.append(_joint(cursor, node.cases[number - 1].consequent))
        keyword = (cursor.take("elif" if number else "if"), cursor.space())
        head = (*keyword, _callable(cursor, case.condition), cursor.space(), cursor.take("then"))
        parts.append(_case(cursor, head, case.consequent))
    parts.append(_joint(cursor, node.cases[-1].consequent))
    parts.append(_case(cursor, cursor.take("else"), node.alternative))
    return Group(tuple(parts))


def _case(cursor: Cursor, head: Document, body: nodes.Node) -> Document:
    if _is_region(body):
        return head, cursor.space(), _callable(cursor, body)
    cursor.deepen(STEP)
    case = Group((head, cursor.line(), _callable(cursor, body)))
    cursor.deepen(-STEP)
    return case


def _joint(cursor: Cursor, after: nodes.Node) -> Document:
    """Return the space or line before ``elif`` and ``else``."""
    return cursor.space() if _is_region(after) else cursor.line()


def _is_region(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Region) or (isinstance(node, nodes.Labelled) and isinstance(node.value, nodes.Region))


def _loop(cursor: Cursor, node: nodes.Loop) -> Document:
    """Return a line each for ``with``, ``for``, ``while`` and ``do`` if they don't fit on one."""
    parts: list[Document] = []
    if node.carries:
        parts.append(_clause(cursor, "with", node.carries, _carry))
    if node.scans:
        parts += [cursor.line()] if parts else []
        parts.append(_clause(cursor, "for", node.scans, _scan))
    for condition in node.conditions:
        if not condition.post:
            parts += [cursor.line()] if parts else []
            parts.append(_while(cursor, condition))
    parts += [cursor.line()] if parts else []
    parts.append(cursor.take("do", "unroll"))
    if node.iteration is not None:
        parts.append(_iteration(cursor, node.iteration))
    cursor.deepen(STEP)
    body: list[Document] = [cursor.space(), _callable(cursor, node.body)]
    cursor.deepen(-STEP)
    for condition in node.conditions:
        if condition.post:
            body += [cursor.space(), _while(cursor, condition)]
    return (Group(tuple(parts)), *body) if _is_region(node.body) else Group((*parts, *body))


def _clause(
    cursor: Cursor, keyword: str, items: Sequence[nodes.Node], item: Callable[[Cursor, nodes.Node], Document]
) -> Document:
    head = (cursor.take(keyword), cursor.space())
    cursor.deepen(STEP)
    clause = (*head, separated(cursor, items, item))
    cursor.deepen(-STEP)
    return clause


def _carry(cursor: Cursor, node: nodes.Node) -> Document:
    assert isinstance(node, nodes.Carry)
    parts = [_typed(cursor, node.name, node.type), cursor.space(), cursor.take("="), cursor.space()]
    return (*parts, expression(cursor, node.value))


def _scan(cursor: Cursor, node: nodes.Node) -> Document:
    assert isinstance(node, nodes.Scan)
    parts = [cursor.take_node(node.name), cursor.space(), cursor.take(":"), cursor.space()]
    return (*parts, expression(cursor, node.value))


def _while(cursor: Cursor, node: nodes.While) -> Document:
    return cursor.take("while"), cursor.space(), _callable(cursor, node.condition)


def _iteration(cursor: Cursor, node: nodes.Iteration) -> Document:
    parts = [cursor.take(".."), cursor.take("(")]
    if node.index is not None:
        parts += [cursor.take_node(node.index), cursor.space(), cursor.take("->")]
    if node.count is not None:
        parts += [cursor.space() if node.index is not None else "", expression(cursor, node.count)]
    return (*parts, cursor.take(")"))
