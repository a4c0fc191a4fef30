"""Types of items: accepted by an operation, one for each generic type, and declared by a fragment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isfinite

from msgspec import Struct

from snd_analysis.base import Edit, Repair, Span, descendants
from snd_analysis.compose import Member, Template
from snd_analysis.nnef1.elaborate.values import UNKNOWN, ElaboratedValue, GraphTensor, ItemList, type_name
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic.integers import Integer, Truth, constant

NAMES = {"real": "scalar", "int": "integer", "bool": "logical", "str": "string"}
"""The types of NNEF 1.0, by the types of SkriptND."""
_OTHER_TYPES = re.compile(r"blob|complex.*|q[iu]\d+.*", re.IGNORECASE)
"""Types of tract other than numbers: bytes, complex and quantized types."""
_BASES = {"type": tuple(NAMES), "arith": ("real", "int", "bool"), "num": ("real", "int")}


class Given(Struct, frozen=True):
    """The value of an argument, and its place in the current statement."""

    value: ElaboratedValue
    span: Span
    written: nodes.Expression | None = None
    """The argument as written in the text; None for other values."""

    @property
    def as_scalar(self) -> Repair | None:
        """Return the repair that writes integers as scalars, ``1.0`` for ``1``; None if there are names too."""
        inside = () if self.written is None else (self.written, *descendants(self.written))
        numbers = {each.span for each in inside if isinstance(each, nodes.Number) and each.text.isdigit()}
        if not numbers or any(isinstance(each, nodes.Identifier | nodes.Call) for each in inside):
            return None
        edits = tuple(Edit(Span(span.end, span.end), ".0") for span in sorted(numbers))
        return Repair("Write a scalar: '.0' after the integer", edits)


class Mismatch(Struct, frozen=True):
    """An argument whose items have a type that the operation does not take."""

    given: Given
    message: str
    repair: Repair | None = None


def item_type(value: ElaboratedValue) -> str | None:
    """Return the type of the items of a tensor, or of a literal in its place; None if it is not known."""
    match value:
        case GraphTensor(tensor=tensor):
            return None if tensor is None else tensor.dtype
        case ItemList(values=values):
            return next((found for each in values if (found := item_type(each)) is not None), None)
        case Integer():
            return "int"
        case float():
            return "real"
        case Truth():
            return "bool"
        case str():
            return "str"
    return None


def mismatches(template: Template, given: Mapping[str, Given], is_strict: bool) -> Iterator[Mismatch]:
    """Yield arguments that do not fit the types that an operator declares for its inputs. ``given`` is by their names.

    The text of NNEF 1.0 declares arithmetic for scalars alone: ``is_strict`` demands those types.
    """
    bases_allowed = {**_BASES, "num": ("real",)} if is_strict else _BASES
    bases = {node.name.text: node.base.text for node in template.generics}
    chosen: dict[str, tuple[str, Member]] = {}
    for member in template.inputs:
        argument = given.get(member.name.removesuffix("_"))
        found = None if argument is None else item_type(argument.value)
        if argument is None or found is None:
            continue
        declared = member.node.type.text
        allowed = bases_allowed.get(bases[declared], (bases[declared],)) if declared in bases else (declared,)
        if found not in allowed:
            wanted = " or ".join(f"'{NAMES[each]}'" for each in allowed)
            message = f"items of '{member.name}' must be {wanted}, but these are '{NAMES[found]}'"
            yield Mismatch(argument, message, argument.as_scalar if "real" in allowed else None)
            continue
        known, other = chosen.setdefault(declared, (found, member))
        if known != found:
            before = given[other.name.removesuffix("_")]
            is_before = found == "real" and before.as_scalar is not None
            wrong = before if is_before else argument
            repair = wrong.as_scalar if "real" in (known, found) else None
            message = (
                f"the items of '{other.name}' and '{member.name}' must have one type, but they are '{NAMES[known]}' "
                f"and '{NAMES[found]}'"
            )
            yield Mismatch(wrong, message, repair)


def adopted(template: Template, given: Mapping[str, Given]) -> Mapping[str, Given]:
    """Return the arguments as tract takes them: a scalar beside a tensor of integers is an integer, too."""
    generics = {node.name.text for node in template.generics}
    members = {member.name.removesuffix("_"): member.node.type.text for member in template.inputs}
    of_integers = {
        members[name]
        for name, each in given.items()
        if members.get(name) in generics and isinstance(each.value, GraphTensor) and item_type(each.value) == "int"
    }
    if not of_integers:
        return given
    return {
        name: Given(constant(int(each.value)), each.span)
        if members.get(name) in of_integers and isinstance(each.value, float) and isfinite(each.value)
        else each
        for name, each in given.items()
    }


def dtype_of_tract(written: str) -> str | None:
    """Return the type of items that tract calls so; None if there is none."""
    name = written.lower()
    if name in ("f16", "f32", "f64"):
        return "real"
    if name in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "tdim"):
        return "int"
    return {"bool": "bool", "string": "str"}.get(name)


def is_type_of_tract(written: str) -> bool:
    """Return whether tract has a type of items of that name, though SkriptND may have none."""
    return dtype_of_tract(written) is not None or _OTHER_TYPES.fullmatch(written) is not None


# ---- types that fragments declare ------------------------------------------------------------------------------------
def suits(type_: nodes.Type, value: ElaboratedValue) -> bool:
    """Return whether a value is of a type, or becomes so by a cast that is implied: a number is a tensor, too."""
    match type_, value:
        case _, _ if value is UNKNOWN:
            return True
        case nodes.TensorType(item=item), GraphTensor(tensor=tensor):
            dtype = None if tensor is None else tensor.dtype
            return item is None or dtype is None or item.text in ("?", NAMES.get(dtype))
        case nodes.TensorType(item=item), Integer() | float() | Truth() | str():
            return item is None or suits(item, value)
        case nodes.PrimitiveType(text=text), _:
            kinds = {"integer": Integer, "scalar": float, "logical": Truth, "string": str}
            return isinstance(value, kinds[text]) if text in kinds else isinstance(value, tuple(kinds.values()))
        case nodes.ArrayType(item=item), ItemList(values=values, is_tuple=False):
            return all(suits(item, each) for each in values)
        case nodes.TupleType(items=items), ItemList(values=values, is_tuple=True):
            return len(items) == len(values) and all(map(suits, items, values))
    return False


def generic_type(type_: nodes.Type, value: ElaboratedValue) -> str | None:
    """Return the generic type of a parameter for a value; None if the value does not determine it."""
    match type_, value:
        case nodes.TensorType(item=nodes.PrimitiveType(text="?")), GraphTensor(tensor=tensor):
            return None if tensor is None or tensor.dtype is None else NAMES[tensor.dtype]
        case nodes.TensorType(item=nodes.PrimitiveType(text="?") as item), _:
            return generic_type(item, value)
        case nodes.PrimitiveType(text="?"), Integer() | float() | Truth() | str():
            return type_name(value)
        case nodes.ArrayType(item=item), ItemList(values=values):
            return next(filter(None, (generic_type(item, each) for each in values)), None)
        case nodes.TupleType(items=items), ItemList(values=values):
            return next(filter(None, map(generic_type, items, values)), None)
    return None
