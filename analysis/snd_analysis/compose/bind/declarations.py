"""An operator with everything bound: helper symbols and assertions evaluated, shapes known (2.8, 2.9, chapter 3)."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose.bind.asserted import Assumptions, assume_bounds
from snd_analysis.compose.bind.binding import BindingState
from snd_analysis.compose.bind.declared_shapes import Declarations
from snd_analysis.compose.bind.destructuring import destructured, with_values
from snd_analysis.compose.checks.assertion_text import (
    failed_evaluation,
    failing_message,
    late_assertion_message,
    responsible_for,
)
from snd_analysis.compose.checks.obligations import Obligation, obligations_of_shape, obligations_of_value
from snd_analysis.compose.dynamic import Dynamic, is_dynamic
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.reuse.lasting_model import DeclaredTensors, LastingModel, given_outside, given_to, may_last
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Member
from snd_analysis.model import RuntimeCheck, TensorKind, TensorValue, tensors_of
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import PassFold, StatementPart, Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import FOLDS, NULL, UNDEFINED, ItemRun, Maybe, Pack, Value


def evaluate_declarations(
    binding: BindingState,
    inputs: tuple[TensorValue, ...],
    *,
    assume: bool = False,
    go_on: bool = False,
    lasting: LastingModel | None = None,
) -> Specialization:
    """Evaluate helper symbols and assertions, interleaved, then the shapes of outputs, constants and variables.

    Return the specialization, with no body yet. With ``assume`` the assertions are taken to hold: an operator that is
    composed without a caller. A failure ends the evaluation unless ``go_on`` is set; then dependent values are
    undefined. Results in ``lasting`` are reused.
    """
    evaluation = _Evaluation(binding, assume, go_on, lasting)
    evaluation.run()
    return Specialization(
        binding.template, binding.scope, binding.attributes, inputs, evaluation.outputs, evaluation.variables,
        evaluation.constants, evaluation.dynamic, tuple(evaluation.failures), tuple(evaluation.checks),
        tuple(evaluation.obligations), valid=evaluation.valid,
    )  # fmt: skip


def failing_guard(binding: BindingState) -> Failure | None:
    """Return an assertion that fails, though not everything could be bound; None if no fully known assertion fails."""
    evaluation = _Evaluation(binding, assume=False, go_on=False, lasting=None)
    evaluation.assertions_hold()
    return evaluation.failures[0] if evaluation.failures else None


class _Evaluation:
    def __init__(self, binding: BindingState, assume: bool, go_on: bool, lasting: LastingModel | None) -> None:
        self.outputs: tuple[TensorValue, ...] = ()
        self.variables: dict[str, TensorValue] = {}
        self.constants: dict[str, TensorValue] = {}
        self.dynamic: dict[Dynamic, Integer] = {}
        self.failures: list[Failure] = []
        self.checks = list(binding.checks)
        self.obligations: list[Obligation] = []
        self.valid = True
        self._fold = PassFold(None) if lasting is None else lasting.begin()
        self._go_on = go_on
        self._template = binding.template
        self._scope = binding.scope
        self._declarations = Declarations(binding.scope, self.dynamic)
        self._assumed = Assumptions()
        self._valueless: list[Failure] = []
        """Reasons that assertions have no value: another assertion, before or after, may guard them and say more (2.9).
        """
        self._pending = (
            []
            if assume
            else [
                (number, base, node)
                for number, (base, node) in enumerate(self._template.assertions)
                if not self._template.is_wrong(base, node)
            ]
        )

    def run(self) -> None:
        template = self._template
        for base, node in template.using:
            if not self.assertions_hold():
                return
            if template.is_wrong(base, node):
                self._forget(node)
            elif not self._define(base, node):
                return
        if not self.assertions_hold(last=True):
            return
        if not self._declare_tensors():
            return
        for member, value in zip(template.outputs, self.outputs, strict=True):
            self._scope.values[member.symbol] = value
        self.assertions_hold(last=True)
        for member in template.outputs:
            del self._scope.values[member.symbol]

    def _fail(self, failure: Failure) -> bool:
        """Note a failure; whether the evaluation goes on."""
        self.failures.append(failure)
        self.valid = False
        return self._go_on

    # ---- helper symbols ----------------------------------------------------------------------------------------------
    def _define(self, base: int, node: nodes.Using) -> bool:
        try:
            value = self._assumed.simplified(self._scope.evaluate(node.value))
            for symbol, part in destructured(self._scope, node, value):
                self._scope.values[symbol] = part
            if self._scope.composing and not self._template.in_library:
                place = self._template.place(base, node.value)
                names = ", ".join(each.text for each in nodes.descendants(node.target) if isinstance(each, nodes.Name))
                self.obligations.extend(obligations_of_value(value, f"in '{names}'", place))
        except EvaluationError as error:
            self._forget(node)
            failure = failed_evaluation(self._scope, base, error)
            return self._fail(self._valueless[0] if self._valueless and not self._go_on else failure)
        return True

    def _forget(self, node: nodes.Using) -> None:
        for each in nodes.descendants(node.target):
            symbol = self._template.resolution.targets.get(each)
            if isinstance(symbol, Symbol):
                self._scope.values.setdefault(symbol, UNDEFINED)

    # ---- assertions --------------------------------------------------------------------------------------------------
    def assertions_hold(self, last: bool = False) -> bool:
        """Check every unchecked assertion whose symbols are all known (2.9).

        An assertion without a value waits for the others, which may guard it; it fails if this is the ``last`` time.
        """
        waiting, self._valueless = [], []
        for number, base, node in self._pending:
            if not self._scope.knows(node.condition):
                waiting.append((number, base, node))
                continue
            try:
                condition = as_condition(self._scope.evaluate(node.condition))
            except EvaluationError as error:
                self._valueless.append(failed_evaluation(self._scope, base, error))
                if not last:
                    waiting.append((number, base, node))
                continue
            if not self._holds(condition, base, node):
                return False
        self._pending = waiting
        return not last or all(map(self._fail, self._valueless))

    def _holds(self, condition: Truth | None, base: int, node: nodes.Assertion) -> bool:
        if condition is TRUE or condition is None:
            return True
        if condition is not FALSE:
            place = self._template.place(base, node.condition)
            # An operator that is composed by itself never runs.
            message = late_assertion_message(self._scope, node) if self._scope.composing else written(node.condition)
            self.checks.append(RuntimeCheck(condition, message, place))
            assume_bounds(self._scope, condition)
            self._assumed.add(condition)
            return True
        return self._fail(self._assertion_failure(base, node))

    def _assertion_failure(self, base: int, node: nodes.Assertion) -> Failure:
        place = self._template.place(base, node.condition)
        message = failing_message(self._scope, node)
        if self._template.is_graph:
            return Failure(rules.ASSERTION_FAILS, message, (Site(place, "this must hold"),))
        message = f"{message}; required by '{self._template.shown}'"
        responsible = responsible_for(self._scope, node.condition)
        return Failure(rules.ASSERTION_FAILS, message, (), (Site(place, "this must hold"),), responsible)

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def _declare_tensors(self) -> bool:
        template = self._template
        self._fold.give("declarations", lambda: given_outside(self._scope))
        if not self._declare_stored("constant", TensorKind.CONSTANT, self.constants):
            return False
        if not self._declare_stored("variable", TensorKind.VARIABLE, self.variables):
            return False
        outputs: list[TensorValue] = []
        for member in template.outputs:
            value = self._possible(member, TensorKind.RESULT)
            if value is None:
                return False
            self._note_obligations(member, value)
            outputs.append(value)
        self.outputs = tuple(outputs)
        return True

    def _declare_stored(self, block: str, kind: TensorKind, into: dict[str, TensorValue]) -> bool:
        """Declare constants or variables; return whether the evaluation goes on."""
        try:
            self._fold.run(block, self._template.resolution.rows[block], _DeclaringOfTensors(self, kind, into))
        except _EvaluationEnds:
            return False
        return True

    @property
    def scope(self) -> ValueScope:
        """The current values of names."""
        return self._scope

    @property
    def amount_said(self) -> tuple[int, ...]:
        """Number of certain and possible problems."""
        return len(self.failures), len(self.obligations), len(self.dynamic)

    def declare_one(self, member: Member, kind: TensorKind, into: dict[str, TensorValue]) -> None:
        """Declare a constant or variable. Raise _EvaluationEnds if its value ends the evaluation."""
        value = self._possible(member, kind)
        if value is None:
            raise _EvaluationEnds
        self._note_obligations(member, value)
        if kind is TensorKind.VARIABLE:
            self._demand_static(member, value)
        into[member.name] = self._scope.values[member.symbol] = value

    def _demand_static(self, member: Member, value: TensorValue) -> None:
        """Demand that attributes determine the shapes of variables, which exist before a graph runs (chapter 3)."""
        if not self._scope.composing:
            return
        extents = (extent for tensor in tensors_of(value) for extent in tensor.shape or ())
        found = next((each for each in extents if isinstance(each, Integer) and is_dynamic(each)), None)
        if found is None or member.node.shape is None:
            return
        message = (
            f"the size of the variable '{member.name}' depends on '{found}', which is known only at run time: "
            "variables exist before a graph runs"
        )
        site = Site(
            self._template.place(member.base, member.node.shape), f"the variable '{member.name}' is declared here"
        )
        own = self._template.is_graph
        self.failures.append(Failure(rules.DYNAMIC_VARIABLE, message, (site,) if own else (), () if own else (site,)))

    def _note_obligations(self, member: Member, value: TensorValue) -> None:
        """Note conditions on a shape that may fail for some value of a dynamic extent."""
        if self._template.in_library or not self._scope.composing or member.node.shape is None:
            return
        place = self._template.place(member.base, member.node.shape)
        for shape in dict.fromkeys(tensor.shape for tensor in tensors_of(value)):
            if shape is not None:
                self.obligations.extend(obligations_of_shape(shape, member.name, place))

    def _possible(self, member: Member, kind: TensorKind) -> TensorValue | None:
        """Return a declared tensor; None if it has no value or an impossible shape, and the evaluation must end.

        If the evaluation goes on, an impossible shape becomes UNDEFINED, so that nothing is built on it.
        """
        value, failures = self._declared(member, kind), len(self.failures)
        if value is None or not self._extents_are_possible(member.base, member.node, value):
            return None
        return value if len(self.failures) == failures else UNDEFINED

    def _declared(self, member: Member, kind: TensorKind) -> TensorValue | None:
        """Return a declared tensor with its value; None if it has none, and the evaluation must end."""
        template = self._template
        if template.is_wrong(member.base, member.node):
            return UNDEFINED
        try:
            value = self._declarations.tensors(member, kind, template.declared(member.symbol))
            if kind is TensorKind.CONSTANT and member.node.default is not None and value is not UNDEFINED:
                value = with_values(self._scope, member, member.node.default, value)
        except EvaluationError as error:
            return UNDEFINED if self._fail(failed_evaluation(self._scope, member.base, error)) else None
        return value

    def _extents_are_possible(self, base: int, node: nodes.Parameter, value: TensorValue) -> bool:
        shape = node.shape
        possible = (self._length_is_possible, self._rank_is_possible, self._bounds_are_possible)
        if not all(is_possible(base, node) for is_possible in possible):
            return False
        found = (tensor.shape for tensor in tensors_of(value) if tensor.shape is not None)
        impossible = next((each for each in found if any(map(_is_negative, each))), None)
        if shape is None or impossible is None:
            return True
        message = (
            f"an extent of '{node.name.text}' would be negative: "
            f"'{node.type.text}[{written(shape)}]' evaluates to [{','.join(str(each) for each in impossible)}]"
        )
        return self._fail(self._impossible(base, shape, message, "the shape"))

    def _length_is_possible(self, base: int, node: nodes.Parameter) -> bool:
        length = None if node.pack is None else node.pack.length
        if length is None or isinstance(length, nodes.Tilde):
            return True
        value = self._scope.attempt(length)
        if value is NULL and self._is_reported(length):
            return True
        if value is NULL:
            message = f"the length of '{node.name.text}' can't be null, but '{written(length)}' is null here"
            return self._fail(self._impossible(base, length, message, "the length", rules.NULL_NOT_ALLOWED))
        if not isinstance(value, Integer) or not shapes.is_negative(value):
            return True
        message = f"the length of '{node.name.text}' would be negative: '{written(length)}' evaluates to {value}"
        return self._fail(self._impossible(base, length, message, "the length"))

    def _is_reported(self, name: nodes.Expression) -> bool:
        """Return whether a use of the same name is reported already. The value of the name is unknown from then on."""
        template = self._template
        symbol = template.resolution.targets.get(name)
        if not isinstance(symbol, Symbol) or not template.errors:
            return False
        if all(use.target is not symbol or use.span not in template.errors for use in template.resolution.uses):
            return False
        self._scope.values[symbol] = UNDEFINED
        return True

    def _rank_is_possible(self, base: int, node: nodes.Parameter) -> bool:
        for extent in node.shape.extents if node.shape is not None else ():
            count = None if extent.expansion is None else extent.expansion.length
            value = None if count is None else self._scope.attempt(count)
            if count is not None and isinstance(value, Integer) and shapes.is_negative(value):
                message = (
                    f"the number of dimensions of '{node.name.text}' would be negative: "
                    f"'{written(count)}' evaluates to {value}"
                )
                return self._fail(self._impossible(base, count, message, "the number of dimensions"))
        return True

    def _bounds_are_possible(self, base: int, node: nodes.Parameter) -> bool:
        for extent in node.shape.extents if node.shape is not None else ():
            bound = None if extent.bound is None else self._scope.attempt(extent.bound)
            if extent.bound is not None and isinstance(bound, Integer) and shapes.is_negative(bound):
                message = (
                    f"the bound of an extent of '{node.name.text}' would be negative: "
                    f"'{written(extent.bound)}' evaluates to {bound}"
                )
                return self._fail(self._impossible(base, extent.bound, message, "the bound"))
        return True

    def _impossible(
        self, base: int, node: nodes.Node, message: str, what: str, rule: Rule = rules.NEGATIVE_EXTENT
    ) -> Failure:
        """Return the failure of an impossible declaration.

        It blames the invocation of an operator, or the graph itself.
        """
        site = Site(self._template.place(base, node), f"{what} is declared here")
        if self._template.is_graph:
            return Failure(rule, message, (site,))
        return Failure(rule, message, (), (site,), responsible_for(self._scope, node))


def _is_negative(extent: Integer | ItemRun) -> bool:
    return isinstance(extent, Integer) and shapes.is_negative(extent)


class _EvaluationEnds(Exception):  # noqa: N818 - it is no fault
    """Signal that a failure ends the evaluation."""


class _DeclaringOfTensors:
    """The pass over the declarations of constants, or of variables."""

    def __init__(self, evaluation: _Evaluation, kind: TensorKind, into: dict[str, TensorValue]) -> None:
        self._evaluation = evaluation
        self._kind = kind
        self._into = into

    def may_last(self, part: StatementPart) -> bool:
        """Return whether nothing is wrong in declarations."""
        return may_last(self._evaluation.scope.template, part)

    def given(self, part: StatementPart) -> object | None:
        """Return the declared symbol, and the values of the symbols that the declaration names."""
        given, member = given_to(self._evaluation.scope, part), self._member(part)
        return None if given is None or member is None else [member.symbol, *given]

    def add(self, known: DeclaredTensors) -> bool:
        """Add tensors as they were before."""
        self._into.update(known.by_name)
        self._evaluation.scope.values.add(known.by_symbol)
        return True

    def run(self, part: StatementPart) -> None:
        """Declare a tensor, unless its name is broken."""
        member = self._member(part)
        if member is not None:
            self._evaluation.declare_one(member, self._kind, self._into)

    def work_out(self, part: StatementPart, versions: tuple[DeclaredTensors, ...]) -> tuple[DeclaredTensors, bool]:
        """Declare a tensor, and return it."""
        member, said = self._member(part), self._evaluation.amount_said
        self.run(part)
        if member is None:
            return DeclaredTensors({}, {}), False
        value = self._into[member.name]
        found = DeclaredTensors({member.name: value}, {member.symbol: value})
        return found, self._evaluation.amount_said == said

    def _member(self, part: StatementPart) -> Member | None:
        assert isinstance(part.node, nodes.Parameter)
        return self._evaluation.scope.template.member(part.node)

    def together(self, found: Sequence[DeclaredTensors]) -> DeclaredTensors:
        """Return the tensors of a row."""
        together = DeclaredTensors({}, {})
        for each in found:
            together.by_name.update(each.by_name)
            together.by_symbol.update(each.by_symbol)
        return together


def as_condition(value: Value) -> Truth | None:
    """Return the condition of an assertion: all items of a pack must hold (2.8); None if it is null or not known."""
    match value:
        case Truth():
            return value
        case Maybe():
            inner = as_condition(value.value)
            return None if inner is None else shapes.implies(value.present, inner)
        case Pack():
            return as_condition(FOLDS["&&"](value))
    return None
