"""Invocations whose attributes stand beside their arguments: ``f(x, alpha = 0.1)``, as in NNEF 1.0."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.samples.single_expression import read_single
from snd_analysis.skriptnd.syntax import nodes, tokenize


class _Argument(Struct, frozen=True):
    """An argument from its first token to the comma or bracket behind it."""

    span: Span
    name: Span | None
    value: int
    """Offset of the start of its value."""


def read_with_named_arguments(text: str, start: int, end: int, problems: list[Problem]) -> nodes.Expression | None:
    """Return the expression that ``text[start:end]`` spells; named arguments of an invocation are its attributes.

    None, and one more problem, if it is none.
    """
    arguments = [*_arguments(text, start, end)]
    named = [each for each in arguments if each.name is not None]
    rest = text
    for at, each in enumerate(arguments):
        if each.name is not None:  # with one of the commas around
            first = arguments[at - 1].span.end if at else each.span.start
            last = arguments[1].span.start if at == 0 and len(arguments) > 1 else each.span.end
            rest = f"{rest[:first]}{_blank(rest[first:last])}{rest[last:]}"
    found = read_single(rest, start, end, problems)
    if not isinstance(found, nodes.Call) or not named:
        return found
    attributes = [] if found.attributes is None else [*found.attributes.items]
    for each in named:
        assert each.name is not None
        value = read_single(text, each.value, each.span.end, problems)
        if value is None:
            return None
        name = nodes.Name(each.name.start, each.name.end, text[each.name.start : each.name.end])
        attributes.append(nodes.Attribute(each.name.start, each.span.end, name, value, False))
    span = Span(attributes[0].start, attributes[-1].end)
    return replace(found, attributes=nodes.Attributes(span.start, span.end, tuple(attributes)))


def _arguments(text: str, start: int, end: int) -> Iterator[_Argument]:
    """Yield the arguments of the invocation that a text begins with."""
    tokens = [(each, each.spelling(text)) for each in tokenize(text, start, end).tokens]
    depth, first = 0, None
    is_open = False
    for at, (_, spelled) in enumerate(tokens):
        if is_open and depth == 1 and spelled in (",", ")") and first is not None:
            (begin, name), following = tokens[first], tokens[first + 1 : at]
            is_named = name.isidentifier() and len(following) > 1 and following[0][1] == "="
            yield _Argument(
                Span(begin.start, tokens[at - 1][0].end),
                Span(begin.start, begin.end) if is_named else None,
                following[1][0].start if is_named else begin.start,
            )
            first = None
        elif is_open and depth == 1 and first is None:
            first = at
        if spelled in ("(", "[", "{"):
            is_open = is_open or (spelled == "(" and depth == 0)
            depth += 1
        elif spelled in (")", "]", "}"):
            depth -= 1
            if is_open and depth == 0:
                return


def _blank(text: str) -> str:
    return "".join(each if each in "\r\n" else " " for each in text)
