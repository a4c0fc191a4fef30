"""What type a name must have to stand at a place by itself."""

from __future__ import annotations

import re
from functools import lru_cache

from snd_analysis import shapes
from snd_analysis.check import Facts
from snd_analysis.frozen import frozen
from snd_analysis.ide.completion.place import Place
from snd_analysis.ide.completion.stack import Frame
from snd_analysis.ide.completion.visible import Visible
from snd_analysis.names.environment import Environment
from snd_analysis.names.symbols import OperatorName
from snd_analysis.shapes import Integer, Verdict
from snd_analysis.syntax import nodes
from snd_analysis.types.compose.generics import is_within
from snd_analysis.types.signature import Signature, TensorParameter, signature_of
from snd_analysis.types.type import BOOL, INT, REAL, STR, Dtype, Type
from snd_analysis.workspace import Snapshot

_OPERAND = re.compile(
    r"[ \t]*(?:[-+*/\\%]|[<>]=?|[=!]=)[ \t]*"
    r"(?:(?P<real>\d+\.(?!\.)\d*)|(?P<int>\d+)|(?P<string>['\"])|(?P<name>[A-Za-z_]\w*)(?![\w.(\[]))"
)
_SCALAR = shapes.constant(0)
# Most of what is visible at a place is of a few ranks.
_REMEMBERED = 64


@frozen
class Expected:
    """What a place takes. ``rank`` is None where any rank will do."""

    dtype: Dtype | None
    tensor: bool = False
    packed: bool | None = False
    """None where a single value and a pack of them will do."""
    optional: bool = True
    rank: Integer | None = None

    def accepts(self, type_: Type | None) -> bool:
        """Whether a value of a type may stand there; one of an unknown type may."""
        if type_ is None:
            return True
        if type_.tensor and not self.tensor:
            return False
        if self.packed is not None and type_.packed != self.packed:
            return False
        if self.dtype is not None and not _agree(self.dtype, type_.dtype):
            return False
        rank = type_.shape.rank if type_.shape is not None else _SCALAR
        return self.rank is None or _may_be_equal(self.rank, rank)


@lru_cache(_REMEMBERED)
def _may_be_equal(one: Integer, other: Integer) -> bool:
    return shapes.decide_equal(one, other) is not Verdict.DIFFERENT


def _agree(formal: Dtype, actual: Dtype) -> bool:
    if formal.base is not None:
        return is_within(actual, formal.base)
    return formal == actual


def signature_at(snapshot: Snapshot, place: Place, opener: int) -> tuple[OperatorName, Signature] | None:
    """The operator that is invoked with what an open bracket holds."""
    called = place.stack.call(opener)
    return None if called is None else signature_named(snapshot, place.path, called)


def signature_named(snapshot: Snapshot, path: str, called: nodes.Qualified) -> tuple[OperatorName, Signature] | None:
    """The operator of a name in a file, and what it takes."""
    environment: Environment = snapshot.environment(path)
    name = environment.operator(tuple(part.text for part in called.parts))
    if name is None:
        return None
    signature = signature_of(Facts(snapshot, path), name)
    return None if signature is None else (name, signature)


def expected_at(snapshot: Snapshot, place: Place, visible: Visible) -> Expected | None:
    """What a place takes; None if that is not known, or more may follow."""
    if not place.stands_alone:
        dtype = _compared(place, visible)
        return None if dtype is None else Expected(dtype, tensor=True, packed=None)
    stack = place.stack
    match stack.frame:
        case Frame.ARGUMENTS if stack.top in ("LPAR", "COMMA"):
            return _argument(snapshot, place, visible, stack.openers[-1], item=False)
        case Frame.ATTRIBUTES if stack.top == "ASSIGN":
            return _attribute(snapshot, place, item=False)
        case Frame.LIST if stack.top in ("LSQB", "COMMA") and len(stack.openers) > 1:
            outer = stack.frame_of(stack.openers[-2])
            before = stack.symbols[stack.openers[-1] - 1]
            if outer is Frame.ATTRIBUTES and before == "ASSIGN":
                return _attribute(snapshot, place, item=True)
            if outer is Frame.ARGUMENTS and before in ("LPAR", "COMMA"):
                return _argument(snapshot, place, visible, stack.openers[-2], item=True)
        case Frame.SHAPE if stack.top in ("LSQB", "COMMA"):
            return Expected(INT)
        case Frame.LENGTH if stack.top == "LPAR":
            return Expected(None)  # an int, or a bool for a part that may be there or not
    if place.block == "assert" and stack.top in ("assert_entries", "LBRACE"):
        return Expected(BOOL)
    if stack.symbols[-2:] == ("name", "COLON") and "FOR" in stack.symbols[stack.statement :]:
        return Expected(None, tensor=True, packed=True)
    if stack.top in ("IF", "ELIF", "WHILE") and place.following_word in ("then", ""):
        return Expected(BOOL, tensor=True)
    return None


def _compared(place: Place, visible: Visible) -> Dtype | None:
    """The type of what the word is added to, compared with and the like: the two have one type."""
    found = _OPERAND.match(place.text, place.end)
    if found is None:
        return None
    if found["real"] or found["int"]:
        return REAL if found["real"] else INT
    if found["string"]:
        return STR
    symbol = visible.symbols.get(found["name"])
    type_ = None if symbol is None else visible.typed(symbol).type
    return None if type_ is None else type_.dtype


def _argument(snapshot: Snapshot, place: Place, visible: Visible, opener: int, item: bool) -> Expected | None:
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


def _bound(dtype: Dtype, inputs: tuple[TensorParameter, ...], visible: Visible, place: Place, opener: int) -> Dtype:
    """A generic type, or what an argument before tells that it is."""
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


def _attribute(snapshot: Snapshot, place: Place, item: bool) -> Expected | None:
    stack = place.stack
    opener = stack.openers[-2] if item else stack.openers[-1]
    found = signature_at(snapshot, place, opener)
    at = stack.openers[-1] - 2 if item else len(stack.values) - 2
    name = stack.values[at]
    if found is None or not isinstance(name, nodes.Name):
        return None
    parameter = found[1].attributes.get(name.text)
    if parameter is None or parameter.type is None:
        return None
    formal = parameter.type
    packed = (None if parameter.has_length else True) if formal.packed else False
    return Expected(formal.dtype, packed=False if item else packed)
