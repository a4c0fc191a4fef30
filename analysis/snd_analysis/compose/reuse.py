"""Composing a statement, or using what was composed before an edit where everything it depends on is the same.

A statement depends on the values of the symbols that it names, and tensors are known by identity: so a tensor that is
made again as it was is replaced by the one that was there, and what follows from it lasts as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import TYPE_CHECKING

from msgspec import Struct

from snd_analysis.compose.bind.declared_shapes import Dynamic
from snd_analysis.compose.body.results import assign
from snd_analysis.compose.checks.counterexamples import invokes_obligations
from snd_analysis.compose.template import Member, Template
from snd_analysis.model import Operation, RuntimeCheck, Tensor, TensorValue
from snd_analysis.skriptnd.memo import Memo
from snd_analysis.skriptnd.names.part import Part
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.names.symbols import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Maybe, Pack, Run, Value

if TYPE_CHECKING:
    from snd_analysis.compose.body.composer import Composer
    from snd_analysis.compose.specialization import Specialization


class StatementModel(Struct, frozen=True):
    """What composing a statement, in which nothing fails, has added."""

    operations: tuple[Operation, ...]
    tensors: dict[str, TensorValue]
    values: dict[Symbol, Value]
    outputs: dict[Symbol, TensorValue]
    updated: dict[str, TensorValue]
    checks: tuple[RuntimeCheck, ...]
    dynamic: dict[Dynamic, Integer]
    invokes_obligations: bool


class DeclaredRow(Struct, frozen=True, eq=False):
    """The constants or variables of a row, and the names in their declarations, in order."""

    names: tuple[nodes.Name, ...]
    by_name: Mapping[str, TensorValue]
    by_symbol: Mapping[Symbol, TensorValue]


class LastingModel:
    """What may last of the composition of a long definition when that is edited.

    The places in it may be of earlier versions; ``Template.moved`` tells where they are.
    """

    __slots__ = ("_inputs", "declared", "rows_declared", "statements")

    def __init__(self) -> None:
        self.statements: Memo[StatementModel] = Memo()
        self.declared: Memo[TensorValue] = Memo()
        self.rows_declared: Memo[DeclaredRow] = Memo()
        self._inputs: dict[nodes.Parameter, TensorValue] = {}

    def forget(self, resolution: Resolution) -> None:
        """Lets go of most of what a definition does not have any more."""
        self.statements.forget(resolution)
        self.declared.forget(resolution)
        self.rows_declared.forget(resolution)
        self._inputs = {node: value for node, value in self._inputs.items() if node in resolution.starts}

    def input(self, member: Member, value: TensorValue) -> TensorValue:
        """The input of the definition, as it was before if it is as it was."""
        known = self._inputs.get(member.node)
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


def known_declarations(specialization: Specialization, lasting: LastingModel, row: Part) -> DeclaredRow | None:
    """The declared tensors of a row as they were before; None if they may be others, or something is to be said."""
    if not _row_may_last(specialization.template, row):
        return None
    known = lasting.rows_declared.find(row, _values(specialization, row))
    if known is None:
        return None
    symbols = map(specialization.template.resolution.targets.get, known.names)
    return known if all(map(is_, symbols, known.by_symbol)) else None


def learn_declarations(
    specialization: Specialization,
    lasting: LastingModel,
    row: Part,
    members: Sequence[Member],
    tensors: Mapping[str, TensorValue],
) -> None:
    """Keeps the declared tensors of a row, by name, of which nothing is to be said."""
    if _row_may_last(specialization.template, row):
        names = tuple(member.node.name for member in members)
        by_name = {member.name: tensors[member.name] for member in members}
        by_symbol = {member.symbol: tensors[member.name] for member in members}
        lasting.rows_declared.learn(row, _values(specialization, row), DeclaredRow(names, by_name, by_symbol))


def _row_may_last(template: Template, row: Part) -> bool:
    starts, last = template.resolution.starts, row.single[-1].node
    may_last = row.lasting and not template.resolution.ambiguous and len(row.single) > 1
    return may_last and not template.is_wrong_between(starts[row.node], starts[last] + last.end)


def lasting_declaration(
    specialization: Specialization,
    lasting: LastingModel | None,
    member: Member,
    evaluate: Callable[[], TensorValue | None],
) -> TensorValue | None:
    """A declared tensor as ``evaluate`` gives it, which is None if it has no value, or as it was before."""
    template = specialization.template
    part = template.resolution.parts.get(member.node)
    if lasting is None or part is None or not part.lasting or template.is_wrong(member.base, member.node):
        return evaluate()
    if _is_ambiguous(template.resolution.ambiguous, part):
        return evaluate()
    given = _values(specialization, part)
    known = lasting.declared.find(part, given)
    if known is not None:
        return known
    failures, dynamic = len(specialization.failures), len(specialization.dynamic)
    value = evaluate()
    if value is not None and len(specialization.failures) == failures and len(specialization.dynamic) == dynamic:
        lasting.declared.learn(part, given, value)
    return value


def _values(specialization: Specialization, part: Part) -> list[object]:
    """What the symbols that a statement names stand for; None where nothing yet."""
    values = specialization.scope.values
    return [specialization.scope.dtypes, *(values.get(symbol) for symbol in part.given)]


def compose_row(composer: Composer, row: Part, lasting: LastingModel) -> None:
    """Composes the statements of a row, or adds what is known of it."""
    parts = row.single
    if len(parts) == 1:
        compose_lasting(composer, parts[0], lasting)
        return
    starts = composer.template.resolution.starts
    last = parts[-1].node
    lasts = _may_last(composer, row) and not composer.template.is_wrong_between(
        starts[row.node], starts[last] + last.end
    )
    given = _given(composer, row) if lasts else None
    known = lasting.statements.find(row, given) if lasts else None
    if known is not None:
        _add(composer, known)
        return
    found = [compose_lasting(composer, part, lasting) for part in parts]
    models = [each for each in found if each is not None]
    if lasts and len(models) == len(found):
        lasting.statements.learn(row, given, _together(models))


def compose_lasting(composer: Composer, part: Part, lasting: LastingModel) -> StatementModel | None:
    """Composes a statement of the definition, or adds what is known of it; returns what may be used again."""
    component = composer.begin(part.node)
    if composer.template.is_wrong(composer.base, component):
        assign(composer, component, None)
        return None
    if not _may_last(composer, part):
        first = len(composer.operations)
        composer.statement(component)
        composer.note_obligations(first)
        return None
    given = _given(composer, part)
    known = lasting.statements.find(part, given)
    if known is not None:
        _add(composer, known)
        return known
    failures = len(composer.specialization.failures)
    composer.made_before = _results(lasting.statements.versions(part))
    known = _composed(composer, component, part)
    composer.made_before = {}
    _add(composer, known)
    if len(composer.specialization.failures) > failures:
        return None
    lasting.statements.learn(part, given, known)
    return known


def _may_last(composer: Composer, part: Part) -> bool:
    return part.lasting and not _is_ambiguous(composer.template.resolution.ambiguous, part)


def _given(composer: Composer, part: Part) -> list[object]:
    """What composing a statement or a row depends on."""
    given = _values(composer.specialization, part)
    for name in part.operators:
        template = composer.session.template(name)
        given.append(template)
        given.append(None if template is None else composer.session.reached(template))
    if composer.naming.scopes:
        given.append([composer.naming.key(each.node) for each in part.single if isinstance(each.node, nodes.Component)])
    return given


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
    specialization, values = composer.specialization, composer.scope.values
    named = (*part.symbols, *part.given)
    before = [values.get(symbol) for symbol in named]
    around = composer.operations, composer.tensors, composer.outputs, composer.updated, composer.checks
    dynamic = specialization.dynamic
    composer.operations, composer.tensors, composer.outputs, composer.updated, composer.checks = [], {}, {}, {}, []
    specialization.dynamic = {}
    try:
        composer.statement(component)
        changed = {
            symbol: values[symbol]
            for symbol, value in zip(named, before, strict=True)
            if symbol in values and values[symbol] is not value
        }
        return StatementModel(
            tuple(composer.operations), composer.tensors, changed, composer.outputs, composer.updated,
            tuple(composer.checks), specialization.dynamic, invokes_obligations(composer.template, composer.operations),
        )  # fmt: skip
    finally:
        composer.operations, composer.tensors, composer.outputs, composer.updated, composer.checks = around
        specialization.dynamic = dynamic


def _together(models: Sequence[StatementModel]) -> StatementModel:
    together = StatementModel(
        tuple(operation for each in models for operation in each.operations), {}, {}, {}, {},
        tuple(check for each in models for check in each.checks), {}, any(each.invokes_obligations for each in models),
    )  # fmt: skip
    for each in models:
        together.tensors.update(each.tensors)
        together.values.update(each.values)
        together.outputs.update(each.outputs)
        together.updated.update(each.updated)
        together.dynamic.update(each.dynamic)
    return together


def _add(composer: Composer, known: StatementModel) -> None:
    composer.operations.extend(known.operations)
    composer.tensors.update(known.tensors)
    composer.scope.values.update(known.values)
    composer.outputs.update(known.outputs)
    composer.updated.update(known.updated)
    composer.checks.extend(known.checks)
    composer.specialization.dynamic.update(known.dynamic)
    composer.invokes_obligations = composer.invokes_obligations or known.invokes_obligations
