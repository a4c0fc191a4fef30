"""The body of a graph or operator, statement by statement (2.10, 2.11, chapter 3)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from snd_analysis.compose.binding import Given, as_tensor, evaluation_failure
from snd_analysis.compose.declared import dynamic_extent
from snd_analysis.compose.doubts import invokes_doubts
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.instance import Instance
from snd_analysis.compose.naming import Naming
from snd_analysis.compose.outputs import check_output
from snd_analysis.compose.quantization import quantizations
from snd_analysis.compose.renewal import Renewal, concerned
from snd_analysis.compose.results import Targets, assign, made_output
from snd_analysis.compose.reuse import LastingModel, alike, compose_row, first_name
from snd_analysis.compose.session import Session
from snd_analysis.compose.unit import Unit
from snd_analysis.compose.work import MOST_WORK, TooMuchWorkError, Work
from snd_analysis.model import Graph, Operation, Place, RuntimeCheck, Tensor, TensorValue
from snd_analysis.skriptnd.names.symbols import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer, Truth
from snd_analysis.symbolic.values import NULL, UNDEFINED, EvaluationError, Value, substitute

Values = list[TensorValue]


def compose_body(session: Session, instance: Instance, lasting: LastingModel | None = None) -> None:
    """Composes ``@compose`` and ``@update``, checks the outputs, and makes what was declared open definite.

    Of statements that ``lasting`` knows the result is taken from there; it is the same without.
    """
    unit = instance.unit
    if not unit.is_composite and not unit.resolution.rows["update"]:
        return
    composer = Composer(session, instance, lasting)
    composer.run("compose")
    composer.finish_outputs()
    operations = composer.operations
    composer.operations = []
    composer.run("update")
    instance.work = composer.work.done
    instance.invokes_doubts = composer.invokes_doubts
    instance.body = composer.graph(unit.name.name, operations, composer.operations)


class Composer:
    """The composing of one body. What fails is noted in the instance; everything goes on without it."""

    def __init__(self, session: Session, instance: Instance, lasting: LastingModel | None = None) -> None:
        self.session = session
        self._lasting = lasting
        self._statement: nodes.Component | None = None
        self.made_before: dict[str, list[TensorValue]] = {}
        """Results of the statement at hand as it was composed before, by name, to be used for equal ones."""
        self.instance = instance
        self.unit = instance.unit
        self.scope = instance.scope
        self.naming = Naming(session, instance.unit)
        self.work = Work()
        self.base = 0
        self.operations: list[Operation] = []
        self.checks: list[RuntimeCheck] = []
        self.tensors: dict[str, TensorValue] = {}
        self.outputs: dict[Symbol, TensorValue] = {}
        self.updated: dict[str, TensorValue] = {}
        self.invokes_doubts = False
        self._labels: tuple[str, ...] = ()
        self.left_open = frozenset[Hashable](instance.dynamic)
        """The extents that the declarations only bound."""
        self._first_operation = 0
        """Where the operations of the statement at hand begin, once its right side is composed."""
        for member, value in zip(self.unit.inputs, instance.inputs, strict=True):
            self.tensors[member.name] = value
        self.tensors.update(instance.constants)
        self.tensors.update(instance.variables)

    # ---- failures ----------------------------------------------------------------------------------------------------
    def place(self, node: nodes.Node) -> Place:
        """Where a node of the statement at hand stands."""
        place = self.unit.place(self.base, node)
        return Place(place.path, place.definition, place.span, self._statement, self.base)

    def fail(self, rule: str, node: nodes.Node, message: str, related: Sequence[Site] = ()) -> None:
        """Notes a broken rule at a node of the statement at hand."""
        site = Site(self.place(node), "this is composed here")
        self.instance.failures.append(Failure(rule, message, (site,), tuple(related)))

    def note_failure(self, error: EvaluationError) -> None:
        """Notes that an expression of the statement at hand has no value."""
        self.instance.failures.append(evaluation_failure(self.unit, self.base, error))

    def check(self, condition: Truth, message: str, node: nodes.Node) -> None:
        """Notes a condition that must hold for the statement at hand and that only the run can decide."""
        if condition is not TRUE:
            self.checks.append(RuntimeCheck(condition, message, self.place(node)))

    # ---- statements --------------------------------------------------------------------------------------------------
    def run(self, block: str) -> None:
        """Composes the statements of a block of the definition."""
        for row in self.unit.resolution.rows[block]:
            if self._lasting is not None:
                self.session.checkpoint()
                compose_row(self, row, self._lasting)
                continue
            for part in row.single:
                self.session.checkpoint()
                component = self.begin(part.node)
                if self.unit.is_wrong(self.base, component):
                    assign(self, component, None)
                else:
                    self.statement(component)
        if self._lasting is None:
            self.note_doubts(0)
        self._statement = None

    def note_doubts(self, first: int) -> None:
        """Looks for doubts in what the operations from ``first`` on invoke."""
        self.invokes_doubts = self.invokes_doubts or invokes_doubts(self.unit, self.operations[first:])

    def begin(self, statement: nodes.Node) -> nodes.Component:
        """Goes on to a statement of the definition."""
        assert isinstance(statement, nodes.Component)
        self.base, self._statement = self.unit.resolution.starts[statement], statement
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
        from snd_analysis.compose.branches import branch

        return branch(self, node, targets)

    def loop(self, node: nodes.Loop, targets: Targets) -> Values | None:
        """The results of a loop. Raises EvaluationError if an expression has no value."""
        from snd_analysis.compose.loops import loop

        if self.work.is_limited:
            return loop(self, node, targets)
        before = len(self.operations)
        try:
            with self.work.limited():
                return loop(self, node, targets)
        except TooMuchWorkError:
            del self.operations[before:]
            message = (
                f"this loop leads to more than {MOST_WORK:,} statements that would have to be composed one by one, "
                "more than snd works with"
            )
            self.fail("value-too-large", node.keyword, message)
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
            name = self.unit.resolution.targets.get(value.function)
            if isinstance(name, OperatorName):
                return self.invocation(value, name, targets)
        return [self.tensor(value, targets.name(0))]

    def probed(self, body: nodes.Callable, targets: Targets) -> Values | None:
        """What the body of a loop would give with what its names stand for; nothing of it is kept."""
        from snd_analysis.compose.iterations import tried

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
            symbol = self.unit.resolution.targets.get(node)
            if isinstance(symbol, Symbol):
                value = self.scope.value_of(symbol)
                if isinstance(value, Tensor):
                    return value
        return as_tensor(self.scope.evaluate(node), self.scoped(name or "constant"))

    def invokes(self, node: nodes.Callable) -> bool:
        """Whether a right side, or a part of control flow, is an invocation."""
        return isinstance(node, nodes.Call) and isinstance(
            self.unit.resolution.targets.get(node.function), OperatorName
        )

    def dynamic(self, name: str, low: int, high: int | None) -> Integer:
        """An extent, or a number of tensors, that only the run tells."""
        return dynamic_extent(self.instance.dynamic, name, low, high)

    # ---- invocations -------------------------------------------------------------------------------------------------
    def invocation(self, call: nodes.Call, name: OperatorName, targets: Targets) -> Values | None:
        """The results of an invocation; None if it is not valid.

        Raises EvaluationError if an expression has no value.
        """
        unit = self.session.unit(name)
        if unit is None:
            return None
        given = self.given(call)
        instance, actual = self.session.shared_instance(unit, given)
        self.work.add_instance(instance)
        for failure in instance.failures:
            self.blame(failure, call, unit)
        if not instance.valid:
            return None
        place = self.place(call.function)
        outputs = tuple(
            made_output(self, output, member.name, targets, at, place)
            for at, (output, member) in enumerate(zip(instance.outputs, unit.outputs, strict=True))
        )
        attributes, checks = instance.attributes, tuple(instance.checks)
        if actual:
            attributes = {name: substitute(value, actual) for name, value in attributes.items()}
            checks = tuple(replace(check, condition=shapes.substitute(check.condition, actual)) for check in checks)
        if instance.dynamic or actual:
            renewal = Renewal(concerned(instance.dynamic, instance.outputs), actual)
            outputs = tuple(renewal.tensors(output) for output in outputs)
            self.instance.dynamic.update(renewal.extents)
        if self.made_before:
            outputs = tuple(map(self._as_before, outputs))
        self.operations.append(
            Operation(
                name, self.scope_of(targets), instance.scope.dtypes, attributes,
                given.inputs, outputs, place, instance, labelled=targets.is_written, checks=checks,
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

    def given(self, call: nodes.Call) -> Given:
        """What an invocation gives to its operator. Raises EvaluationError if an expression has no value."""
        dtypes = tuple(self.scope.element_type(item) for item in call.generics.items) if call.generics else ()
        attributes: dict[str, Value] = {}
        for item in call.attributes.items if call.attributes is not None else ():
            attributes[item.name.text] = self.scope.evaluate(item.value)
        inputs = tuple(
            NULL if isinstance(argument, nodes.Tilde) else self.tensor(argument, None) for argument in call.arguments
        )
        return Given(dtypes, attributes, inputs)

    def blame(self, failure: Failure, call: nodes.Call, unit: Unit) -> None:
        """Notes what an invoked operator finds wrong, as seen from its invocation."""
        node: nodes.Node = call.function
        written = call.function.text
        if not failure.sites:
            node = _responsible(failure, call, unit) or node
            failure = failure.naming(unit.shown, written)
        site = Site(self.place(node), f"'{written}' is invoked here")
        self.instance.failures.append(failure.via(site))

    # ---- the graph ---------------------------------------------------------------------------------------------------
    def finish_outputs(self) -> None:
        """Checks what the outputs are composed of against their declarations, which it may complete."""
        outputs: list[TensorValue] = []
        for member, declared in zip(self.unit.outputs, self.instance.outputs, strict=True):
            composed = self.outputs.get(member.symbol, UNDEFINED)
            if not self.unit.is_wrong(member.base, member.node):
                declared = check_output(self, member, declared, composed)
            outputs.append(declared)
        self.instance.outputs = tuple(outputs)

    def graph(self, name: str, operations: Sequence[Operation], updates: Sequence[Operation] = ()) -> Graph:
        """What was composed."""
        unit, instance = self.unit, self.instance
        return Graph(
            name,
            {member.name: value for member, value in zip(unit.inputs, instance.inputs, strict=True)},
            {member.name: self.outputs.get(member.symbol, UNDEFINED) for member in unit.outputs},
            instance.variables,
            instance.constants,
            self.tensors,
            tuple(operations),
            self.updated,
            tuple(updates),
            quantizations(self) if unit.quantizations else {},
            tuple(dict.fromkeys(self.checks)),
        )


def _responsible(failure: Failure, call: nodes.Call, unit: Unit) -> nodes.Node | None:
    """The one attribute or argument of an invocation that breaks a rule; None if there is not just one."""
    items = {item.name.text: item for item in call.attributes.items} if call.attributes is not None else {}
    arguments = {
        member.name: argument
        for member, argument in zip(unit.inputs, call.arguments, strict=False)
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
