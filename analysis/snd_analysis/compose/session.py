"""Shared state of composing: definitions, and the specializations known so far."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.bind.arguments import Arguments, Binder
from snd_analysis.compose.bind.declarations import evaluate_declarations, failing_guard
from snd_analysis.compose.budget import OverBudgetError, StepBudget, most_steps, steps_of, steps_of_values
from snd_analysis.compose.checks.formula_values import failing_formula_value
from snd_analysis.compose.checks.formulas import failing_formula
from snd_analysis.compose.failure import BindingFailed, DeclarationFailed, Failure, Unbindable
from snd_analysis.compose.freshen import CanonicalArguments
from snd_analysis.compose.limits import MOST_KEPT_SPECIALIZATIONS, MOST_LEVELS, MOST_STEPS
from snd_analysis.compose.reuse.lasting_model import LastingModel
from snd_analysis.compose.specialization import Specialization, impossible, over_budget
from snd_analysis.compose.specializations import Reach, Specializations, compose_body, reach_of
from snd_analysis.compose.template import Template
from snd_analysis.model import Place, Tensor, TensorKind, TensorValue, empty_pack, item_of_empty, tensor_value
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import ItemRun, Maybe, Pack, Segment, Value

_MANY_SPECIALIZATIONS = 64


class Definitions(Protocol):
    """Source of definitions, and of their specializations known so far."""

    def template(self, name: OperatorName) -> Template | None:
        """Return the definition of that name, ready to be composed; the same object until it changes."""

    def specializations(self, template: Template) -> Specializations | None:
        """Return the store of specializations of a definition, to use and extend; None if none is kept."""

    def reach(self, name: OperatorName) -> Reach:
        """Return the definitions that a definition invokes, directly or through others."""


class Session:
    """The composing of one graph, or one operator, in one state of all files.

    ``composing`` says whether there are concrete inputs; not when an operator is composed for itself.
    """

    def __init__(
        self,
        definitions: Definitions,
        composing: bool = True,
        lasting: Callable[[Template, Hashable], LastingModel | None] = lambda template, given: None,
    ) -> None:
        self._definitions = definitions
        self.budget = StepBudget()
        """Limit of the cost of composing one definition with all that it invokes."""
        self.composing = composing
        self._lasting = lasting
        """Reusable results of an earlier version of a graph with the same arguments."""
        self._reaches: dict[Template, Reach] = {}
        self._recursive: dict[Template, bool] = {}
        """True if definitions invoke themselves. All files stay unchanged, so each is asked for once."""
        self._own: dict[Template, Specializations] = {}
        """Specializations of definitions that are kept for this session only."""
        self._kept: deque[Specialization] = deque(maxlen=MOST_KEPT_SPECIALIZATIONS)
        """Latest specializations: they may be needed again before a lasting result refers to them."""

    def template(self, name: OperatorName) -> Template | None:
        """Return the definition of that name."""
        return self._definitions.template(name)

    def reached(self, template: Template) -> frozenset[Template]:
        """Return a template and all that it invokes: the dependencies of its specializations.

        It may invoke them through others. For a template with too many levels, return only its own invocations, since
        it has no specializations.
        """
        return self._reach(template).templates

    def levels(self, template: Template) -> int:
        """Return how many levels of definitions a template is composed of, with its own."""
        return self._reach(template).levels

    def _reach(self, template: Template) -> Reach:
        found = self._reaches.get(template)
        if found is None:
            is_named = self.template(template.name) is template  # one that is made for a sample has no name
            reach = self._definitions.reach
            found = reach(template.name) if is_named else reach_of(template, self.template, reach)
            self._reaches[template] = found
        return found

    def _is_recursive(self, template: Template) -> bool:
        """Return whether a definition invokes itself, if through others: its composition would never end."""
        found = self._recursive.get(template)
        if found is None:
            invoked = (self.template(name) for name in template.invoked)
            found = any(template in self.reached(other) for other in invoked if other is not None)
            self._recursive[template] = found
        return found

    def specializations(self, template: Template) -> Specializations:
        """Return the specializations of a definition so far, for as long as the definition is the same."""
        known = self._definitions.specializations(template)
        if known is None:
            known = self._own.get(template)
        if known is None:
            known = self._own[template] = Specializations(template)
        return known

    def specialization(self, template: Template, given: Arguments) -> Specialization:
        """Return the specialization of an operator for the arguments of an invocation.

        The same one for equal arguments. Raise OverBudgetError if that is a part of more than may be composed.
        """
        return self.within_budget(template, lambda session: session._specialization(template, given))

    def within_budget(self, template: Template, compose: Callable[[Session], Specialization]) -> Specialization:
        """Return the composed specialization, or a failure if it takes more steps than allowed.

        If this is a part of a running composition, raise OverBudgetError instead.
        """
        if self.budget.is_limited:
            return compose(self)
        try:
            with self.limited(template) as budget:
                return compose(self)
        except OverBudgetError as error:
            if not budget.found_known:
                return over_budget(template, _too_large(error), error.done)
            # Cached results affect the point at which the limit is reached: compose once more without them.
            anew = Session(_Unshared(self._definitions), self.composing)
        try:
            with anew.limited(template):
                return compose(anew)
        except OverBudgetError as error:
            return over_budget(template, _too_large(error), error.done)

    @contextmanager
    def limited(self, template: Template) -> Iterator[StepBudget]:
        """Set the budget for composing a definition; exceeding it raises OverBudgetError."""
        around, self.budget = self.budget, StepBudget(most_steps(template))
        try:
            yield self.budget
        finally:
            self.budget = around

    def _specialization(self, template: Template, given: Arguments) -> Specialization:
        known = self.specializations(template)
        known.hold_for(self.reached(template))
        key = (self.composing, _key(given))
        specialization = known.find(key)
        if specialization is not None:
            self.budget.spend_on(specialization)
        else:
            known.forget_unused()
            self.budget.spend(steps_of(template))
            # Operators keep nothing: their cost counts inside loops, and is found by composing.
            lasting = self._lasting(template, key) if template.is_graph else None
            specialization = known.learn(key, self._made(template, given, key, lasting))
            self._kept.append(specialization)
            self.budget.note(specialization)
        return specialization

    def shared_specialization(
        self, template: Template, given: Arguments
    ) -> tuple[Specialization, Mapping[Hashable, Integer]]:
        """Return the specialization for the arguments of an invocation, and the values of its unknowns, by key.

        If an operator has many specializations, invocations that differ only in their dynamic extents share one:
        otherwise each level of operators that invoke others twice would double them.
        """
        known = self.specializations(template)
        known.forget_unused()
        if len(known) < _MANY_SPECIALIZATIONS:
            return self.specialization(template, given), {}
        canonical = CanonicalArguments(given)
        return self.specialization(template, canonical.given), canonical.actual

    def _made(
        self, template: Template, given: Arguments, key: Hashable, lasting: LastingModel | None
    ) -> Specialization:
        specialization = self.declared(template, given, lasting, key)
        self.budget.spend(steps_of_values(specialization))
        if specialization.valid:
            failure = failing_formula(specialization) or failing_formula_value(specialization)
            if failure is not None:
                failures = (*specialization.failures, failure)
                specialization = replace(specialization, failures=failures, valid=False)
            specialization = compose_body(self, specialization, lasting)
        if lasting is not None:
            lasting.forget(template.resolution)
        return specialization

    def declared(
        self, template: Template, given: Arguments, lasting: LastingModel | None = None, key: Hashable = None
    ) -> Specialization:
        """Return a new specialization with evaluated declarations and without a body. Never fails.

        ``key`` identifies the arguments: declarations are evaluated once for each key.
        """
        if template.signature_is_wrong or self._is_recursive(template) or self.levels(template) > MOST_LEVELS:
            return impossible(template)
        # The library is not edited: its specializations last themselves.
        if key is None or template.in_library:
            return self._declared(template, given, lasting)
        known = self.specializations(template).declarations
        declared = known.find(template, key)
        if declared is None:
            declared = self._declared(template, given, lasting)
            known.learn(key, declared)
        return declared

    def _declared(self, template: Template, given: Arguments, lasting: LastingModel | None) -> Specialization:
        binder = Binder(template, given, self.composing)
        try:
            binding = binder.bind()
        except DeclarationFailed as failed:
            return impossible(template, failing_guard(binder.binding) or failed.failure)
        except BindingFailed as failed:
            return impossible(template, failed.failure)
        except Unbindable:
            return impossible(template)
        inputs = formal_inputs(template, binding.inputs)
        if lasting is not None:
            inputs = tuple(lasting.input(member, value) for member, value in zip(template.inputs, inputs, strict=True))
        for member, value in zip(template.inputs, inputs, strict=True):
            binding.scope.values[member.symbol] = value
        return evaluate_declarations(binding, inputs, lasting=lasting)


class _Unshared:
    """Definitions without any composed specialization."""

    def __init__(self, definitions: Definitions) -> None:
        self.template = definitions.template
        self.reach = definitions.reach

    def specializations(self, template: Template) -> None:
        """Return None: nothing is kept for other definitions."""


def _too_large(error: OverBudgetError) -> Failure:
    message = (
        f"with this, composing takes more than {MOST_STEPS:,} steps, more than snd can handle: "
        "operators that invoke others more than once with different arguments double with every level"
    )
    return Failure(rules.VALUE_TOO_LARGE, message, tuple(error.sites))


def formal_inputs(template: Template, inputs: list[TensorValue]) -> tuple[TensorValue, ...]:
    """Return the inputs as the operator names them. One argument in two places is one tensor: ``is`` can tell (2.4)."""
    known: dict[Tensor, Tensor] = {}
    members = ((value, template.inputs[at]) for at, value in enumerate(inputs))
    return tuple(_renamed(value, each.name, template.declared(each.symbol), known) for value, each in members)


def _renamed(value: Value, name: str, place: Place, known: dict[Tensor, Tensor]) -> TensorValue:
    match value:
        case Tensor():
            if value not in known:
                known[value] = Tensor(name, value.dtype, value.shape, TensorKind.INPUT, place)
            return known[value]
        case Maybe():
            return Maybe(value.present, _renamed(value.value, name, place, known))
        case Pack(segments=()):
            return empty_pack(_renamed(item_of_empty(value), f"{name}[]", place, known), value.dtype)
        case Pack():
            segments = [
                ItemRun(segment.length, _renamed(segment.element, f"{name}[]", place, known))
                if isinstance(segment, ItemRun)
                else _renamed(segment, f"{name}[{at}]", place, known)
                for at, segment in enumerate(value.segments)
            ]
            return Pack(segments, dtype=value.dtype)
    return tensor_value(value)


def _key(given: Arguments) -> Hashable:
    seen: dict[Tensor, int] = {}
    return (
        given.dtypes,
        tuple((name, _typed(value)) for name, value in sorted(given.attributes.items())),
        tuple(_input_key(value, seen) for value in given.inputs),
    )


def _typed(value: Value) -> Hashable:
    # 0.0 and -0.0 are equal, but not the same.
    return str(value) if isinstance(value, float) else value


def _input_key(value: Segment, seen: dict[Tensor, int]) -> Hashable:
    match value:
        case Tensor():
            return seen.setdefault(value, len(seen)), value.dtype, value.shape
        case Maybe():
            return "maybe", value.present, _input_key(value.value, seen)
        case ItemRun():
            return value.length, _input_key(value.element, seen)
        case Pack(segments=()):
            item = item_of_empty(value)
            return ("empty", item.dtype, item.shape) if isinstance(item, Tensor) else ()
        case Pack():
            return tuple(_input_key(segment, seen) for segment in value.segments)
    return value
