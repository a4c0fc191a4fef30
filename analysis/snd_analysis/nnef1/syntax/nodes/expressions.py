"""Expressions."""

from __future__ import annotations

from typing import TypeAlias

from snd_analysis.base import Node


# ---- types of parameters and results ---------------------------------------------------------------------------------
class PrimitiveType(Node, frozen=True):
    """``integer``, ``scalar``, ``logical``, ``string``, or the generic type ``?``."""

    text: str


class TensorType(Node, frozen=True):
    """``tensor<scalar>``; ``tensor<>`` has no item."""

    item: PrimitiveType | None


class ArrayType(Node, frozen=True):
    """``integer[]``."""

    item: Type


class TupleType(Node, frozen=True):
    """``(integer, scalar)``."""

    items: tuple[Type, ...]


Type: TypeAlias = "PrimitiveType | TensorType | ArrayType | TupleType"


# ---- expressions -----------------------------------------------------------------------------------------------------
class Identifier(Node, frozen=True):
    """A name. ``extended`` ones are written ``i"any text"``."""

    text: str
    extended: bool = False


class Number(Node, frozen=True):
    """A number without a sign, as written: an integer if it has neither a point nor an exponent."""

    text: str


class String(Node, frozen=True):
    """A string literal, escapes resolved."""

    value: str


class Logical(Node, frozen=True):
    """``true`` or ``false``."""

    value: bool


class Array(Node, frozen=True):
    """``[a, b]``."""

    items: tuple[Expression, ...]


class Tuple(Node, frozen=True):
    """``(a, b)``; on the left side of an assignment also ``a, b``."""

    items: tuple[Expression, ...]


class Iterator(Node, frozen=True):
    """``i in a`` in a comprehension."""

    target: Expression
    source: Expression


class Comprehension(Node, frozen=True):
    """``[for i in a, j in b if condition yield item]``."""

    iterators: tuple[Iterator, ...]
    condition: Expression | None
    item: Expression


class Range(Node, frozen=True):
    """``a:b`` in a subscript; either may be left out."""

    first: Expression | None
    last: Expression | None


class Subscript(Node, frozen=True):
    """``a[i]`` or ``a[i:j]``."""

    target: Expression
    index: Expression | Range


class Unary(Node, frozen=True):
    """``-a``, ``+a`` or ``!a``."""

    operator: str
    operand: Expression


class Binary(Node, frozen=True):
    """``a + b``, also ``a in b``."""

    left: Expression
    operator: str
    right: Expression


class Select(Node, frozen=True):
    """``a if condition else b``."""

    value: Expression
    condition: Expression
    alternative: Expression


class Argument(Node, frozen=True):
    """An argument, with the name of its parameter or without."""

    name: Identifier | None
    value: Expression


class Call(Node, frozen=True):
    """``name<type>(arguments)``: an invocation, or a built-in function."""

    function: Identifier
    generic: PrimitiveType | None
    arguments: tuple[Argument, ...]


class ErrorExpression(Node, frozen=True):
    """Text that does not parse as an expression."""


Expression: TypeAlias = (
    "Identifier | Number | String | Logical | Array | Tuple | Comprehension | Subscript | Unary | Binary | Select"
    " | Call | ErrorExpression"
)
