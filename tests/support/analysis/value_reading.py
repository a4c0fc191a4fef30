"""Expressions read by the language's parser and evaluated among named values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from snd_analysis.skriptnd.evaluate import Unresolved, evaluate
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import NULL, Pack, Value
from support.analysis.expression_reading import expression


def source(node: nodes.Node, text: str) -> str:
    """Return the text of a node of ``expression(text)``."""
    base = expression(text).start
    return text[node.start - base : node.end - base]


@dataclass
class Names:
    """An environment by name."""

    values: Mapping[str, Value] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    composing: bool = True

    def lookup(self, node: nodes.Qualified) -> Value:
        try:
            return self.values[node.text]
        except KeyError:
            raise Unresolved(node.text) from None

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        return self.types.get(node.text)


def value(text: str, composing: bool = True, types: Mapping[str, str] | None = None, **names: object) -> Value:
    """Return the value of an expression; ``names`` are Python values or values."""
    known = {name: wrapped(given) for name, given in names.items()}
    return evaluate(expression(text), Names(known, types or {}, composing))


def wrapped(given: object) -> Value:
    """Return a plain Python value as a value."""
    if given is None:
        return NULL
    if isinstance(given, bool):
        return shapes.truth(given)
    if isinstance(given, int):
        return shapes.constant(given)
    if isinstance(given, list):
        return Pack([wrapped(item) for item in given])
    return given


def plain(given: Value) -> object:
    """Return a known value as a plain Python one."""
    if given is NULL:
        return None
    if isinstance(given, Integer):
        assert given.value is not None, given
        return given.value
    if isinstance(given, Truth):
        assert given in (shapes.TRUE, shapes.FALSE), given
        return given is shapes.TRUE
    if isinstance(given, Pack):
        assert given.items is not None, given
        return [plain(item) for item in given.items]
    assert isinstance(given, float | str), given
    return given


def of(text: str, composing: bool = True, types: Mapping[str, str] | None = None, **names: object) -> object:
    """Return the plain value of an expression among plain values."""
    return plain(value(text, composing, types, **names))
