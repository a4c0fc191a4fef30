"""Failures of formulas in every run, whatever the data, found with the shapes that are known (2.12, 2.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.checks.assertion_text import attributes_behind
from snd_analysis.compose.failure import Failure, Site, evaluation_failure
from snd_analysis.compose.formulas import (
    LIMIT_EXCEEDED,
    UNKNOWN_VALUE,
    Elements,
    Formula,
    FormulaFailed,
    FormulaTensors,
    Slot,
    check_formula,
    constant_formula,
    elaborate_formula,
)
from snd_analysis.compose.limits import MOST_UNROLLED_VALUES
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Member
from snd_analysis.model import Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, EqualityVerdict, Integer, Truth, is_wide
from snd_analysis.symbolic.values import NULL, UNDEFINED, Pack, Segment, wide_items

_UNDECIDED = frozenset({UNKNOWN_VALUE, LIMIT_EXCEEDED})
"""Rules that don't blame a formula: only a run can decide, or has too little memory."""
_SHORT_CIRCUITING = frozenset({"&&", "||", "=>"})


_NOTHING: Mapping[Tensor, Elements] = {}


def failing_formula_value(
    specialization: Specialization, known: Mapping[Tensor, Elements] = _NOTHING
) -> Failure | None:
    """Return the first thing that formulas and constants do wrong in every run; None if there is nothing.

    The elements of some inputs may be known to an invocation.
    """
    template = specialization.template
    constants = [each for each in template.constants if not _is_written_out(specialization.constants.get(each.name))]
    if not template.formulas and template.in_library:
        wide = _wide_element(specialization)
        if wide is not None:
            return wide
    trusted = template.in_library and not known and not _has_wide_ints(specialization)
    if trusted or (not template.formulas and not constants):
        return None  # the library asserts the needs of its formulas, except for elements of tensors and wide ints
    try:
        tensors = FormulaTensors(specialization, is_open=True)
    except FormulaFailed:
        return None
    elements = {slot: known[tensor] for slot, tensor in tensors.sources.items() if tensor in known}
    undecided = _UNDECIDED | ({rules.NULL_NOT_ALLOWED} if _has_empty_packs(specialization) else frozenset())
    values = chain(_constants(specialization, constants, tensors), _formulas(specialization, tensors))
    for base, node, formulas in values:
        if template.is_wrong(base, node):
            continue
        tensors.has_opened = False
        try:
            for formula in islice(formulas, MOST_UNROLLED_VALUES):
                check_formula(formula, elements)
        except EvaluationError as error:
            decided = error.rule not in undecided
            if decided and not (tensors.has_opened and any(error.node in _within(each) for each in _lazy_parts(node))):
                failure = evaluation_failure(template, base, error)
                return replace(failure, responsible=_responsible(specialization, error.node, known))
    return None


def _wide_element(specialization: Specialization) -> Failure | None:
    """Return the failure of an operator without formulas, such as ``rand.uniform``, whose elements are not ints."""
    for member in specialization.template.attributes:
        value = specialization.attributes.get(member.name, NULL)
        if member.node.type.text not in specialization.scope.dtypes:
            continue
        for _, wide in wide_items(value):
            message = rules.formulas.too_wide(f"'{member.name}' is {wide}, which")
            declared = Site(specialization.template.declared(member.symbol), f"'{member.name}' is declared here")
            return Failure(rules.INT_OVERFLOW, message, (), (declared,), (member.name,))
    return None


def _has_wide_ints(specialization: Specialization) -> bool:
    return any(any(wide_items(value)) for value in specialization.scope.values.values())


def _responsible(specialization: Specialization, node: nodes.Node, known: Mapping[Tensor, Elements]) -> tuple[str, ...]:
    """Return the parameters that determine a place of a formula.

    These are the inputs with known elements in the index of an access, and in the library, whose formulas nobody
    edits, the attributes that the place depends on.
    """
    if specialization.template.in_library and not known:
        return attributes_behind(specialization.scope, node)
    part = node.index if isinstance(node, nodes.Subscript) else node
    named = {specialization.template.resolution.targets.get(each) for each in nodes.descendants(part)}
    members = zip(specialization.template.inputs, specialization.inputs, strict=True)
    values = [value for member, value in members if member.symbol in named]
    return tuple(tensor.name for value in values for tensor in tensors_of(value) if tensor in known)


def _has_empty_packs(specialization: Specialization) -> bool:
    """Return whether extents are unknown because no tensor determines them: they may be null."""
    return any(isinstance(value, Pack) and not value.segments for value in specialization.inputs)


def _formulas(
    specialization: Specialization, tensors: FormulaTensors
) -> Iterator[tuple[int, nodes.Node, Iterator[Formula]]]:
    for base, node in specialization.template.formulas:
        yield base, node, elaborate_formula(specialization, tensors, base, node)


def _is_written_out(constant: TensorValue | None) -> bool:
    """Return whether the declarations have found a known value for each element, so that nothing is left to fail."""
    match constant:
        case Tensor(value=Pack() as values) if constant.elements is not None:
            return constant.elements == values.length and all(map(_is_known, values.segments))
        case Tensor(value=value):
            return value is not None and _is_known(value)
        case Pack(segments=segments):
            return all(isinstance(each, Tensor) and _is_written_out(each) for each in segments)
    return False


def _is_known(value: Segment) -> bool:
    match value:
        case Integer():
            return value.value is not None and not is_wide(value)
        case Truth():
            return value is TRUE or value is FALSE
    return isinstance(value, float | str)


def _constants(
    specialization: Specialization, constants: Sequence[Member], tensors: FormulaTensors
) -> Iterator[tuple[int, nodes.Node, Iterator[Formula]]]:
    for member in constants:
        value = tensors.values[member.symbol]
        for at, slot in enumerate(value.segments if isinstance(value, Pack) else (value,)):
            if isinstance(slot, Slot) and member.node.default is not None:
                item = at if isinstance(value, Pack) else None
                yield member.base, member.node, _constant(specialization, tensors, member, slot, item)


def _constant(
    specialization: Specialization, tensors: FormulaTensors, member: Member, slot: Slot, item: int | None
) -> Iterator[Formula]:
    yield constant_formula(specialization, tensors, member, slot, item)


# ---- lazily evaluated parts ------------------------------------------------------------------------------------------
def _lazy_parts(node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the parts of a formula that a condition decides about."""
    for each in (node, *nodes.descendants(node)):
        match each:
            case nodes.Select(consequent=consequent, alternative=alternative):
                yield consequent
                yield from () if alternative is None else (alternative,)
            case nodes.Binary(operator=operator, right=right) if operator.text in _SHORT_CIRCUITING:
                yield right
            case nodes.Coalesce(fallback=fallback):
                yield fallback
            case _:
                pass


def _within(node: nodes.Node) -> set[nodes.Node]:
    return {node, *nodes.descendants(node)}


# ---- lengths of packed assignments: slices of tensors that are computed with item by item (2.12) ---------------------
def packed_length(scope: ValueScope, formula: nodes.Lowering) -> None:
    """Compare the lengths of all packs in a formula. Raise EvaluationError at the first that differ."""
    value = _length(scope, formula.value)
    symbol = scope.template.resolution.targets.get(formula.target.name)
    if not isinstance(symbol, Symbol) or value is None:
        return
    written = _slice_length(scope, symbol, formula.target.indices[-1])
    if written is not None and shapes.decide_equal(written, value) is EqualityVerdict.DIFFERENT:
        message = f"the left side is a pack of {written} values here, the right side one of {value}"
        raise EvaluationError(formula.value, rules.LENGTH_MISMATCH, message)


def _length(scope: ValueScope, node: nodes.Node) -> Integer | None:
    """Return the length of a packed value; None if it is single or not known."""
    match node:
        case nodes.Subscript(target=nodes.Qualified() as target, index=index):
            symbol = scope.template.resolution.targets.get(target)
            return _slice_length(scope, symbol, index) if isinstance(symbol, Symbol) and symbol.is_tensor else None
        case nodes.Parenthesized(inner=inner):
            return _length(scope, inner)
        case nodes.Unary(operand=operand):
            return _length(scope, operand)
        case nodes.Binary(left=left, right=right):
            return _common(node, _length(scope, left), _length(scope, right))
        case nodes.Select(condition=condition, consequent=consequent, alternative=alternative):
            _length(scope, condition)
            first = _length(scope, consequent)
            return first if alternative is None else first or _length(scope, alternative)
        case nodes.Coalesce(value=value):
            return _length(scope, value)
        case nodes.Call(arguments=(argument,)):
            return _length(scope, argument)
        case nodes.Cast(value=value) if value is not None:
            return _length(scope, value)
    return None


def _common(node: nodes.Node, first: Integer | None, second: Integer | None) -> Integer | None:
    if first is None or second is None:
        return first if second is None else second
    if shapes.decide_equal(first, second) is EqualityVerdict.DIFFERENT:
        message = f"these packs have different lengths here: {first} and {second}"
        raise EvaluationError(node, rules.LENGTH_MISMATCH, message)
    return first


def _slice_length(scope: ValueScope, symbol: Symbol, index: nodes.Index) -> Integer | None:
    """Return the number of values of an access with a slice of one dimension; None for an access without slice."""
    tensor = scope.values.get(symbol, UNDEFINED)
    if not isinstance(tensor, Tensor) or tensor.shape is None:
        return None
    slices = [(at, item) for at, item in enumerate(index.items) if isinstance(item, nodes.Range)]
    plain = not any(isinstance(item, nodes.Expanded | nodes.Zip) for item in index.items)
    extents = Pack(tensor.shape, dtype="int").items
    if len(slices) != 1 or not plain or extents is None or len(extents) != len(index.items):
        return None
    at, part = slices[0]
    extent = extents[at]
    if not isinstance(extent, Integer):
        return None
    if part.first is None and part.last is None and part.step is None:
        return extent
    if part.step is not None:
        return None
    first = shapes.constant(0) if part.first is None else scope.attempt(part.first)
    last = extent if part.last is None else scope.attempt(part.last)
    if not isinstance(first, Integer) or not isinstance(last, Integer):
        return None
    low = shapes.bounds(first)[0]
    high = shapes.bounds(last)[0]
    return shapes.maximum(last - first, 0) if low is not None and low >= 0 and high is not None and high >= 0 else None
