"""Composing a statement, or using what was composed before an edit where everything it depends on is the same.

A statement depends on the values of the symbols that it names, and tensors are known by identity: so a tensor that is
made again as it was is replaced by the one that was there, and what follows from it lasts as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snd_analysis.compose.declared import Dynamic
from snd_analysis.compose.unit import Member
from snd_analysis.memo import Memo
from snd_analysis.model import Operation, RuntimeCheck, Tensor, TensorValue
from snd_analysis.names.part import Part
from snd_analysis.names.symbols import Symbol
from snd_analysis.shapes import Integer
from snd_analysis.syntax import nodes
from snd_analysis.values import Maybe, Pack, Run, Value

if TYPE_CHECKING:
    from snd_analysis.compose.composer import Composer
    from snd_analysis.compose.instance import Instance


@dataclass(frozen=True, slots=True)
class StatementModel:
    """What composing a statement, in which nothing fails, has added."""

    operations: tuple[Operation, ...]
    tensors: dict[str, TensorValue]
    values: dict[Symbol, Value]
    outputs: dict[Symbol, TensorValue]
    updated: dict[str, TensorValue]
    checks: tuple[RuntimeCheck, ...]
    dynamic: dict[Dynamic, Integer]


class LastingModel:
    """What may last of the composition of a long definition when that is edited.

    The places in it may be of earlier versions; ``Unit.moved`` tells where they are.
    """

    __slots__ = ("_inputs", "_inputs_before", "declared", "statements")

    def __init__(self, before: LastingModel | None = None) -> None:
        self.statements: Memo[StatementModel] = Memo(None if before is None else before.statements)
        self.declared: Memo[TensorValue] = Memo(None if before is None else before.declared)
        self._inputs_before = before._inputs if before is not None else {}
        self._inputs: dict[nodes.Parameter, TensorValue] = {}

    def input(self, member: Member, value: TensorValue) -> TensorValue:
        """The input of the definition, as it was before if it is as it was."""
        known = self._inputs_before.get(member.node)
        if known is not None and alike(known, value):
            value = known
        self._inputs[member.node] = value
        return value


def alike(one: TensorValue, other: TensorValue) -> bool:
    """Whether nothing can tell two tensors, or packs of them, apart but that they are two."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return (
            (one.name, one.dtype, one.shape, one.kind) == (other.name, other.dtype, other.shape, other.kind)
            and one.value is other.value
            and one.quantization is other.quantization
            and (one.place is other.place or (one.place is not None and one.place.lasts_as(other.place)))
        )
    if isinstance(one, Maybe) and isinstance(other, Maybe):
        return one.present == other.present and alike(one.value, other.value)
    if isinstance(one, Run) and isinstance(other, Run):
        return one.length == other.length and alike(one.element, other.element)
    if isinstance(one, Pack) and isinstance(other, Pack):
        return (
            one.dtype == other.dtype
            and len(one.segments) == len(other.segments)
            and all(alike(mine, others) for mine, others in zip(one.segments, other.segments, strict=True))
        )
    return one is other


def lasting_declaration(
    instance: Instance, lasting: LastingModel | None, member: Member, evaluate: Callable[[], TensorValue | None]
) -> TensorValue | None:
    """A declared tensor as ``evaluate`` gives it, which is None if it has no value, or as it was before."""
    unit = instance.unit
    part = unit.resolution.parts.get(member.node)
    if lasting is None or part is None or not part.lasting or unit.is_wrong(member.base, member.node):
        return evaluate()
    if _is_ambiguous(unit.resolution.ambiguous, part):
        return evaluate()
    given = _values(instance, part)
    known = lasting.declared.find(part, given)
    if known is not None:
        return known
    failures, dynamic = len(instance.failures), len(instance.dynamic)
    value = evaluate()
    if value is not None and len(instance.failures) == failures and len(instance.dynamic) == dynamic:
        lasting.declared.learn(part, given, value)
    return value


def _values(instance: Instance, part: Part) -> list[object]:
    """What the symbols that a statement names stand for; None where nothing yet."""
    values = instance.scope.values
    return [instance.scope.dtypes, *(values.get(symbol) for symbol in part.given)]


def compose_lasting(composer: Composer, component: nodes.Component, lasting: LastingModel) -> None:
    """Composes a statement of the definition, or adds what is known of it."""
    resolution = composer.unit.resolution
    part = resolution.parts.get(component)
    if part is None or not part.lasting or _is_ambiguous(resolution.ambiguous, part):
        composer.statement(component)
        return
    given = _values(composer.instance, part)
    for name in part.operators:
        unit = composer.session.unit(name)
        given.append(unit)
        given.append(None if unit is None else composer.session.reached(unit))
    given.append(composer.naming.key(component))
    known = lasting.statements.find(part, given)
    if known is None:
        failures = len(composer.instance.failures)
        composer.made_before = _results(lasting.statements.versions(part))
        known = _composed(composer, component, part)
        composer.made_before = {}
        if len(composer.instance.failures) == failures:
            lasting.statements.learn(part, given, known)
    _add(composer, known)


def _is_ambiguous(ambiguous: frozenset[Symbol], part: Part) -> bool:
    return bool(ambiguous) and not (ambiguous.isdisjoint(part.symbols) and ambiguous.isdisjoint(part.given))


def _results(versions: tuple[StatementModel, ...]) -> dict[str, list[TensorValue]]:
    """The results of operations, by the names of their first tensors."""
    found: dict[str, list[TensorValue]] = {}
    for version in versions:
        for operation in version.operations:
            for output in operation.outputs:
                found.setdefault(first_name(output), []).append(output)
    return found


def first_name(value: TensorValue) -> str:
    """The name of a tensor, of the first one in a pack; none of what is neither."""
    while not isinstance(value, Tensor):
        if isinstance(value, Maybe):
            value = value.value
        elif isinstance(value, Run):
            value = value.element
        elif isinstance(value, Pack) and value.segments:
            value = value.segments[0]
        else:
            return ""
    return value.name


def _composed(composer: Composer, component: nodes.Component, part: Part) -> StatementModel:
    """What a statement adds, not added yet."""
    instance, values = composer.instance, composer.scope.values
    named = (*part.symbols, *part.given)
    before = [values.get(symbol) for symbol in named]
    around = composer.operations, composer.tensors, composer.outputs, composer.updated, composer.checks
    dynamic = instance.dynamic
    composer.operations, composer.tensors, composer.outputs, composer.updated, composer.checks = [], {}, {}, {}, []
    instance.dynamic = {}
    try:
        composer.statement(component)
        changed = {
            symbol: values[symbol]
            for symbol, value in zip(named, before, strict=True)
            if symbol in values and values[symbol] is not value
        }
        return StatementModel(
            tuple(composer.operations), composer.tensors, changed, composer.outputs, composer.updated,
            tuple(composer.checks), instance.dynamic,
        )  # fmt: skip
    finally:
        composer.operations, composer.tensors, composer.outputs, composer.updated, composer.checks = around
        instance.dynamic = dynamic


def _add(composer: Composer, known: StatementModel) -> None:
    composer.operations.extend(known.operations)
    composer.tensors.update(known.tensors)
    composer.scope.values.update(known.values)
    composer.outputs.update(known.outputs)
    composer.updated.update(known.updated)
    composer.checks.extend(known.checks)
    composer.instance.dynamic.update(known.dynamic)
