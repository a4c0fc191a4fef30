"""What was composed before an edit, for statements and declarations of which everything they depend on is the same.

A statement depends on the values of the symbols that it names, and tensors are known by identity: so a tensor that is
made again as it was is replaced by the one that was there, and what follows from it lasts as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Protocol

from msgspec import Struct

from snd_analysis.compose.dynamic.unknowns import Dynamic
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.template import Member, Template
from snd_analysis.model import Operation, RuntimeCheck, Tensor, TensorValue
from snd_analysis.skriptnd.names import Memo, Part, Resolution, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Maybe, Pack, Run, Segment, Value


class Findings(Protocol):
    """What evaluating declarations has found so far."""

    @property
    def failures(self) -> Sequence[object]:
        """What is wrong."""

    @property
    def dynamic(self) -> Mapping[Dynamic, Integer]:
        """The extents that only the run tells."""


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


def alike(one: Segment, other: Segment) -> bool:
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


def known_declarations(scope: ValueScope, lasting: LastingModel, row: Part) -> DeclaredRow | None:
    """The declared tensors of a row as they were before; None if they may be others, or something is to be said."""
    if not _row_may_last(scope.template, row):
        return None
    known = lasting.rows_declared.find(row, values_of(scope, row))
    if known is None:
        return None
    symbols = map(scope.template.resolution.targets.get, known.names)
    return known if all(map(is_, symbols, known.by_symbol)) else None


def learn_declarations(
    scope: ValueScope,
    lasting: LastingModel,
    row: Part,
    members: Sequence[Member],
    tensors: Mapping[str, TensorValue],
) -> None:
    """Keeps the declared tensors of a row, by name, of which nothing is to be said."""
    if _row_may_last(scope.template, row):
        names = tuple(member.node.name for member in members)
        by_name = {member.name: tensors[member.name] for member in members}
        by_symbol = {member.symbol: tensors[member.name] for member in members}
        lasting.rows_declared.learn(row, values_of(scope, row), DeclaredRow(names, by_name, by_symbol))


def _row_may_last(template: Template, row: Part) -> bool:
    starts, last = template.resolution.starts, row.single[-1].node
    may_last = row.lasting and not template.resolution.ambiguous and len(row.single) > 1
    return may_last and not template.is_wrong_between(starts[row.node], starts[last] + last.end)


def lasting_declaration(
    scope: ValueScope,
    findings: Findings,
    lasting: LastingModel | None,
    member: Member,
    evaluate: Callable[[], TensorValue | None],
) -> TensorValue | None:
    """A declared tensor as ``evaluate`` gives it, which is None if it has no value, or as it was before."""
    template = scope.template
    part = template.resolution.parts.get(member.node)
    if lasting is None or part is None or not part.lasting or template.is_wrong(member.base, member.node):
        return evaluate()
    if is_ambiguous(template.resolution.ambiguous, part):
        return evaluate()
    given = values_of(scope, part)
    known = lasting.declared.find(part, given)
    if known is not None:
        return known
    failures, dynamic = len(findings.failures), len(findings.dynamic)
    value = evaluate()
    if value is not None and len(findings.failures) == failures and len(findings.dynamic) == dynamic:
        lasting.declared.learn(part, given, value)
    return value


def values_of(scope: ValueScope, part: Part) -> list[object]:
    """What the symbols that a statement names stand for; None where nothing yet."""
    values = scope.values
    return [scope.dtypes, *(values.get(symbol) for symbol in part.given)]


def is_ambiguous(ambiguous: frozenset[Symbol], part: Part) -> bool:
    return bool(ambiguous) and not (ambiguous.isdisjoint(part.symbols) and ambiguous.isdisjoint(part.given))


def first_name(value: Segment) -> str:
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
