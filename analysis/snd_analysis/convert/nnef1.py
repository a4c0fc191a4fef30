"""A graph in NNEF 1.0 as a SkriptND module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import OperatorName
from snd_analysis.compose import Template
from snd_analysis.convert.idioms import Idioms
from snd_analysis.convert.module_text import GraphText, StoredTensor, Writer, declaration, module_text
from snd_analysis.convert.names import Names
from snd_analysis.convert.steps import Step, shortest, step_of
from snd_analysis.convert.unfolding import unfolded
from snd_analysis.model import Graph, Operation, Tensor, TensorKind, tensors_of
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, library_modules
from snd_analysis.symbolic.integers import Integer
from snd_analysis.workspace import Snapshot, elaborated

BOUND = 1_000_000
"""The bound of a dynamic extent of which the source says none."""
_WIDTH = 100


class NotConvertible(Exception):  # noqa: N818 - it says what is the case
    """There is nothing that could be converted."""


class Converted(Struct, frozen=True):
    """The text of a module, and the variables whose values it needs."""

    text: str
    variables: tuple[StoredTensor, ...]
    names: Mapping[str, str]
    """The names that tensors have in the text, by those in the source."""
    statements: Mapping[str, int]
    """How many statements invoke operators of a module."""


def convert_nnef1(snapshot: Snapshot, path: str, source: str) -> Converted:
    """Return the graph of a file in NNEF 1.0 as the text of a main module. ``source`` is what the text calls it.

    Raises NotConvertible if there is no graph that could be composed.
    """
    graphs = snapshot.main_graphs(path)
    if not graphs:
        raise NotConvertible("there is no graph")
    name = OperatorName(path, graphs[0].name.text)
    composed = snapshot.compose(name).graph
    if composed is None:
        raise NotConvertible(f"the graph '{name.name}' can't be composed")
    return _Conversion(snapshot, path, composed).converted(name.name, source)


class _Conversion:
    def __init__(self, snapshot: Snapshot, path: str, graph: Graph) -> None:
        self._snapshot = snapshot
        self._graph = graph
        self._symbols = tuple(dict.fromkeys(_symbols(graph)))
        modules = {*library_modules(), "nnef1", "tract"}
        self._names = Names({*modules, *self._symbols, "real", "int", "bool", "str"})
        self._writer = Writer(self._names)
        self._numbers = dict(self._numbers_in_files(path))
        self._idioms = Idioms(self._template, graph.operations)
        self._given_out: set[Tensor] = set()
        self._library = {f"{LIBRARY_PREFIX}{each}" for each in library_modules()}

    def _template(self, operator: str) -> Template:
        module, _, name = operator.partition(".")
        found = self._snapshot.template(OperatorName(f"{LIBRARY_PREFIX}{module}", name))
        assert found is not None
        return found

    def _numbers_in_files(self, path: str) -> Iterator[tuple[Tensor, Tensor]]:
        """Variables that are single numbers, which exporters keep in files, and the numbers in their places."""
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
    def _steps(self, operation: Operation) -> list[Step]:
        inputs = tuple(self._numbers.get(each, each) if isinstance(each, Tensor) else each for each in operation.inputs)
        operation = replace(operation, inputs=inputs)
        whole = self._idioms.whole(step_of(operation))
        return self._idioms.rewritten((whole,) if whole is not None else unfolded(operation, self._library))

    def converted(self, name: str, source: str) -> Converted:
        graph = self._graph
        for named in (graph.inputs, graph.outputs, graph.variables):
            for wanted, value in named.items():
                for tensor in tensors_of(value):
                    self._writer.name(tensor, wanted)
        steps = [(operation, each) for operation in graph.operations for each in self._steps(operation)]
        for value, flat in self._idioms.flattened.items():
            self._writer.same(flat, value)
        steps = self._needed(steps)
        text = GraphText(f"graph {Names().new(name)}")
        bound: set[str] = set()
        bounds = dict.fromkeys(self._symbols, BOUND)
        for value in graph.inputs.values():
            assert isinstance(value, Tensor)
            text.block("input").add(declaration(self._writer.name(value), value, bounds, bound))
        compose = text.block("compose")
        for _, step in steps:
            text.modules.add(step.module)
            compose.add(self._writer.statement(step))
        outputs = {}
        for each, value in graph.outputs.items():
            assert isinstance(value, Tensor)
            outputs[each] = self._output(text, each, value)
        variables = tuple(self._variables(text, [step for _, step in steps]))
        written = module_text([f"Converted from {source}, NNEF 1.0."], [text], _WIDTH)
        names = {each: self._writer.known(value) for each, value in graph.tensors.items() if isinstance(value, Tensor)}
        known = {each: written_as for each, written_as in names.items() if written_as is not None}
        counts = Counter(step.module for _, step in steps)
        return Converted(written, variables, {**known, **outputs}, counts)

    def _output(self, text: GraphText, wanted: str, value: Tensor) -> str:
        name = self._writer.name(value)
        if value.kind is not TensorKind.RESULT or value in self._given_out:
            name = self._names.new(wanted)
            text.block("compose").add(f"{name} = {self._writer.argument(value)};")
        self._given_out.add(value)
        text.block("output").add(declaration(name, value))
        return name

    def _variables(self, text: GraphText, steps: Sequence[Step]) -> Iterator[StoredTensor]:
        used = {tensor for step in steps for value in step.inputs for tensor in tensors_of(value)}
        used.update(tensor for value in self._graph.updates.values() for tensor in tensors_of(value))
        for source, value in self._graph.variables.items():
            assert isinstance(value, Tensor)
            flat = self._idioms.flattened.get(value)
            if value not in used and flat not in used:
                continue
            made = flat if flat is not None else value
            name = self._writer.name(value)
            text.block("variable").add(declaration(name, made))
            shape = tuple(
                each.value for each in made.shape or () if isinstance(each, Integer) and each.value is not None
            )
            yield StoredTensor(name, source, shape, made.dtype or "real")

    def _needed(self, steps: list[tuple[Operation, Step]]) -> list[tuple[Operation, Step]]:
        """Steps without those whose results nothing takes."""
        kept: list[tuple[Operation, Step]] = []
        results = (*self._graph.outputs.values(), *self._graph.updates.values())
        used = {tensor for value in results for tensor in tensors_of(value)}
        for operation, step in reversed(steps):
            made = {tensor for value in step.outputs for tensor in tensors_of(value)}
            if made & used:
                kept.append((operation, step))
                used.update(tensor for value in step.inputs for tensor in tensors_of(value))
        return kept[::-1]


def _symbols(graph: Graph) -> Iterator[str]:
    """The dynamic extents of inputs that have a name alone."""
    for value in graph.inputs.values():
        for tensor in tensors_of(value):
            for extent in tensor.shape or ():
                if isinstance(extent, Integer) and extent.value is None and str(extent).isidentifier():
                    yield str(extent)
