"""What composing shares between invocations: definitions, and the instances of operators that are known already."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping
from typing import Protocol

from snd_analysis.compose.binding import Given, bind
from snd_analysis.compose.failure import BindingFailed, Unbindable
from snd_analysis.compose.instance import Instance, evaluate_declarations
from snd_analysis.compose.reuse import LastingModel
from snd_analysis.compose.scope import Scope
from snd_analysis.compose.stand_ins import StandIns
from snd_analysis.compose.unit import Unit
from snd_analysis.compose.work import MOST_LEVELS
from snd_analysis.model import Place, Tensor, TensorKind, TensorValue, empty_pack, item_of_empty
from snd_analysis.skriptnd.names.symbols import OperatorName
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Maybe, Pack, Run, Value

_MANY_INSTANCES = 64
_MOST_KEPT = 4096


class Definitions(Protocol):
    """Where composing finds definitions."""

    def unit(self, name: OperatorName) -> Unit | None:
        """The definition of that name, ready to be composed; the same object as long as nothing about it changes."""


class Reached:
    """What definitions invoke in one state of the files, directly or through others. It is found once for each."""

    __slots__ = ("levels", "units")

    def __init__(self) -> None:
        self.units: dict[Unit, frozenset[Unit]] = {}
        """By definition all of them, with itself: what its instances depend on."""
        self.levels: dict[Unit, int] = {}
        """How many levels of definitions there are, with its own."""


class Session:
    """The composing of one graph, or one operator, in one state of all files.

    ``composing`` says whether there are concrete inputs; not when an operator is composed for itself.
    """

    def __init__(
        self,
        definitions: Definitions,
        composing: bool = True,
        reached: Reached | None = None,
        checkpoint: Callable[[], None] = lambda: None,
        lasting: Callable[[Unit, Hashable], LastingModel | None] = lambda unit, given: None,
    ) -> None:
        self._definitions = definitions
        self.checkpoint = checkpoint
        """Is called between statements: what it raises ends the composing."""
        self.composing = composing
        self._lasting = lasting
        """What may be used of an earlier version of a graph that was given the same."""
        self._known = Reached() if reached is None else reached
        """What is known of this state of the files, for others to go on with."""
        self._kept: deque[Instance] = deque(maxlen=_MOST_KEPT)
        """What was composed last: it may be needed again, though nothing that lasts is composed of it yet."""

    def unit(self, name: OperatorName) -> Unit | None:
        """The definition of that name."""
        return self._definitions.unit(name)

    def reached(self, unit: Unit) -> frozenset[Unit]:
        """A unit and all that it invokes, directly or through others: what its instances depend on.

        Of one with too many levels only what it invokes itself, since it has no instances.
        """
        known = self._known
        if unit not in known.units and not unit.invoked:
            known.units[unit], known.levels[unit] = unit.alone, 1
        elif unit not in known.units:
            for each in self._from_the_leaves(unit):
                invoked = self._invoked(each)
                levels = known.levels[each] = 1 + max((known.levels.get(other, 0) for other in invoked), default=0)
                too_many = levels > MOST_LEVELS + 1
                known.units[each] = frozenset((each, *invoked)) if too_many else self._reached_from(each)
        return known.units[unit]

    def levels(self, unit: Unit) -> int:
        """How many levels of definitions a unit is composed of, with its own."""
        self.reached(unit)
        return self._known.levels[unit]

    def _invoked(self, unit: Unit) -> list[Unit]:
        return [found for found in map(self.unit, unit.invoked) if found is not None]

    def _from_the_leaves(self, unit: Unit) -> list[Unit]:
        """All that a unit reaches and that is not known yet, what is invoked before what invokes it."""
        order: list[Unit] = []
        seen = {unit}
        pending = [(unit, iter(self._invoked(unit)))]
        while pending:
            last, invoked = pending[-1]
            other = next(invoked, None)
            if other is None:
                order.append(last)
                pending.pop()
            elif other not in seen and other not in self._known.units:
                seen.add(other)
                pending.append((other, iter(self._invoked(other))))
        return order

    def _reached_from(self, unit: Unit) -> frozenset[Unit]:
        found = {unit}
        pending = self._invoked(unit)
        while pending:
            other = pending.pop()
            known = self._known.units.get(other)
            if known is not None:
                found |= known
            elif other not in found:  # one that leads back
                found.add(other)
                pending.extend(self._invoked(other))
        return frozenset(found)

    def _is_recursive(self, unit: Unit) -> bool:
        """Whether a definition invokes itself, if through others: its composition would never end."""
        invoked = (self.unit(name) for name in unit.invoked)
        return any(unit in self.reached(other) for other in invoked if other is not None)

    def instance(self, unit: Unit, given: Given) -> Instance:
        """The instance of an operator for what an invocation gives; the same one for the same. Never fails."""
        reached = self.reached(unit)
        if unit.instances_for is not reached and unit.instances_for != reached:
            unit.instances = {}
        unit.instances_for = reached
        key = (self.composing, _key(given))
        instance = unit.instances.get(key)
        if instance is None:
            unit.forget_unused()
            # Of operators nothing lasts: what composing them costs counts inside of loops, and is found by doing it.
            lasting = self._lasting(unit, key) if unit.is_graph else None
            instance = unit.instances[key] = self._made(unit, given, key, lasting)
            self._kept.append(instance)
        return instance

    def shared_instance(self, unit: Unit, given: Given) -> tuple[Instance, Mapping[Hashable, Integer]]:
        """The instance for what an invocation gives, and what unknowns in its declarations stand for, by key.

        Of an operator with many instances, invocations that differ only in their dynamic extents have one in common:
        else each level of operators that invoke others twice would double them.
        """
        unit.forget_unused()
        if len(unit.instances) < _MANY_INSTANCES:
            return self.instance(unit, given), {}
        stand_ins = StandIns(given)
        return self.instance(unit, stand_ins.given), stand_ins.actual

    def _made(self, unit: Unit, given: Given, key: Hashable, lasting: LastingModel | None) -> Instance:
        from snd_analysis.compose.composer import compose_body
        from snd_analysis.compose.formulas import check_formulas

        instance = self.declared(unit, given, lasting, key)
        if instance.valid:
            check_formulas(instance)
            compose_body(self, instance, lasting)
        if lasting is not None:
            lasting.forget(unit.resolution)
        return instance

    def declared(self, unit: Unit, given: Given, lasting: LastingModel | None = None, key: Hashable = None) -> Instance:
        """A new instance, of which nothing but the declarations are evaluated. Never fails.

        With a ``key``, which tells what is given, they are evaluated once for it.
        """
        if unit.signature_is_wrong or self._is_recursive(unit) or self.levels(unit) > MOST_LEVELS:
            return Instance(unit, Scope(unit, {}, {}), {}, (), valid=False)
        # The library is not edited: its instances last themselves.
        if key is None or unit.in_library:
            return self._declared(unit, given, lasting)
        known = unit.known_declarations.find(unit, key)
        if known is None:
            known = self._declared(unit, given, lasting)
            unit.known_declarations.learn(key, known)
        return known

    def _declared(self, unit: Unit, given: Given, lasting: LastingModel | None) -> Instance:
        empty = Instance(unit, Scope(unit, {}, {}), {}, (), valid=False)
        try:
            binding = bind(unit, given, self.composing)
        except BindingFailed as failed:
            empty.failures.append(failed.failure)
            return empty
        except Unbindable:
            return empty
        inputs = formal_inputs(unit, binding.inputs)
        if lasting is not None:
            inputs = tuple(lasting.input(member, value) for member, value in zip(unit.inputs, inputs, strict=True))
        for member, value in zip(unit.inputs, inputs, strict=True):
            binding.scope.values[member.symbol] = value
        instance = Instance(unit, binding.scope, binding.attributes, inputs, checks=binding.checks)
        evaluate_declarations(instance, lasting=lasting)
        return instance


def formal_inputs(unit: Unit, inputs: list[TensorValue]) -> tuple[TensorValue, ...]:
    """The inputs as the operator names them. One argument in two places is one tensor: ``is`` can tell (2.4)."""
    known: dict[Tensor, Tensor] = {}
    members = ((value, unit.inputs[at]) for at, value in enumerate(inputs))
    return tuple(_renamed(value, each.name, unit.declared(each.symbol), known) for value, each in members)


def _renamed(value: Value, name: str, place: Place, known: dict[Tensor, Tensor]) -> Value:
    if isinstance(value, Tensor):
        if value not in known:
            known[value] = Tensor(name, value.dtype, value.shape, TensorKind.INPUT, place)
        return known[value]
    if isinstance(value, Maybe):
        return Maybe(value.present, _renamed(value.value, name, place, known))
    if isinstance(value, Pack):
        if not value.segments:
            return empty_pack(_renamed(item_of_empty(value), f"{name}[]", place, known), value.dtype)
        segments = [
            Run(segment.length, _renamed(segment.element, f"{name}[]", place, known))
            if isinstance(segment, Run)
            else _renamed(segment, f"{name}[{at}]", place, known)
            for at, segment in enumerate(value.segments)
        ]
        return Pack(segments, dtype=value.dtype)
    return value


def _key(given: Given) -> Hashable:
    seen: dict[Tensor, int] = {}
    return (
        given.dtypes,
        tuple((name, _typed(value)) for name, value in sorted(given.attributes.items())),
        tuple(_input_key(value, seen) for value in given.inputs),
    )


def _typed(value: Value) -> Hashable:
    # 0.0 and -0.0 are equal, but not the same.
    return str(value) if isinstance(value, float) else value


def _input_key(value: TensorValue, seen: dict[Tensor, int]) -> Hashable:
    if isinstance(value, Tensor):
        return seen.setdefault(value, len(seen)), value.dtype, value.shape
    if isinstance(value, Maybe):
        return "maybe", value.present, _input_key(value.value, seen)
    if isinstance(value, Pack):
        if not value.segments:
            item = item_of_empty(value)
            return () if item is None else ("empty", item.dtype, item.shape)
        return tuple(
            (segment.length, _input_key(segment.element, seen))
            if isinstance(segment, Run)
            else _input_key(segment, seen)
            for segment in value.segments
        )
    return value
