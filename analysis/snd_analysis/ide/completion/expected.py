"""The type that a name at a place must have."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.ide.completion.operand import (
    ANY_NUMBER,
    NUMERIC,
    Operand,
    dtype_named,
    dtype_of,
    operand_after,
    operand_before,
)
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.completion.stack import OpenBracket
from snd_analysis.ide.completion.visible import Visible
from snd_analysis.skriptnd.names import BUILT_INS, ModuleScope, OperatorName
from snd_analysis.skriptnd.syntax import Token, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types import (
    BOOL,
    CONCRETE,
    INT,
    NUMERIC_FUNCTIONS,
    REAL,
    Dtype,
    Signature,
    TensorParameter,
    Type,
    is_within,
)
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer
from snd_analysis.workspace import Snapshot

# Brackets that contain statements.
_STATEMENTS = (OpenBracket.DOCUMENT, OpenBracket.DEFINITION, OpenBracket.BLOCK, OpenBracket.REGION)
_SCALAR = shapes.constant(0)
# Number of cached results: most names visible at a place have one of few ranks.
_REMEMBERED = 64


class Expected(Struct, frozen=True):
    """The expected type at a place. ``rank`` is None where any rank fits."""

    dtype: Dtype | None
    tensor: bool | None = False
    """True if a tensor is preferred, False for a compile-time value; None if both fit."""
    packed: bool | None = False
    """True for a pack, False for a single value; None if both fit."""
    optional: bool = True
    rank: Integer | None = None
    is_operand: bool = False
    """True if the value must have the type; False if it may be the first operand of an expression."""
    is_compared: bool = False
    """True if a bool is due that is most often a comparison."""

    def accepts(self, type_: Type | None) -> bool:
        """Return whether a value of a type is allowed at the place; unknown types are allowed."""
        if type_ is None:
            return True
        if type_.tensor and self.tensor is False:
            return False
        if self.packed is not None and type_.packed != self.packed:
            return False
        if not self.takes(type_.dtype):
            return False
        rank = type_.shape.rank if type_.shape is not None else _SCALAR
        return self.rank is None or _may_be_equal(self.rank, rank)

    def takes(self, dtype: Dtype) -> bool:
        """Return whether values of a type are allowed at the place."""
        if self.dtype is None:
            return True
        return is_within(dtype, self.dtype.base) if self.dtype.base is not None else self.dtype == dtype

    def begins(self, type_: Type | None, is_accessed: bool) -> bool:
        """Return whether the expected expression can begin with a value of a type.

        The value may be a pack whose item fits, or an operand of a comparison, a selection or a function. Tensors can
        only begin it where single items of them are accessed.
        """
        if self.accepts(type_) or type_ is None:
            return True
        if type_.packed and self.accepts(type_.item()):
            return True
        return not self.is_operand and (is_accessed or not type_.tensor)


@lru_cache(_REMEMBERED)
def _may_be_equal(one: Integer, other: Integer) -> bool:
    return shapes.decide_equal(one, other) is not EqualityVerdict.DIFFERENT


def signature_at(snapshot: Snapshot, place: CompletionPlace, opener: int) -> tuple[OperatorName, Signature] | None:
    """Return the operator whose arguments or attributes an open bracket contains."""
    called = place.stack.call(opener)
    return None if called is None else signature_named(snapshot, place.path, called)


def signature_named(snapshot: Snapshot, path: str, called: nodes.Qualified) -> tuple[OperatorName, Signature] | None:
    """Return the operator of a name in a file, and its signature."""
    module_scope: ModuleScope = snapshot.module_scope(path)
    name = module_scope.operator(tuple(part.text for part in called.parts))
    if name is None:
        return None
    signature = snapshot.signature(name)
    return None if signature is None else (name, signature)


def expected_at(snapshot: Snapshot, place: CompletionPlace, visible: Visible) -> Expected | None:
    """Return the expectation at a place; None if it is not known."""
    if not place.stands_alone:
        operand = operand_after(place, visible)
        return None if operand is None else _of_operand(operand, place)
    return _expected(snapshot, place, visible, len(place.stack.symbols))


def _expected(snapshot: Snapshot, place: CompletionPlace, visible: Visible, end: int) -> Expected | None:
    """Return the expectation after the symbols of the stack before ``end``."""
    operand = operand_before(place, visible, end)
    if operand is not None:
        return _of_operand(operand, place)
    stack = place.stack
    symbols = stack.symbols[:end]
    if symbols[-1:] == ("LPAR",) and stack.frame_of(end - 1) is OpenBracket.PARENTHESES:
        inner = _expected(snapshot, place, visible, end - 1)
        return None if inner is None else replace(inner, is_operand=False)
    if symbols[-2:] == ("chain", "QUESTION"):
        return _expected(snapshot, place, visible, end - 2)
    if symbols[-2:] == ("chain", "COALESCE"):
        return _expected(snapshot, place, visible, end - 2) or _like(stack.values[end - 2], visible)
    if symbols[-4:] == ("chain", "QUESTION", "_expr", "COLON"):
        return _expected(snapshot, place, visible, end - 4) or _like(stack.values[end - 2], visible)
    opener = next((each for each in reversed(stack.openers) if each < end), None)
    if opener is None:
        return None
    found = _inside(snapshot, place, visible, opener, end)
    return found or _in_statement(place, visible, symbols, is_inside=stack.frame_of(opener) not in _STATEMENTS)


def _like(node: object, visible: Visible) -> Expected | None:
    """Return the expectation of the type of another value, such as the alternative of a selection."""
    dtype = dtype_of(node, visible)
    return None if dtype is None else Expected(dtype, tensor=None, packed=None)


def _of_operand(operand: Operand, place: CompletionPlace) -> Expected | None:
    if operand.dtype is None and operand.packed is None:
        return None
    return Expected(
        operand.dtype, tensor=_accessed(place), packed=operand.packed, is_operand=not operand.is_compared,
        is_compared=operand.is_compared,
    )  # fmt: skip


def _accessed(place: CompletionPlace) -> bool | None:
    """Return whether a tensor can be a part of an expression, as its items can in a formula."""
    return None if place.block == BlockKind.LOWER else False


def _inside(snapshot: Snapshot, place: CompletionPlace, visible: Visible, opener: int, end: int) -> Expected | None:
    """Return the expectation of the bracket around a place."""
    stack = place.stack
    top = stack.symbols[end - 1]
    match stack.frame_of(opener):
        case OpenBracket.ARGUMENTS if top in ("LPAR", "COMMA"):
            called = stack.call(opener)
            if called is not None and called.text in BUILT_INS:
                return Expected(NUMERIC if called.text in NUMERIC_FUNCTIONS else REAL, _accessed(place), packed=None)
            return _argument(snapshot, place, visible, opener, item=False)
        case OpenBracket.ATTRIBUTES if top == "ASSIGN":
            return _attribute(snapshot, place, opener, end, item=False)
        case OpenBracket.LIST if top in ("LSQB", "COMMA"):
            found = _item(snapshot, place, visible, opener)
            return found or _like(next(stack.above(opener), None), visible)
        case OpenBracket.CAST if top == "LPAR":
            return Expected(ANY_NUMBER, _accessed(place), packed=None)
        case OpenBracket.SHAPE if top in ("LSQB", "COMMA", "STATIC", "BAR"):
            return Expected(INT, packed=None)
        case OpenBracket.INDEX if top in ("LSQB", "COMMA", "COLON"):
            return Expected(INT, _accessed(place), packed=None)
        case OpenBracket.LENGTH if top in ("LPAR", "ARROW", "STATIC", "DYNAMIC", "BAR"):
            # The number of iterations may be known when the loop runs; an expansion may have a bool for its length.
            return Expected(INT, tensor=None if stack.symbols[opener - 2] == "DO" else False)
    return None


def _item(snapshot: Snapshot, place: CompletionPlace, visible: Visible, opener: int) -> Expected | None:
    """Return the expectation of the list that a bracket begins."""
    stack = place.stack
    before = stack.symbols[opener - 1]
    operator = stack.values[opener - 1]
    if isinstance(operator, Token) and operator.kind == "IN":
        left = stack.values[opener - 2]
        dtype = dtype_of(left[-1] if isinstance(left, list) else left, visible)
        return None if dtype is None else Expected(dtype)
    if len(stack.openers) < 2:
        return None
    outer = max(each for each in stack.openers if each < opener)
    if stack.frame_of(outer) is OpenBracket.ATTRIBUTES and before == "ASSIGN":
        return _attribute(snapshot, place, outer, opener, item=True)
    if stack.frame_of(outer) is OpenBracket.ARGUMENTS and before in ("LPAR", "COMMA"):
        return _argument(snapshot, place, visible, outer, item=True)
    return None


def _in_statement(
    place: CompletionPlace, visible: Visible, symbols: tuple[str, ...], is_inside: bool
) -> Expected | None:
    """Return the expectation of the statement around a place; ``is_inside`` if a bracket is open in it."""
    stack = place.stack
    top = symbols[-1]
    if symbols[-2:] == ("name", "COLON") and "FOR" in symbols[stack.statement :]:
        return Expected(None, tensor=True, packed=True)
    if top in ("IF", "ELIF", "WHILE") and place.following_word in ("then", ""):
        return Expected(BOOL, tensor=None, is_compared=True)
    if is_inside:
        return None
    if place.block == BlockKind.ASSERT and top in ("assert_entries", "LBRACE"):
        return Expected(BOOL, is_compared=True)
    if place.block == BlockKind.LOWER:
        return _in_formula(place, visible, symbols)
    if symbols[-3:] == ("COMMA", "name", "LT"):
        return Expected(INT)
    if top == "ASSIGN" and "type_name" in symbols[stack.statement :]:
        type_name = stack.values[symbols.index("type_name", stack.statement)]
        dtype = CONCRETE.get(type_name.text) if isinstance(type_name, nodes.TypeName) else None
        packed = None if "pack" in symbols[stack.statement :] else False
        return None if dtype is None else Expected(dtype, packed=packed)
    return None


def _in_formula(place: CompletionPlace, visible: Visible, symbols: tuple[str, ...]) -> Expected | None:
    if symbols[-3:] == ("COMMA", "name", "LT"):
        return Expected(INT)
    if symbols[-1] == "BAR" and (symbols[-2] == "_expr" or symbols[-2].startswith("__default_star")):
        return Expected(BOOL, tensor=None, is_compared=True)
    if symbols[-2] == "access":
        target = place.stack.values[len(symbols) - 2]
        dtype = dtype_named(target.name.text, visible) if isinstance(target, nodes.Access) else None
        return None if dtype is None else Expected(dtype, tensor=None, packed=None)
    return None


def _argument(snapshot: Snapshot, place: CompletionPlace, visible: Visible, opener: int, item: bool) -> Expected | None:
    found = signature_at(snapshot, place, opener)
    if found is None:
        return None
    inputs, at = found[1].inputs, place.stack.commas(opener)
    if at >= len(inputs) or inputs[at].type is None:
        return None
    formal = inputs[at].type
    assert formal is not None
    rank = formal.shape.rank if formal.shape is not None else None
    packed = formal.packed
    if item:
        packed = False
        rank = None
    dtype = _bound(formal.dtype, inputs, visible, place, opener)
    return Expected(dtype, tensor=True, packed=packed, optional=not inputs[at].required, rank=rank)


def _bound(
    dtype: Dtype, inputs: tuple[TensorParameter, ...], visible: Visible, place: CompletionPlace, opener: int
) -> Dtype:
    """Return a generic type, or the type that an earlier argument binds it to."""
    if not dtype.is_generic:
        return dtype
    arguments = [each for each in place.stack.above(opener) if isinstance(each, nodes.Node)]
    for parameter, argument in zip(inputs, arguments, strict=False):
        if parameter.type is None or parameter.type.dtype != dtype or not isinstance(argument, nodes.Qualified):
            continue
        symbol = visible.symbols.get(argument.text)
        type_ = None if symbol is None else visible.typed(symbol).type
        if type_ is not None:
            return type_.dtype
    return dtype


def _attribute(snapshot: Snapshot, place: CompletionPlace, opener: int, end: int, item: bool) -> Expected | None:
    """Return the expectation of the attribute whose value begins at ``end``."""
    found = signature_at(snapshot, place, opener)
    name = place.stack.values[end - 2]
    if found is None or not isinstance(name, nodes.Name):
        return None
    parameter = found[1].attributes.get(name.text)
    if parameter is None or parameter.type is None:
        return None
    formal = parameter.type
    packed = (None if parameter.has_length else True) if formal.packed else False
    return Expected(formal.dtype, packed=False if item else packed)
