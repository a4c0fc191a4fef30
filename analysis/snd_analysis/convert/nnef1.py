"""A graph in NNEF 1.0 as a SkriptND module."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import MADE_FOR, Node, OperatorName, Severity, Span
from snd_analysis.compose import Template
from snd_analysis.convert import fragments
from snd_analysis.convert.comments import About, Comments
from snd_analysis.convert.fragments import Fragments
from snd_analysis.convert.idioms import Idioms
from snd_analysis.convert.limits import LONGEST_NAME
from snd_analysis.convert.module_text import GraphText, StoredTensor, Writer, comment, declaration, module_text
from snd_analysis.convert.steps import (
    Block,
    DefinitionNames,
    GraphStep,
    InvocationStep,
    LocalStep,
    LoopStep,
    named_tensors,
    needed,
    needed_steps,
    plain_steps,
    shortest,
    statement_names,
    step_of,
    unfolded,
    with_inputs,
)
from snd_analysis.model import Branch, Graph, Loop, Operation, Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.nnef1.assertions import assertions_of
from snd_analysis.nnef1.elaborate import FragmentCall, FragmentInvocation
from snd_analysis.nnef1.names import spelled_names
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, format_modules, library_modules
from snd_analysis.symbolic.integers import (
    FALSE,
    TRUE,
    AtLeastZero,
    Integer,
    Truth,
    as_affine,
    bounds,
    constant,
    floor_divide,
    plain_unknown,
    variable,
)
from snd_analysis.symbolic.values import NULL, UNDEFINED, format_value
from snd_analysis.workspace import Snapshot, Workspace, elaborated, nnef1_tree

BOUND = 1_000_000
"""Bound of a dynamic extent for which the source states none."""
_WIDTH = 100
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_TRIED = "operator.sknd"


class NotConvertible(Exception):  # noqa: N818 - it states a fact
    """Reports that a text has nothing that can be converted."""


class Converted(Struct, frozen=True):
    """The text of a module, and the variables whose values it needs."""

    text: str
    variables: tuple[StoredTensor, ...]
    names: Mapping[str, str]
    """Names of tensors in the text, by their names in the source."""
    statements: Mapping[str, int]
    """Number of statements that invoke operators of each module."""


def convert_nnef1(snapshot: Snapshot, path: str, source: str) -> Converted:
    """Return the graph of a file in NNEF 1.0 as the text of a main module. ``source`` is its name in the text.

    Raise NotConvertible if there is no graph that could be composed.
    """
    graphs = snapshot.main_graphs(path)
    if not graphs:
        raise NotConvertible("there is no graph")
    name = OperatorName(path, graphs[0].name.text)
    unread = elaborated(snapshot.db, path).unknown_results
    if unread:
        raise NotConvertible(f"the output '{unread[0]}' depends on an operation that snd does not know")
    composed = snapshot.compose(name).graph
    if composed is None:
        raise NotConvertible(f"the graph '{name.name}' can't be composed")
    unknown = next((each for each, value in composed.outputs.items() if not isinstance(value, Tensor)), None)
    if unknown is not None:
        raise NotConvertible(f"the output '{unknown}' can't be composed")
    undefined = next(_undefined_attributes(composed), None)
    if undefined is not None:
        raise NotConvertible(f"{undefined} depends on a symbol that no input has, such as the end of a stream")
    for operation in composed.operations:
        if operation.operator is not None and operation.operator.name == "_of_quantized":
            raise NotConvertible(f"snd knows only the shape of '{operation.label}': it computes with quantized tensors")
    odd = next((each for each in _names_of_extents(composed) if DefinitionNames().new(each) != each), None)
    if odd is not None:
        raise NotConvertible(f"the symbol '{odd}' can't have this name in SkriptND: rename it")
    return _Conversion(snapshot, path, composed).converted(source)


def _undefined_attributes(graph: Graph) -> Iterator[str]:
    """Yield the attributes of operations that have no value, control flow included."""
    for operation in graph.operations:
        for name, value in operation.attributes.items():
            if value is UNDEFINED and operation.operator is not None:
                yield f"'{name}' of '{operation.label or operation.operator.name}'"
        for inner in operation.subgraphs.values():
            yield from _undefined_attributes(inner)


class _Conversion:
    def __init__(self, snapshot: Snapshot, path: str, graph: Graph) -> None:
        self._snapshot = snapshot
        self._path = path
        self._tree = nnef1_tree(snapshot.db, path)
        self._graph = graph
        self._symbols = dict(_symbols(graph))
        self._named = {leaf.key for extent in _extents_of_inputs(graph) for leaf in extent.leaves}
        modules = {*library_modules(), *format_modules()}
        self._names = DefinitionNames({*_names_of_extents(graph), "real", "int", "bool", "str"})
        self._writer = Writer(self._names)
        quantized = {each for name in graph.quantizations for each in tensors_of(graph.tensors.get(name, NULL))}
        self._kept = quantized
        self._numbers = dict(self._numbers_in_files(path))
        updated = [graph.variables[name] for name in graph.updates]
        kept = (*graph.outputs.values(), *graph.updates.values(), *updated)
        self._results = [each for value in kept for each in tensors_of(value)]
        self._idioms = Idioms(self._template, graph.operations, quantized, self._results)
        self._comments = Comments(self._tree)
        definitions = [each for each in self._tree.document.items if isinstance(each, nodes.Definition)]
        self._entries = [entry for each in definitions for entry in each.body or ()]
        self._chains = elaborated(snapshot.db, path).chains
        self._definitions = DefinitionNames({*modules, "real", "int", "bool", "str"})
        self._name = self._definitions.new(graph.name)
        self._fragments = Fragments(
            self._definitions, self._is_right, self._steps_of_body, self._spelled, self._comments, modules
        )
        self._given_out: set[Tensor] = set()
        self._library = {f"{LIBRARY_PREFIX}{each}" for each in library_modules()}

    def _template(self, operator: str) -> Template:
        module, _, name = operator.partition(".")
        found = self._snapshot.template(OperatorName(f"{LIBRARY_PREFIX}{module}", name))
        assert found is not None
        return found

    def _numbers_in_files(self, path: str) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield variables that are single numbers, which exporters keep in files, each with its number."""
        for stored in elaborated(self._snapshot.db, path).variables:
            value = self._graph.variables.get(stored.name)
            if (
                stored.shape == ()
                and stored.items
                and isinstance(value, Tensor)
                and stored.name not in self._graph.updates
            ):
                item = stored.items[0]
                number = shortest(item) if isinstance(item, float) else item
                yield value, replace(value, kind=TensorKind.CONSTANT, value=number)

    # ---- steps -------------------------------------------------------------------------------------------------------
    def _steps(self, operation: Operation) -> Sequence[InvocationStep | LoopStep]:
        match operation.control:
            case Loop(index=None, before=None, after=None) as loop:
                return [self._loop(operation, loop)]
            case Branch() | Loop():
                raise NotConvertible("it has control flow that snd does not convert")
        inputs = tuple(self._numbers.get(each, each) if isinstance(each, Tensor) else each for each in operation.inputs)
        operation = replace(operation, inputs=inputs)
        whole = self._idioms.whole(step_of(operation))
        return self._idioms.rewritten((whole,) if whole is not None else unfolded(operation, self._library))

    def _loop(self, operation: Operation, loop: Loop) -> LoopStep:
        steps = [each for inner in loop.body.operations for each in self._steps(inner)]
        results = [self._idioms.source(each) for value in loop.body.outputs.values() for each in tensors_of(value)]
        pairs = [(each.local, each.source) for each in loop.carried]
        scanned = [(each.local, each.source) for each in loop.scanned]
        step = LoopStep(
            tuple((local, each) for local, each in pairs if isinstance(local, Tensor) and isinstance(each, Tensor)),
            tuple((local, each) for local, each in scanned if isinstance(local, Tensor)),
            None,
            None,
            None,
            Block(needed_steps(steps, results), tuple(results)),
            operation.outputs,
        )
        return with_inputs(step, self._idioms.source)

    def _all_steps(self, local: Mapping[FragmentInvocation, LocalStep]) -> list[tuple[Operation, GraphStep]]:
        """Return the steps that results need; a variable is a vector in all of them, or in none."""
        made = (*self._graph.outputs.values(), *self._graph.updates.values())
        results = {tensor for value in made for tensor in tensors_of(value)} | self._kept
        whole: frozenset[Tensor] = frozenset()
        while True:
            self._idioms = Idioms(self._template, self._graph.operations, self._kept | whole, self._results)
            steps: list[tuple[Operation, GraphStep]] = []
            invoked: list[LocalStep] = []
            for operation in self._graph.operations:
                chain = self._chain(operation)
                replaced = local.get(chain[0]) if chain else None
                if replaced is None:
                    steps += ((operation, each) for each in self._steps(operation))
                elif replaced not in invoked:
                    invoked.append(replaced)
                    steps.append((operation, with_inputs(replaced, self._idioms.source)))
            steps = needed(steps, results)
            used = {tensor for _, step in steps for value in step.inputs for tensor in tensors_of(value)}
            if not self._idioms.flattened.keys() & used:
                return steps
            whole |= self._idioms.flattened.keys() & used

    def converted(self, source: str) -> Converted:
        graph = self._graph
        for named in (graph.inputs, graph.outputs, _as_files(graph.variables)):
            for wanted, value in named.items():
                for tensor in tensors_of(value):
                    self._writer.name(tensor, wanted)
        steps = self._all_steps({} if self._kept else self._local_steps())
        for value, flat in self._idioms.flattened.items():
            self._writer.same(flat, value)
        self._name_results([step for _, step in steps])
        text = GraphText(f"graph {self._name}")
        bound: set[str] = set()
        multiples = self._named_multiples(text)
        most = {name: BOUND if high is None else high for name, high in self._symbols.items()}
        most |= {str(each): BOUND for each in multiples.values()}
        for value in graph.inputs.values():
            assert isinstance(value, Tensor)
            shape = tuple(
                multiples.get(each, each) if isinstance(each, Integer) else each for each in value.shape or ()
            )
            written = declaration(self._writer.name(value), replace(value, shape=shape), most, bound)
            self._declare(text, "input", value, written)
        self._assert(text)
        variables = tuple(self._variables(text, [step for _, step in steps]))
        compose = text.block("compose")
        for operation, step in steps:
            text.modules |= {each.module for each in plain_steps([step])}
            above, behind = self._about(operation)
            compose.add(self._writer.statement(step), above, behind)
        outputs = {}
        for each, value in graph.outputs.items():
            assert isinstance(value, Tensor)
            outputs[each] = self._output(text, each, value)
        self._update(text)
        compose.items += map(comment, self._comments.rest())
        left_out = self._quantize(text)
        text.documentation += self._comments.documentation
        lost = (f"Left out: '{each}' is quantized by the fragment '{fragment}'." for each, fragment in left_out.items())
        head = [f"Converted from {source}, NNEF 1.0.", *lost, *self._comments.head]
        written = module_text(head, [*self._fragments.operators, text], _WIDTH)
        names = {each: self._writer.known(value) for each, value in graph.tensors.items() if isinstance(value, Tensor)}
        known = {each: written_as for each, written_as in names.items() if written_as is not None}
        counts = Counter(each.module for each in plain_steps(step for _, step in steps))
        return Converted(written, variables, {**known, **outputs}, counts)

    def _named_multiples(self, text: GraphText) -> dict[Integer, Integer]:
        """Return names for extents such as ``2 * S + 1``; define the symbols that no extent is alone by them."""
        found: dict[Integer, Integer] = {}
        known = set(self._symbols)
        for name, value in self._graph.inputs.items():
            for extent in _extents_of(value):
                leaf = next(iter(extent.leaves), None)
                if leaf is None or leaf.name in known or len(extent.leaves) > 1:
                    continue
                symbol = variable(leaf.key, leaf.name, leaf.low, leaf.high)
                if extent != symbol * extent.content + extent.constant_term:
                    continue
                known.add(leaf.name)
                whole = plain_unknown(self._names.new(f"{name}_extent"))
                found[extent] = whole
                solved = format_value(floor_divide(whole - extent.constant_term, extent.content))
                text.block("using").add(f"{leaf.name} = {solved};")
                text.block("assert").add(f"{whole} == {extent}: \"an extent of '{name}' is {extent}\";")
        return found

    def _bound_of_data(self, extent: Integer) -> int | None:
        """Return the bound of an extent that depends on elements of tensors; None for extents that inputs name."""
        if all(leaf.key in self._named for leaf in extent.leaves):
            return None
        high = bounds(extent)[1]
        return BOUND if high is None else high

    def _name_results(self, steps: Sequence[GraphStep]) -> None:
        made = [tensor for step in steps for tensor in named_tensors(step)]
        free = [each for each in made if self._writer.known(each) is None]
        better = statement_names([each.name for each in free])
        for tensor in free:
            self._writer.name(tensor, better.get(tensor.name))

    def _about(self, operation: Operation) -> tuple[list[str], str]:
        """Return the comments above and behind the conversion of an operation."""
        chain = self._chain(operation)
        start = operation.place.start
        outer = self._comments.entry_at(chain[0].span.start) if chain else start
        about = self._comments.about(outer)
        inner = self._comments.about(start) if chain else About([])
        fragments = [line for each in chain for line in self._comments.of_fragment(each.fragment)]
        above = [*self._comments.skipped(outer), *about.above, *fragments, *inner.above]
        return above, about.behind or inner.behind

    def _chain(self, operation: Operation) -> tuple[FragmentInvocation, ...]:
        statement = operation.place.statement
        return self._chains.get(statement, ()) if isinstance(statement, Node) else ()

    def _local_steps(self) -> dict[FragmentInvocation, LocalStep]:
        """Return the invocations of fragments that become invocations of operators, by their places."""
        definitions = [each for each in self._tree.document.items if isinstance(each, nodes.Definition)]
        heads = {each.head.name.text: each.head for each in definitions if each.head.kind == "fragment"}
        groups: dict[FragmentInvocation, list[Operation]] = {}
        for operation in self._graph.operations:
            if chain := self._chain(operation):
                groups.setdefault(chain[0], []).append(operation)
        found = fragments.bodies(
            elaborated(self._snapshot.db, self._path).calls,
            {name: [each.name.text for each in head.parameters] for name, head in heads.items()},
            {name: [each.name.text for each in head.results] for name, head in heads.items()},
            self._graph.tensors,
            self._numbers,
            lambda call: groups.get(call.place, ()),
        )
        return {call.place: step for call, step in self._fragments.replaced(found)}

    def _steps_of_body(
        self, operations: Sequence[Operation], results: Iterable[Tensor]
    ) -> list[tuple[Operation, InvocationStep | LoopStep]]:
        """Return the steps of an operator, independent of its surroundings."""
        around, self._idioms = self._idioms, Idioms(self._template, (), results=results)
        steps = [(operation, each) for operation in operations for each in self._steps(operation)]
        self._idioms = around
        return needed(steps, set(results))

    def _spelled(self, operation: Operation) -> frozenset[str]:
        """Return the names and numbers in the statement of a fragment of the graph that leads to an operation."""
        chain = self._chain(operation)
        start = chain[1].span.start if len(chain) > 1 else operation.place.start
        entry = max((each for each in self._entries if each.start <= start), key=lambda each: each.start, default=None)
        if entry is None:
            return frozenset()
        written = self._tree.text[entry.start : entry.start + max(each.end for each in entry.statements)]
        numbers = (float(each) if set(each) & set(".eE") else constant(int(each)) for each in _NUMBER.findall(written))
        return spelled_names(entry) | {format_value(each) for each in numbers}

    def _is_right(self, operator: GraphText) -> bool:
        """Return whether snd accepts an operator."""
        workspace = Workspace(_Nothing())
        workspace.open(_TRIED, module_text((), [operator], _WIDTH))
        found = workspace.snapshot().diagnostics(_TRIED)
        return all(each.severity is Severity.HINT for each in found)

    def _assert(self, text: GraphText) -> None:
        """Write the assertions of the source about its symbols, except for bounds, which stand beside the extents."""
        for each in assertions_of(self._tree.document.items):
            condition = each.condition
            if condition is None or each.scenario is not None or condition in (TRUE, FALSE):
                continue
            names = {leaf.name for leaf in condition.leaves}
            if names <= self._symbols.keys() and not _is_bound(condition):
                text.block("assert").add(f'{format_value(condition)}: "the source asserts {each.text.strip()}";')

    def _declare(self, text: GraphText, block: str, tensor: Tensor, declared: str) -> None:
        about = About([]) if tensor.place is None else self._comments.about(tensor.place.start)
        text.block(block).add(declared, about.above, about.behind)

    def _update(self, text: GraphText) -> None:
        for name, value in self._graph.updates.items():
            variable = self._graph.variables[name]
            assert isinstance(variable, Tensor)
            text.block("update").add(f"{self._writer.name(variable)} = {self._writer.argument(value)};")

    def _quantize(self, text: GraphText) -> dict[str, str]:
        """Write the quantizations.

        Return the tensors for which they are left out, each with its quantizing fragment.
        """
        lost = dict(elaborated(self._snapshot.db, self._path).quantized_by_fragments.left_out)
        for name, found in self._graph.quantizations.items():
            value = self._graph.tensors.get(name)
            written = self._writer.known(value) if isinstance(value, Tensor) else None
            template = self._snapshot.template(found.operator)
            if written is None or template is None:
                continue
            if MADE_FOR in found.operator.name:
                fragment = self._quantizing_fragment(found.operator)
                if fragment is None:
                    lost[name] = found.operator.shown
                else:
                    text.block("quantize").add(f"{written}: {fragment};")
                continue
            step = InvocationStep(template, {}, found.attributes, (), ())
            text.modules.add(step.module)
            text.block("quantize").add(f"{written}: {self._writer.operator(step)};")
        return lost

    def _quantizing_fragment(self, name: OperatorName) -> str | None:
        """Return the name of an operator for a fragment that quantizes a tensor; None if there can't be one."""
        composed = self._snapshot.compose(name).graph
        if composed is None:
            return None
        inputs, outputs = (
            [(each, value) for each, value in named.items() if isinstance(value, Tensor)]
            for named in (composed.inputs, composed.outputs)
        )
        call = FragmentCall(FragmentInvocation(name.shown, Span(0, 0)), "result.", {}, ())
        body = fragments.Body(call, composed.operations, [("x", inputs[0][1])], [("y", outputs[0][1])], {})
        found = next(self._fragments.replaced([body]), None)
        return None if found is None else found[1].operator

    def _output(self, text: GraphText, wanted: str, value: Tensor) -> str:
        name = self._writer.name(value)
        if value.kind is not TensorKind.RESULT or value in self._given_out:
            name = self._names.new(wanted)
            text.block("compose").add(f"{name} = {self._writer.argument(value)};")
        self._given_out.add(value)
        text.block("output").add(declaration(name, value, unnamed=self._bound_of_data))
        return name

    def _variables(self, text: GraphText, steps: Sequence[GraphStep]) -> Iterator[StoredTensor]:
        used = {tensor for step in steps for value in step.inputs for tensor in tensors_of(value)}
        used |= self._kept
        updates = self._graph.updates
        written = [*updates.values(), *(self._graph.variables[name] for name in updates)]
        used.update(tensor for value in written for tensor in tensors_of(value))
        for source, value in self._graph.variables.items():
            assert isinstance(value, Tensor)
            flat = self._idioms.flattened.get(value)
            if value not in used and flat not in used:
                continue
            made = flat if flat is not None else value
            name = self._writer.name(value)
            self._declare(text, "variable", value, declaration(name, made))
            shape = tuple(
                each.value for each in made.shape or () if isinstance(each, Integer) and each.value is not None
            )
            yield StoredTensor(name, source, shape, made.dtype or "real")


_Named = TypeVar("_Named")


class _Nothing:
    """A reader of no files."""

    def read(self, path: str) -> str:
        """There is no file."""
        raise FileNotFoundError(path)

    def exists(self, path: str) -> bool:
        """There is no file."""
        return False


def _names_of_extents(graph: Graph) -> Iterator[str]:
    """Yield all symbols in the shapes of inputs."""
    for value in graph.inputs.values():
        for tensor in tensors_of(value):
            for extent in tensor.shape or ():
                if isinstance(extent, Integer):
                    yield from sorted(leaf.name for leaf in extent.leaves)


def _as_files(variables: Mapping[str, _Named]) -> dict[str, _Named]:
    """Return variables by names that stay distinct where file names ignore case."""
    found: dict[str, _Named] = {}
    known = Counter[str]()
    for name, value in variables.items():
        start = name[: LONGEST_NAME - 10]
        known[start.casefold()] += 1
        number = known[start.casefold()]
        found[name if number == 1 else f"{start}_{number}"] = value
    return found


def _is_bound(condition: Truth) -> bool:
    """Return whether a condition says that a symbol is at most a number, or not negative."""
    if not isinstance(condition, AtLeastZero) or len(condition.slack.leaves) != 1:
        return False
    (leaf,) = condition.slack.leaves
    form = as_affine(condition.slack, leaf.key)
    if form is None or form[1].value is None:
        return False
    return form[0] == -1 or (form[0] == 1 and form[1].value >= 0)


def _symbols(graph: Graph) -> Iterator[tuple[str, int | None]]:
    """Yield the dynamic extents of inputs that are plain names, each with its greatest known value."""
    for extent in _extents_of_inputs(graph):
        if (leaf := extent.variable) is not None and leaf.name.isidentifier():
            yield leaf.name, leaf.high


def _extents_of_inputs(graph: Graph) -> Iterator[Integer]:
    for value in graph.inputs.values():
        yield from _extents_of(value)


def _extents_of(value: TensorValue) -> Iterator[Integer]:
    for tensor in tensors_of(value):
        yield from (extent for extent in tensor.shape or () if isinstance(extent, Integer))
