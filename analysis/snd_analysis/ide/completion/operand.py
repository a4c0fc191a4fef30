"""The type demanded by the operator beside a place: operands of most have one type."""

from __future__ import annotations

import re

from msgspec import Struct

from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.completion.visible import Visible
from snd_analysis.skriptnd.names import BUILT_INS
from snd_analysis.skriptnd.syntax import Token, nodes
from snd_analysis.skriptnd.types import BOOL, CONCRETE, INT, REAL, STR, Dtype

NUMERIC = Dtype("num", "num")
"""``int`` or ``real``."""
ANY_NUMBER = Dtype("arith", "arith")
"""``int``, ``real`` or ``bool``, which can be cast."""
ARITHMETIC = frozenset({"PLUS", "MINUS", "STAR", "SLASH", "BACKSLASH", "PERCENT", "POWER", "MIN", "MAX"})
_INTEGER = frozenset({"BACKSLASH", "PERCENT"})
_LOGICAL = frozenset({"AND", "OR", "XOR", "IMPLIES"})
_COMPARISON = frozenset({"LT", "LE", "GT", "GE", "EQ", "NE", "IS"})
_RESULTS = frozenset({"&&", "||", "^", "=>", "<", "<=", ">", ">=", "==", "!=", "is", "in"})
# Symbols of a chain of operands during parsing.
_OPERANDS = ("_operand", "__chain_star", "__substituting_chain_star")
_AFTER = re.compile(
    r"[ \t]*(?:(?P<logical>&&|\|\||=>)|(?:[-+*/\\%]|[<>]=?|[=!]=)[ \t]*"
    r"(?:(?P<real>\d+\.(?!\.)\d*)|(?P<int>\d+)|(?P<string>['\"])|(?P<name>[A-Za-z_]\w*)(?![\w.(\[])))"
)


class Operand(Struct, frozen=True):
    """The operand that an operator accepts. ``dtype`` is None if it is not known."""

    dtype: Dtype | None
    packed: bool | None = None
    is_compared: bool = False
    """True if it is a bool that is most often a comparison."""


def operand_before(place: CompletionPlace, visible: Visible, end: int) -> Operand | None:
    """Return the operand that the operator before ``end`` on the stack demands; None if there is none."""
    symbols, values = place.stack.symbols[:end], place.stack.values
    top = symbols[-1] if symbols else ""
    if top in ("NOT", "_prefix_operator") and isinstance(values[end - 1], Token) and values[end - 1].kind == "NOT":
        return Operand(BOOL)
    if len(symbols) < 2 or not symbols[-2].startswith(_OPERANDS):
        if top in ("PLUS", "MINUS"):  # a sign
            inner = operand_before(place, visible, end - 1)
            dtype = None if inner is None else inner.dtype
            return Operand(dtype if dtype in (INT, REAL) else NUMERIC)
        return None
    token, left = values[end - 1], values[end - 2]
    if not isinstance(token, Token):
        return None
    if isinstance(left, list):
        left = left[-1] if left else None
    kind = token.kind
    if kind in _LOGICAL:
        return Operand(BOOL, is_compared=True)
    dtype = dtype_of(left, visible)
    if kind == "IN":
        return Operand(dtype, packed=True)
    if kind in _INTEGER:
        return Operand(INT)
    if kind in ARITHMETIC:
        return Operand(dtype if dtype in (INT, REAL) or (dtype is not None and dtype.is_generic) else NUMERIC)
    return Operand(dtype) if kind in _COMPARISON else None


def operand_after(place: CompletionPlace, visible: Visible) -> Operand | None:
    """Return the operand that an operator after the word demands: for comparisons and sums, the right side's type."""
    found = _AFTER.match(place.text, place.end)
    if found is None:
        return None
    if found["logical"]:
        return Operand(BOOL, is_compared=True)
    if found["real"] or found["int"]:
        return Operand(REAL if found["real"] else INT)
    dtype = STR if found["string"] else dtype_named(found["name"], visible)
    return None if dtype is None else Operand(dtype)


def dtype_named(name: str, visible: Visible) -> Dtype | None:
    """Return the type of the symbol with a name; None if it is not known."""
    symbol = visible.symbols.get(name) or next((each for each in visible.all if each.name == name), None)
    type_ = None if symbol is None else visible.typed(symbol).type
    return None if type_ is None else type_.dtype


def dtype_of(node: object, visible: Visible) -> Dtype | None:
    """Return the type of an operand, as far as it can be read off: that of a literal, a name, an item, a cast."""
    match node:
        case nodes.Literal():
            return CONCRETE.get(node.type)
        case nodes.String():
            return STR
        case nodes.Qualified():
            return INT if len(node.parts) > 1 else dtype_named(node.text, visible)
        case nodes.Subscript():
            return dtype_of(node.target, visible)
        case nodes.Cast():
            return CONCRETE.get(node.type.text)
        case nodes.Call() if node.function.text in BUILT_INS:
            return dtype_of(node.arguments[0], visible) if len(node.arguments) == 1 else None
        case nodes.Binary():
            return BOOL if node.operator.text in _RESULTS else dtype_of(node.left, visible)
        case nodes.Unary():
            return BOOL if node.operator.text in ("!", "?") else dtype_of(node.operand, visible)
        case nodes.Parenthesized():
            return dtype_of(node.inner, visible)
    return None
