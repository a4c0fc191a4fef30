"""Arguments of an invocation: how many there are, their types, packing, null and ranks (2.6, 2.10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import TypeAlias

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Repair, Rule, counted
from snd_analysis.skriptnd.limits import MOST_ORDERED
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.compose.invocation.binding import ShapeBinding
from snd_analysis.skriptnd.types.compose.invocation.generics import TypeBinding
from snd_analysis.skriptnd.types.compose.typing_state import TypedValue, TypingState
from snd_analysis.skriptnd.types.expressions.functions import is_empty_list
from snd_analysis.skriptnd.types.fixes import as_list, as_real
from snd_analysis.skriptnd.types.signature import Signature, TensorParameter, elsewhere
from snd_analysis.skriptnd.types.type import Dtype, Extents, Type
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer

# Matrices that fit an operator only if their dimensions are exchanged, such as weights saved by another framework.
_Extents: TypeAlias = Sequence[Integer | None]
_MATRIX = 2
"""Rank of a matrix."""


def transposed_argument(bound: Sequence[_Bound]) -> _Bound | None:
    """Return the one argument, not the first, whose transposition makes the extents of all arguments agree, else None.

    Only inputs without packed extents take part.
    """
    shaped = [(each, extents) for each in bound if (extents := _extents(each)) is not None]
    found = [
        each
        for at, (each, extents) in enumerate(shaped)
        if len(extents) == _MATRIX and each is not bound[0] and _fits_transposed(shaped, at)
    ]
    return found[0] if len(found) == 1 else None


def _extents(bound: _Bound) -> _Extents | None:
    """Return the extents of an argument, one for each extent of its declaration; None if they can't be assigned."""
    parameter, _, value = bound
    parts = parameter.dimensions
    if parts is None or value.extents is None or len(parts) != len(value.extents) or any(each.packed for each in parts):
        return None
    return value.extents


def _fits_transposed(shaped: Sequence[tuple[_Bound, _Extents]], matrix: int) -> bool:
    """Return whether all shapes agree after transposing one matrix, and share a known extent with the matrix."""
    known: dict[Symbol, tuple[Integer, int]] = {}
    shares = False
    for at, ((parameter, _, _), extents) in enumerate(shaped):
        for part, extent in zip(parameter.dimensions or (), extents[::-1] if at == matrix else extents, strict=True):
            if part.symbol is None or extent is None:
                continue
            first, owner = known.setdefault(part.symbol, (extent, at))
            verdict = shapes.decide_equal(first, extent)
            if verdict is EqualityVerdict.DIFFERENT:
                return False
            shares = shares or (verdict is EqualityVerdict.EQUAL and owner != at and matrix in (owner, at))
    return shares


# ---- arguments of an invocation --------------------------------------------------------------------------------------
_WORD = re.compile(r"[A-Za-z_]\w*")
# ---- matrices that fit an operator only if their dimensions are exchanged, such as weights saved by another framework
_Bound: TypeAlias = tuple[TensorParameter, nodes.Expression, TypedValue]


class ArgumentCheck:
    """The arguments of one invocation, checked in the order in which they are written."""

    def __init__(
        self, work: TypingState, name: OperatorName, signature: Signature, types: TypeBinding, binding: ShapeBinding
    ) -> None:
        self._work = work
        self._name = name
        self._signature = signature
        self._types = types
        self._binding = binding
        self._attributes: dict[str, nodes.Attribute] = {}
        """The attributes that the invocation gives, by name."""
        self._bound: list[_Bound] = []
        self.mistyped: set[Dtype] = set()
        """The element types of inputs that an argument of another type was given for."""

    def check(self, call: nodes.Call, values: Sequence[TypedValue]) -> None:
        """Check the arguments against the inputs, and bind types, ranks and extents by them."""
        inputs = self._signature.inputs
        self._attributes = {each.name.text: each for each in call.attributes.items} if call.attributes else {}
        if len(values) > len(inputs):
            self._report_too_many(call, values)
        if len(values) > len(inputs) or any(parameter.required for parameter in inputs[len(values) :]):
            self._missing(call, inputs[len(values) :])
            for parameter in inputs:
                self._forget(parameter)
            return  # one may have been inserted or left out anywhere
        displaced = self._displaced(call, values)
        if displaced:
            self._report_displaced(call, displaced)
        bound = self._bound
        for parameter, argument, value in zip(inputs, call.arguments, values, strict=False):
            if isinstance(argument, nodes.Tilde):
                self._omitted(parameter, argument)
            elif argument in displaced:
                self._forget(parameter)
            elif self._agrees(parameter, argument, value):
                bound.append((parameter, argument, value))
        for parameter, argument, value in bound:
            self._relate(parameter, argument, value)
        self._binding.solve()
        for parameter, argument, value in bound:
            if value.type is not None and not value.type.optional:
                self._relate_extents(parameter, argument, value, bound)
        self._binding.solve()

    # ---- present arguments -------------------------------------------------------------------------------------------
    def _report_too_many(self, call: nodes.Call, values: Sequence[TypedValue]) -> None:
        inputs = len(self._signature.inputs)
        extra = call.arguments[inputs]
        message = f"'{self._name.name}' has {counted(inputs, 'input')}, but there are {len(call.arguments)} arguments"
        if len(call.arguments) == 1:
            message = f"'{self._name.name}' has no inputs, but there is an argument"
        note = elsewhere(self._name, f"'{self._name.name}' is defined here")
        repair = None
        is_list = inputs == 1 and (formal := self._signature.inputs[0].type) is not None and formal.packed
        if is_list and not any(value.type is None or value.type.packed for value in values):
            message = f"{message}: it takes a list of tensors"
            repair = as_list(self._work.context, call.arguments[0], call.arguments[-1])
        self._work.report_between(rules.TOO_MANY_ARGUMENTS, extra, call.arguments[-1], message, (note,), repair)

    def _omitted(self, parameter: TensorParameter, argument: nodes.Tilde) -> None:
        if not parameter.required:
            return
        name = parameter.symbol.name
        message = f"the input '{name}' of '{self._name.name}' is not optional and has no default: '~' can't replace it"
        self._work.context.report(rules.MISSING_ARGUMENT, argument, message, (self._note(parameter),))
        self._forget(parameter)

    def _missing(self, call: nodes.Call, omitted: tuple[TensorParameter, ...]) -> None:
        missing = [parameter for parameter in omitted if parameter.required]
        for parameter in missing:
            self._forget(parameter)
        given = {item.name.text for item in (call.attributes.items if call.attributes is not None else ())}
        if all(parameter.symbol.name in given for parameter in missing):
            return  # they are reported as attributes
        names = ", ".join(f"'{parameter.symbol.name}'" for parameter in missing)
        noun = "an argument for its input" if len(missing) == 1 else "arguments for its inputs"
        message = f"'{self._name.name}' needs {noun} {names}: {_given(len(call.arguments))}"
        notes = tuple(self._note(parameter) for parameter in missing[:3])
        self._work.context.report(rules.MISSING_ARGUMENT, call.function, message, notes)

    def _forget(self, parameter: TensorParameter) -> None:
        if parameter.type is not None:
            self._types.forget(parameter.type.dtype)

    # ---- types -------------------------------------------------------------------------------------------------------
    def _agrees(self, parameter: TensorParameter, argument: nodes.Expression, value: TypedValue) -> bool:
        formal, actual = parameter.type, value.type
        role = f"the input '{parameter.symbol.name}'"
        if formal is None:
            return False
        if actual is None:
            self._types.deduce(formal.dtype, None, argument, role)
            return False
        if actual.packed != formal.packed:
            rule, what = (
                (rules.PACK_EXPECTED, "a single tensor") if formal.packed else (rules.UNEXPECTED_PACK, "a pack")
            )
            wanted = "a pack" if formal.packed else "a single tensor"
            message = f"{role} of '{self._name.name}' is {wanted} of type '{formal}', but this is {what}: '{value}'"
            repair = as_list(self._work.context, argument, argument) if formal.packed else None
            self._report(rule, argument, message, parameter, repair)
            self._forget(parameter)
            return False
        if actual.optional and not formal.optional:
            message = (
                f"{role} of '{self._name.name}' can't be null, but this may be: its type is '{value}'; "
                "test it with 'if ?…', or give a value for null with '??'"
            )
            self._report(rules.NULL_NOT_ALLOWED, argument, message, parameter)
            self._work.context.presume(argument)
            self._forget(parameter)
            return False
        if is_empty_list(argument):
            return True
        if formal.dtype.is_generic:
            return self._types.deduce(formal.dtype, actual.dtype, argument, role)
        if formal.dtype == actual.dtype:
            return True
        self.mistyped.add(formal.dtype)
        message = f"{role} of '{self._name.name}' has the type '{formal}', but this is '{value}'"
        known = value.compile_time or not actual.tensor
        repair = as_real(self._work.context, argument, formal.dtype, actual.dtype) if known else None
        self._report(rules.TYPE_MISMATCH, argument, message, parameter, repair)
        return False

    def _displaced(self, call: nodes.Call, values: Sequence[TypedValue]) -> dict[nodes.Node, nodes.Node]:
        """Return the misplaced arguments, each with the argument that belongs there.

        Empty unless a wrong order is the only problem of the types.
        """
        formal = [parameter.type for parameter in self._signature.inputs[: len(values)]]
        actual = [value.type for value in values]
        if len(values) > MOST_ORDERED or None in formal or None in actual or _fit(formal, actual):
            return {}
        orders = (order for order in permutations(range(len(values))) if _fit(formal, [actual[at] for at in order]))
        best = min(orders, key=lambda order: sum(at != place for place, at in enumerate(order)), default=())
        return {call.arguments[place]: call.arguments[at] for place, at in enumerate(best) if place != at}

    def _report_displaced(self, call: nodes.Call, displaced: Mapping[nodes.Node, nodes.Node]) -> None:
        inputs = [self._signature.inputs[call.arguments.index(each)] for each in displaced]
        arguments = _listed([f"'{written(each)}'" for each in displaced])
        wanted = _listed([f"'{each.symbol.name}: {each.type}'" for each in inputs])
        message = f"{arguments} are in the wrong order: the inputs of '{self._name.name}' are {wanted}"
        span = self._work.context.span
        edits = tuple(Edit(span(each), written(other)) for each, other in displaced.items())
        repair = Repair("put the arguments in order", edits, safe=False)
        first, *_, last = displaced
        self._work.report_between(rules.TYPE_MISMATCH, first, last, message, [*map(self._note, inputs)], repair)

    # ---- ranks -------------------------------------------------------------------------------------------------------
    def _relate(self, parameter: TensorParameter, argument: nodes.Expression, value: TypedValue) -> None:
        """Equate the rank and the pack length of an input with those of its argument."""
        formal, actual = parameter.type, value.type
        if formal is None or actual is None:
            return
        if formal.length is not None and actual.length is not None and not actual.optional:
            self._equate_length(parameter, argument, value, formal.length, actual.length)
        if parameter.dimensions is None or formal.shape is None or value.rank is None or is_empty_list(argument):
            return
        if parameter.rank_symbol is not None:
            self._binding.equate(_rank_variable(parameter), value.rank)

        def complain(rank: Integer) -> None:
            if self._work.shapes_certain and not shapes.is_negative(rank):  # composing says so
                self._report_rank(parameter, value, argument, rank)

        self._binding.equate(formal.shape.rank, value.rank, complain)

    def _equate_length(
        self,
        parameter: TensorParameter,
        argument: nodes.Expression,
        value: TypedValue,
        formal: Integer,
        actual: Integer,
    ) -> None:
        def complain(needed: Integer) -> None:
            if shapes.is_negative(needed):
                return  # composing says so
            message = (
                f"the input '{parameter.symbol.name}' of '{self._name.name}' ('{parameter.type}') needs "
                f"{counted(needed, 'tensor')}, but this has {actual}: its type is '{value}'"
            )
            self._report(rules.LENGTH_MISMATCH, argument, message, parameter)

        self._binding.equate_length(formal, actual, complain if self._work.shapes_certain else None)

    def _relate_extents(
        self, parameter: TensorParameter, argument: nodes.Expression, value: TypedValue, bound: Sequence[_Bound]
    ) -> None:
        reported = False
        items = self._work.extents_of_items(argument, value)
        for place, extents in items:

            def complain(
                here: Integer, needed: Integer, place: nodes.Node = place, extents: Extents | None = extents
            ) -> None:
                nonlocal reported
                if self._work.shapes_certain and not reported:
                    reported = True
                    dimension = _differing_dimension(items[0][1], extents, needed, here)
                    if dimension is None:
                        others = [each for each in bound if each[1] is not argument]
                        self._report_extent(parameter, place, here, needed, others)
                    else:
                        self._report_difference(parameter, place, here, needed, dimension)

            self._binding.bind_extents(parameter.dimensions, extents, complain)

    def _report_difference(
        self, parameter: TensorParameter, place: nodes.Node, here: Integer, needed: Integer, dimension: int
    ) -> None:
        message = rules.invocations.tensors_differ(dimension, needed, here, parameter.symbol.name, self._name.name)
        self._report(rules.ARGUMENT_SHAPE, place, message, parameter)

    def _report_extent(
        self, parameter: TensorParameter, place: nodes.Node, here: Integer, needed: Integer, others: Sequence[_Bound]
    ) -> None:
        transposed = transposed_argument(self._bound)
        if transposed is not None:
            self._report_transposed(*transposed, bound=[each for each in self._bound if each is not transposed])
            return
        # Names in the type differ from names of the invocation.
        names = {leaf.name for leaf in (*here.leaves, *needed.leaves)}
        text = f"{parameter.type}"
        type_ = f" ('{text}')" if "?" not in text and names.isdisjoint(_WORD.findall(text)) else ""
        message = (
            f"the input '{parameter.symbol.name}' of '{self._name.name}'{type_} needs the extent {needed}, "
            f"but this tensor has {here}"
        )
        notes = (*self._origin(parameter, needed, others), self._note(parameter))
        self._work.context.report(rules.ARGUMENT_SHAPE, place, message, notes)

    def _report_transposed(
        self, parameter: TensorParameter, argument: nodes.Expression, value: TypedValue, bound: Sequence[_Bound]
    ) -> None:
        extents = [f"{each}" for each in value.extents or ()]
        message = (
            f"'{written(argument)}' has [{', '.join(extents)}], which fits transposed: the input "
            f"'{parameter.symbol.name}' of '{self._name.name}' needs [{', '.join(reversed(extents))}]"
        )
        needed = [extent for extent in value.extents or () if extent is not None]
        origins = (note for extent in needed for note in self._origin(parameter, extent, bound))
        notes = (*islice(origins, 1), self._note(parameter))
        self._work.context.report(rules.ARGUMENT_SHAPE, argument, message, notes)

    def _origin(self, parameter: TensorParameter, needed: Integer, others: Sequence[_Bound]) -> Iterator[Note]:
        """Yield a note at the argument that gives the needed extent: it may be the wrong one."""
        names = {part.symbol for part in parameter.dimensions or () if part.symbol is not None}
        for other, argument, value in others:
            parts = other.dimensions or ()
            if value.extents is None or len(parts) != len(value.extents) or any(part.packed for part in parts):
                continue
            for part, extent in zip(parts, value.extents, strict=True):
                if part.symbol in names and extent == needed:
                    name = part.symbol.name
                    yield self._work.context.note(
                        argument, f"'{name}' is {needed} because of the input '{other.symbol.name}'"
                    )
                    return

    def _report_rank(self, parameter: TensorParameter, value: TypedValue, place: nodes.Node, rank: Integer) -> None:
        formal, actual = parameter.type, value.rank
        assert formal is not None
        assert actual is not None
        if self._report_axis(value):
            return
        needed = f"rank {rank}"
        if rank.value is None:
            low = shapes.bounds(rank)[0]
            high = shapes.bounds(actual)[1]
            needed = f"at least rank {low}" if low is not None and high is not None and low > high else f"rank {rank}"
        shown = f"{replace(formal, dtype=self._types.dtype(formal.dtype) or formal.dtype)}"
        type_ = "" if "?" in shown else f" ('{shown}')"
        message = (
            f"the input '{parameter.symbol.name}' of '{self._name.name}'{type_} needs {needed}, "
            f"but this is '{value}', of rank {actual}"
        )
        self._report(rules.ARGUMENT_RANK, place, message, parameter)

    def _report_axis(self, value: TypedValue) -> bool:
        """Return whether the attribute 'axis' is no dimension of an argument; report it."""
        given, parameter = self._attributes.get("axis"), self._signature.attributes.get("axis")
        axis = None if parameter is None else self._binding.given(parameter.value)
        rank = None if value.rank is None else value.rank.value
        if given is None or axis is None or axis.value is None or rank is None or -rank <= axis.value < rank:
            return False
        message = rules.invocations.outside_axis(axis.value, self._name.name, f"{value}", rank)
        if self._has_end():
            message = f"'axis' of '{self._name.name}' is {axis.value}, but for '{value}' it is {-rank} to {rank}"
        self._work.context.report(rules.ARGUMENT_RANK, given, message)
        return True

    def _has_end(self) -> bool:
        """Return whether the axis may be the rank: a pack becomes a dimension there, as by ``layout.stack``."""
        first = self._signature.inputs[0]
        is_stacked = (
            first.type is not None and first.type.packed and all(each.packed for each in first.dimensions or ())
        )
        return is_stacked and "squeeze" not in self._attributes

    # ---- messages ----------------------------------------------------------------------------------------------------
    def _report(
        self,
        rule: Rule,
        node: nodes.Node,
        message: str,
        parameter: TensorParameter,
        repair: Repair | None = None,
    ) -> None:
        self._work.context.report(rule, node, message, (self._note(parameter),), repair)

    def _note(self, parameter: TensorParameter) -> Note:
        name = parameter.symbol.name
        return elsewhere(self._name, f"the input '{name}' is declared here", name)


def _fit(formal: Sequence[Type | None], actual: Sequence[Type | None]) -> bool:
    """Return whether types, ignoring shapes, match the types of inputs; each generic type is bound to one type."""
    generics: dict[Dtype, Dtype] = {}
    for one, other in zip(formal, actual, strict=True):
        assert one is not None
        assert other is not None
        wanted = generics.setdefault(one.dtype, other.dtype) if one.dtype.is_generic else one.dtype
        if one.packed != other.packed or wanted != other.dtype:
            return False
    return True


def _given(number: int) -> str:
    if number == 0:
        return "there are no arguments"
    return f"there {'is' if number == 1 else 'are'} only {counted(number, 'argument')}"


def _rank_variable(parameter: TensorParameter) -> Integer:
    assert parameter.rank_symbol is not None
    return shapes.variable(parameter.rank_symbol, parameter.rank_symbol.name)


def _differing_dimension(first: Extents | None, other: Extents | None, needed: Integer, here: Integer) -> int | None:
    """Return the dimension in which a tensor of a pack differs from the first one in that way."""
    if first is None or other is None or first is other:
        return None
    pairs = enumerate(zip(first, other, strict=False))
    return next((at for at, pair in pairs if pair == (needed, here)), None)


def _listed(items: Sequence[str]) -> str:
    *others, last = items
    return f"{', '.join(others)} and {last}"
