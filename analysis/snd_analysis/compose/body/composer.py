"""The body of a graph or operator, statement by statement (2.10, 2.11, chapter 3)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base.rule import Rule
from snd_analysis.compose.bind.arguments import Arguments, as_tensor, evaluation_failure
from snd_analysis.compose.bind.declared_shapes import dynamic_extent
from snd_analysis.compose.body.outputs import check_output
from snd_analysis.compose.body.quantization import quantizations
from snd_analysis.compose.body.results import Targets, assign, made_output
from snd_analysis.compose.body.scoped_names import Naming
from snd_analysis.compose.checks.counterexamples import invokes_obligations
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.renewal import Renewal, concerned
from snd_analysis.compose.reuse import LastingModel, alike, compose_row, first_name
from snd_analysis.compose.session import Session
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.step_limit import MOST_STEPS, StepCount, TooManyStepsError
from snd_analysis.compose.template import Template
from snd_analysis.model import Graph, Operation, Place, RuntimeCheck, Tensor, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names.symbols import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer, Truth
from snd_analysis.symbolic.values import NULL, UNDEFINED, Value, substitute

Values = list[TensorValue]


def compose_body(session: Session, specialization: Specialization, lasting: LastingModel | None = None) -> None:
    """Composes ``@compose`` and ``@update``, checks the outputs, and makes what was declared open definite.

    Of statements that ``lasting`` knows the result is taken from there; it is the same without.
    """
    template = specialization.template
    if not template.is_composite and not template.resolution.rows["update"]:
        return
    composer = Composer(session, specialization, lasting)
    composer.run("compose")
    composer.finish_outputs()
    operations = composer.operations
    composer.operations = []
    composer.run("update")
    specialization.work = composer.work.done
    specialization.invokes_obligations = composer.invokes_obligations
    specialization.body = composer.graph(template.name.name, operations, composer.operations)


class Composer:
    """The composing of one body. What fails is noted in the specialization; everything goes on without it."""

    def __init__(self, session: Session, specialization: Specialization, lasting: LastingModel | None = None) -> None:
        self.session = session
        self._lasting = lasting
        self._statement: nodes.Component | None = None
        self.made_before: dict[str, list[TensorValue]] = {}
        """Results of the statement at hand as it was composed before, by name, to be used for equal ones."""
        self.specialization = specialization
        self.template = specialization.template
        self.scope = specialization.scope
        self.naming = Naming(session, specialization.template)
        self.work = StepCount()
        self.base = 0
        self.operations: list[Operation] = []
        self.checks: list[RuntimeCheck] = []
        self.tensors: dict[str, TensorValue] = {}
        self.outputs: dict[Symbol, TensorValue] = {}
        self.updated: dict[str, TensorValue] = {}
        self.invokes_obligations = False
        self._labels: tuple[str, ...] = ()
        self.left_open = frozenset[Hashable](specialization.dynamic)
        """The extents that the declarations only bound."""
        self._first_operation = 0
        """Where the operations of the statement at hand begin, once its right side is composed."""
        for member, value in zip(self.template.inputs, specialization.inputs, strict=True):
            self.tensors[member.name] = value
        self.tensors.update(specialization.constants)
        self.tensors.update(specialization.variables)

    # ---- failures ----------------------------------------------------------------------------------------------------
    def place(self, node: nodes.Node) -> Place:
        """Where a node of the statement at hand stands."""
        place = self.template.place(self.base, node)
        return Place(place.path, place.definition, place.span, self._statement, self.base)

    def fail(self, rule: Rule, node: nodes.Node, message: str, related: Sequence[Site] = ()) -> None:
        """Notes a broken rule at a node of the statement at hand."""
        site = Site(self.place(node), "this is composed here")
        self.specialization.failures.append(Failure(rule, message, (site,), tuple(related)))

    def note_failure(self, error: EvaluationError) -> None:
        """Notes that an expression of the statement at hand has no value."""
        self.specialization.failures.append(evaluation_failure(self.template, self.base, error))

    def check(self, condition: Truth, message: str, node: nodes.Node) -> None:
        """Notes a condition that must hold for the statement at hand and that only the run can decide."""
        if condition is not TRUE:
            self.checks.append(RuntimeCheck(condition, message, self.place(node)))

    # ---- statements --------------------------------------------------------------------------------------------------
    def run(self, block: str) -> None:
        """Composes the statements of a block of the definition."""
        for row in self.template.resolution.rows[block]:
            if self._lasting is not None:
                self.session.checkpoint()
                compose_row(self, row, self._lasting)
                continue
            for part in row.single:
                self.session.checkpoint()
                component = self.begin(part.node)
                if self.template.is_wrong(self.base, component):
                    assign(self, component, None)
                else:
                    self.statement(component)
        if self._lasting is None:
            self.note_obligations(0)
        self._statement = None

    def note_obligations(self, first: int) -> None:
        """Notes whether the operations from ``first`` on bring any obligation with them."""
        self.invokes_obligations = self.invokes_obligations or invokes_obligations(
            self.template, self.operations[first:]
        )

    def begin(self, statement: nodes.Node) -> nodes.Component:
        """Goes on to a statement of the definition."""
        assert isinstance(statement, nodes.Component)
        self.base, self._statement = self.template.resolution.starts[statement], statement
        return statement

    def statement(self, component: nodes.Component) -> None:
        """Composes one statement."""
        self.work.add()
        first = len(self.operations)
        values = self._right_side(component.value, self.naming.targets(component))
        self._first_operation = first
        assign(self, component, values)

    def _right_side(self, value: nodes.Branch | nodes.Loop | nodes.Callable, targets: Targets) -> Values | None:
        try:
            if isinstance(value, nodes.Branch):
                return self.branch(value, targets)
            if isinstance(value, nodes.Loop):
                return self.loop(value, targets)
            return self.call(value, targets)
        except EvaluationError as error:
            self.note_failure(error)
            return None

    def branch(self, node: nodes.Branch, targets: Targets) -> Values | None:
        """The results of a branch. Raises EvaluationError if a condition has no value."""
        from snd_analysis.compose.body.branches import branch

        return branch(self, node, targets)

    def loop(self, node: nodes.Loop, targets: Targets) -> Values | None:
        """The results of a loop. Raises EvaluationError if an expression has no value."""
        from snd_analysis.compose.loops.composed import loop

        if self.work.is_limited:
            return loop(self, node, targets)
        before = len(self.operations)
        try:
            with self.work.limited():
                return loop(self, node, targets)
        except TooManyStepsError:
            del self.operations[before:]
            message = (
                f"this loop leads to more than {MOST_STEPS:,} statements that would have to be composed one by one, "
                "more than snd works with"
            )
            self.fail(rules.VALUE_TOO_LARGE, node.keyword, message)
            return None

    def call(self, value: nodes.Callable, targets: Targets) -> Values | None:
        """The results of an invocation, a block or an expression; None if they are not known.

        Raises EvaluationError if an expression has no value.
        """
        if isinstance(value, nodes.Labelled):
            targets = targets.labelled(value.label.text)
            value = value.value
        if isinstance(value, nodes.Region):
            return self._region(value, targets)
        if isinstance(value, nodes.Call):
            name = self.template.resolution.targets.get(value.function)
            if isinstance(name, OperatorName):
                return self.invocation(value, name, targets)
        return [self.tensor(value, targets.name(0))]

    def probed(self, body: nodes.Callable, targets: Targets) -> Values | None:
        """What the body of a loop would give with what its names stand for; nothing of it is kept."""
        from snd_analysis.compose.loops.iterations import tried

        return tried(self, body, targets)[0]

    def _region(self, region: nodes.Region, targets: Targets) -> Values | None:
        results: Values | None = None
        with self.labelled(targets.label):
            for item in region.items:
                if isinstance(item, nodes.Component):
                    self.statement(item)
                elif isinstance(item, nodes.Yield) and results is None:
                    results = [self.tensor(each, targets.name(at)) for at, each in enumerate(item.values)]
        return results

    @contextmanager
    def labelled(self, label: str | None) -> Iterator[None]:
        """Within, tensors and operations are in the scope of a label."""
        before = self._labels
        if label is not None:
            self._labels = (*before, label)
        try:
            yield
        finally:
            self._labels = before

    def scoped(self, name: str) -> str:
        """A name with the labels of the blocks around."""
        return ".".join((*self._labels, name))

    def scope_of(self, targets: Targets) -> str | None:
        """The label of an invocation or construct, with those of the blocks around; None if there is none."""
        return ".".join((*self._labels, *(() if targets.label is None else (targets.label,)))) or None

    # ---- expressions -------------------------------------------------------------------------------------------------
    def tensor(self, node: nodes.Expression, name: str | None) -> TensorValue:
        """An expression as a tensor or a pack of them; scalars are constants (2.10)."""
        if isinstance(node, nodes.Qualified):
            symbol = self.template.resolution.targets.get(node)
            if isinstance(symbol, Symbol):
                value = self.scope.value_of(symbol)
                if isinstance(value, Tensor):
                    return value
        return as_tensor(self.scope.evaluate(node), self.scoped(name or "constant"))

    def invokes(self, node: nodes.Callable) -> bool:
        """Whether a right side, or a part of control flow, is an invocation."""
        return isinstance(node, nodes.Call) and isinstance(
            self.template.resolution.targets.get(node.function), OperatorName
        )

    def dynamic(self, name: str, low: int, high: int | None) -> Integer:
        """An extent, or a number of tensors, that only the run tells."""
        return dynamic_extent(self.specialization.dynamic, name, low, high)

    # ---- invocations -------------------------------------------------------------------------------------------------
    def invocation(self, call: nodes.Call, name: OperatorName, targets: Targets) -> Values | None:
        """The results of an invocation; None if it is not valid.

        Raises EvaluationError if an expression has no value.
        """
        template = self.session.template(name)
        if template is None:
            return None
        given = self.given(call)
        specialization, actual = self.session.shared_specialization(template, given)
        self.work.add_specialization(specialization)
        for failure in specialization.failures:
            self.blame(failure, call, template)
        if not specialization.valid:
            return None
        place = self.place(call.function)
        outputs = tuple(
            made_output(self, output, member.name, targets, at, place)
            for at, (output, member) in enumerate(zip(specialization.outputs, template.outputs, strict=True))
        )
        attributes, checks = specialization.attributes, tuple(specialization.checks)
        if actual:
            attributes = {name: substitute(value, actual) for name, value in attributes.items()}
            checks = tuple(replace(check, condition=shapes.substitute(check.condition, actual)) for check in checks)
        if specialization.dynamic or actual:
            renewal = Renewal(concerned(specialization.dynamic, specialization.outputs), actual)
            outputs = tuple(renewal.tensors(output) for output in outputs)
            self.specialization.dynamic.update(renewal.extents)
        if self.made_before:
            outputs = tuple(map(self._as_before, outputs))
        self.operations.append(
            Operation(
                name, self.scope_of(targets), specialization.scope.dtypes, attributes,
                given.inputs, outputs, place, specialization, labelled=targets.is_written, checks=checks,
            )
        )  # fmt: skip
        return list(outputs)

    def _as_before(self, output: TensorValue) -> TensorValue:
        known = self.made_before.get(first_name(output), ())
        return next((each for each in known if alike(each, output)), output)

    def make_instead(self, value: TensorValue, other: TensorValue) -> bool:
        """Lets the statement at hand make one result instead of another; false if that has a name already."""
        if any(each is value for each in self.tensors.values()):
            return False
        for at in range(self._first_operation, len(self.operations)):
            operation = self.operations[at]
            if any(output is value for output in operation.outputs):
                outputs = tuple(other if output is value else output for output in operation.outputs)
                self.operations[at] = replace(operation, outputs=outputs)
                return True
        return False

    def given(self, call: nodes.Call) -> Arguments:
        """What an invocation gives to its operator. Raises EvaluationError if an expression has no value."""
        dtypes = tuple(self.scope.element_type(item) for item in call.generics.items) if call.generics else ()
        attributes: dict[str, Value] = {}
        for item in call.attributes.items if call.attributes is not None else ():
            attributes[item.name.text] = self.scope.evaluate(item.value)
        inputs = tuple(
            NULL if isinstance(argument, nodes.Tilde) else self.tensor(argument, None) for argument in call.arguments
        )
        return Arguments(dtypes, attributes, inputs)

    def blame(self, failure: Failure, call: nodes.Call, template: Template) -> None:
        """Notes what an invoked operator finds wrong, as seen from its invocation."""
        node: nodes.Node = call.function
        written = call.function.text
        if not failure.sites:
            node = _responsible(failure, call, template) or node
            failure = failure.naming(template.shown, written)
        site = Site(self.place(node), f"'{written}' is invoked here")
        self.specialization.failures.append(failure.via(site))

    # ---- the graph ---------------------------------------------------------------------------------------------------
    def finish_outputs(self) -> None:
        """Checks what the outputs are composed of against their declarations, which it may complete."""
        outputs: list[TensorValue] = []
        for member, declared in zip(self.template.outputs, self.specialization.outputs, strict=True):
            composed = self.outputs.get(member.symbol, UNDEFINED)
            if not self.template.is_wrong(member.base, member.node):
                declared = check_output(self, member, declared, composed)
            outputs.append(declared)
        self.specialization.outputs = tuple(outputs)

    def graph(self, name: str, operations: Sequence[Operation], updates: Sequence[Operation] = ()) -> Graph:
        """What was composed."""
        template, specialization = self.template, self.specialization
        return Graph(
            name,
            {member.name: value for member, value in zip(template.inputs, specialization.inputs, strict=True)},
            {member.name: self.outputs.get(member.symbol, UNDEFINED) for member in template.outputs},
            specialization.variables,
            specialization.constants,
            self.tensors,
            tuple(operations),
            self.updated,
            tuple(updates),
            quantizations(self) if template.quantizations else {},
            tuple(dict.fromkeys(self.checks)),
        )


def _responsible(failure: Failure, call: nodes.Call, template: Template) -> nodes.Node | None:
    """The one attribute or argument of an invocation that breaks a rule; None if there is not just one."""
    items = {item.name.text: item for item in call.attributes.items} if call.attributes is not None else {}
    arguments = {
        member.name: argument
        for member, argument in zip(template.inputs, call.arguments, strict=False)
        if not isinstance(argument, nodes.Tilde)
    }
    given: Mapping[str, nodes.Node] = {**arguments, **items}
    found = [node for name in failure.responsible if (node := _part_of(given, name)) is not None]
    attributes = [items[name] for name in failure.responsible if name in items]
    if len(attributes) == 1:
        return attributes[0]
    return found[0] if len(found) == 1 else None


def _part_of(given: Mapping[str, nodes.Node], name: str) -> nodes.Node | None:
    """What is given for ``x``, or for ``x[1]``: the item of a list where that is written out."""
    whole, _, at = name.rstrip("]").partition("[")
    node = given.get(whole)
    plain = isinstance(node, nodes.List) and not any(
        isinstance(item, nodes.Range | nodes.Expanded | nodes.Zip) for item in node.items
    )
    return node.items[int(at)] if at and plain and isinstance(node, nodes.List) else node
