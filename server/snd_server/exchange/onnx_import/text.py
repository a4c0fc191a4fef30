"""A translated graph as the text of a module, with the arrays of its variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from snd_analysis.base import Severity
from snd_analysis.compose import input_extent
from snd_analysis.convert import (
    DefinitionNames,
    GraphStep,
    GraphText,
    InvocationStep,
    LocalStep,
    Writer,
    blocks_of,
    module_text,
    modules_of,
    needed_steps,
)
from snd_analysis.model import Tensor, TensorKind, tensors_of
from snd_analysis.skriptnd.names import format_modules, library_modules
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import format_value
from snd_analysis.workspace import Workspace
from snd_server.exchange.onnx_import import operations as _operations  # noqa: F401 - registers the translations
from snd_server.exchange.onnx_import.blocks import TensorOrigins, recognise
from snd_server.exchange.onnx_import.builder import Builder
from snd_server.exchange.onnx_import.data import Data, UntranslatableError, constant_of, is_half, require
from snd_server.exchange.onnx_import.naming import named_by_use, readable
from snd_server.exchange.onnx_import.node import Item
from snd_server.exchange.onnx_import.placeholders import BOUND
from snd_server.exchange.onnx_import.source import Array, SourceGraph
from snd_server.exchange.onnx_import.tidying import tidied, without_unused
from snd_server.exchange.onnx_import.translation import Missing, Translator, UntranslatedNode, input_data

_WIDTH = 100
_TYPES = frozenset(["real", "int", "bool", "str"])
_TRIED = "operator.sknd"


class ConvertedModel(Struct, frozen=True):
    """The text of a module, with its weights and names."""

    text: str
    weights: Mapping[str, Array]
    """The values of variables by their scoped names."""
    inputs: Mapping[str, str]
    """Names in the text by names in the source."""
    outputs: Mapping[str, str]
    tensors: Mapping[str, str]
    """Names of the source for tensors, by their names in the text."""
    statements: Mapping[str, int]
    """Number of statements that invoke operators of each module."""
    operators: frozenset[str]
    """The operators that they invoke: ``nn.conv``."""
    problems: tuple[UntranslatedNode, ...]
    left_out: tuple[str, ...]
    """The outputs of the source that the module does not have, since nodes before them are not translated."""
    source: SourceGraph
    """The graph that was converted."""
    has_halves: bool = False
    """True if the source computes with reals of fewer than 32 bits."""
    rounded: tuple[str, ...] = ()
    """The operators that compute with ints of the source as reals, which are exact up to 2 to the power of 24."""


def convert_graph(
    graph: SourceGraph, source: str, given: Mapping[str, Array] | None = None, bound: int = BOUND
) -> ConvertedModel:
    """Return a graph as a SkriptND model. ``source`` is its name in the text, ``given`` are constant inputs."""
    return _Conversion(graph, dict(given or {}), bound).converted(source)


class _Conversion:
    def __init__(self, graph: SourceGraph, given: Mapping[str, Array], bound: int) -> None:
        self._graph = graph
        self._given = given
        self._bound = bound
        self._names = DefinitionNames(_TYPES)
        self._symbols = dict(self._named_symbols())
        self._writer = Writer(self._names)
        self._snapshot = Workspace(_Nothing()).snapshot()
        self._builder = Builder(self._snapshot, self._symbols.values())
        names = DefinitionNames({*library_modules(), *format_modules(), *_TYPES})
        self._same: Mapping[Tensor, Tensor] = {}
        """Tensors that replace others."""
        self._translator = Translator(self._builder, self._symbols, names)

    def _named_symbols(self) -> Iterator[tuple[str, Integer]]:
        """Yield the dynamic extents of inputs, with their names in the source."""
        found: dict[str, Integer] = {}
        for declared in self._graph.inputs:
            if declared.name in self._given:
                continue
            for axis, extent in enumerate(declared.shape or ()):
                if isinstance(extent, int):
                    continue
                name = extent if extent is not None else f"{declared.name}_{axis}"
                if name not in found:
                    found[name] = input_extent(self._names.new(readable(name)))
                    yield name, found[name]

    def converted(self, source: str) -> ConvertedModel:
        """Return the whole model."""
        inputs = self._inputs()
        results = self._translator.graph(self._graph)
        names = [declared.name for declared in self._graph.outputs]
        outputs = {name: self._tensor(name, value) for name, value in zip(names, results, strict=True)}
        given = dict(self._updates())
        kept = (*filter(None, outputs.values()), *given.values())
        tidy = tidied(needed_steps(self._builder.steps, kept), self._builder)
        self._same = tidy.same
        outputs = {name: None if each is None else tidy.source(each) for name, each in outputs.items()}
        updates = {state: tidy.source(each) for state, each in given.items()}
        wanted = {tensor for tensor in (*outputs.values(), *updates.values()) if tensor is not None}
        invoked = needed_steps(tidy.steps, wanted)
        used = frozenset[str]().union(*map(modules_of, invoked))
        definitions = DefinitionNames({*used, *self._translator.placeholders, *_TYPES})
        text = GraphText(f"graph {definitions.new(self._graph.name or 'model')}")
        origin = TensorOrigins(self._builder.wanted, self._builder.modules)
        fixed = {tensor: each for tensor, each in self._builder.arrays.items() if tensor not in updates}
        recognised = recognise(invoked, wanted, fixed, origin, self._snapshot, definitions, _is_right)
        self._builder.wanted.update(recognised.names)
        steps = without_unused(recognised.steps, wanted)
        written_as = self._name(inputs, outputs, steps)
        self._declare_inputs(text, inputs)
        weights = dict(self._constants(text, steps, [*filter(None, outputs.values()), *updates, *updates.values()]))
        for tensor, arrays in recognised.weights.items():
            weights.update({f"{self._writer.name(tensor)}.{name}": array for name, array in arrays.items()})
        compose = text.block("compose")
        for step in steps:
            text.modules |= modules_of(step)
            compose.add(self._writer.statement(step))
        given_out: set[Tensor] = set()
        for name, result in outputs.items():
            if result is not None:
                self._output(text, written_as[name], result, given_out)
        for state, new in updates.items():
            text.block("update").add(f"{self._writer.name(state)} = {self._writer.argument(new)};")
        head = [f"Converted from {source}."]
        left_out = tuple(name for name, result in outputs.items() if result is None)
        if left_out:
            head.append(f"Left out, since nodes before them are not translated: {', '.join(map(readable, left_out))}.")
        invoked_here = {step.operator for step in steps if isinstance(step, LocalStep)}
        placeholders = [each for name, each in self._translator.placeholders.items() if name in invoked_here]
        written = module_text(head, [*placeholders, *recognised.operators, text], _WIDTH)
        statements = Counter(step.module for step in invoked)
        return ConvertedModel(
            written,
            weights,
            {name: self._writer.name(tensor) for name, tensor in inputs.items()},
            {name: written_as[name] for name, tensor in outputs.items() if tensor is not None},
            dict(self._known_names()),
            statements,
            frozenset(_operators(invoked)),
            tuple(self._translator.problems),
            left_out,
            self._graph,
            any(isinstance(each, Data) and is_half(each.dtype) for each in self._translator.known.values()),
            tuple(sorted({*_rounded(invoked)})),
        )

    # ---- inputs and outputs ------------------------------------------------------------------------------------------
    def _inputs(self) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {}
        for declared in self._graph.inputs:
            name = declared.name
            if name in self._given:
                self._translator.known[name] = constant_of(self._given[name], readable(name))
                continue
            try:
                data = input_data(declared, self._symbols)
            except UntranslatableError as reason:
                self._translator.problems.append(UntranslatedNode(name, "input", str(reason)))
                self._translator.known[name] = Missing(name)
                continue
            assert data.tensor is not None
            self._translator.known[name] = data
            found[name] = data.tensor
        return found

    def _tensor(self, name: str, value: Item | Missing) -> Tensor | None:
        if isinstance(value, Missing):
            return None
        try:
            require(isinstance(value, Data), "a sequence, or nothing, as the result of the model")
            assert isinstance(value, Data)
            return self._builder.tensor(value)
        except UntranslatableError as reason:
            self._translator.problems.append(UntranslatedNode(name, "output", str(reason)))
        return None

    def _updates(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the variables that the graph changes, each with its new value."""
        for name, new in self._graph.updates.items():
            state, result = self._translator.known[name], self._translator.known.get(new, Missing(new))
            tensor = self._tensor(new, result)
            if isinstance(state, Data) and state.tensor is not None and tensor is not None:
                yield state.tensor, tensor

    def _name(
        self, inputs: Mapping[str, Tensor], outputs: Mapping[str, Tensor | None], steps: Sequence[GraphStep]
    ) -> dict[str, str]:
        """Choose all names; return the names of the outputs."""
        for name, tensor in inputs.items():
            self._writer.name(tensor, name)
        found: dict[str, str] = {}
        named: set[Tensor] = set()
        for name, result in outputs.items():
            if result is None:
                continue
            if result.kind is TensorKind.RESULT and result not in named:
                found[name] = self._writer.name(result, name)
                named.add(result)
            else:
                found[name] = self._names.new(name)
        self._name_steps(steps)
        return found

    def _name_steps(self, steps: Sequence[GraphStep]) -> None:
        for step in steps:
            if isinstance(step, InvocationStep):
                self._name_variables(step)
            for value in (*step.inputs, *step.outputs):
                for tensor in tensors_of(value):
                    if self._writer.known(tensor) is None and not _is_literal(tensor):
                        self._writer.name(tensor, self._builder.wanted.get(tensor))
            for block in blocks_of(step):
                self._name_steps(block.steps)

    def _name_variables(self, step: InvocationStep) -> None:
        """Name variables that the source only numbers, from the statement's result and their role there."""
        result = next((self._name_of(each) for value in step.outputs for each in tensors_of(value)), "")
        for member, value in zip(step.template.inputs, step.inputs, strict=False):
            for tensor in tensors_of(value):
                if tensor in self._builder.arrays and tensor not in self._builder.wanted:
                    self._builder.wanted[tensor] = named_by_use(result, step.operator, member.name)

    def _name_of(self, tensor: Tensor) -> str:
        return self._builder.wanted.get(tensor) or self._writer.known(tensor) or tensor.name

    def _declare_inputs(self, text: GraphText, inputs: Mapping[str, Tensor]) -> None:
        bound: set[str] = set()
        bounds = {str(self._symbols[name]): most for name, most in self._graph.bounds.items() if name in self._symbols}
        for tensor in inputs.values():
            parts = []
            for extent in tensor.shape or ():
                assert isinstance(extent, Integer)
                written = format_value(extent)
                if extent.value is None and written not in bound:
                    bound.add(written)
                    written = f"{written}|{bounds.get(written, self._bound)}"
                parts.append(written)
            text.block("input").add(f"{self._writer.name(tensor)}: {tensor.dtype}[{', '.join(parts)}];")

    def _output(self, text: GraphText, name: str, tensor: Tensor, given_out: set[Tensor]) -> None:
        if tensor.kind is not TensorKind.RESULT or tensor in given_out:
            text.block("compose").add(f"{name} = {self._writer.argument(tensor)};")
        given_out.add(tensor)
        extents = ", ".join(self._extent(each) for each in tensor.shape or () if isinstance(each, Integer))
        text.block("output").add(f"{name}: {tensor.dtype}[{extents}];")

    def _extent(self, extent: Integer) -> str:
        known = {leaf for each in self._symbols.values() for leaf in each.leaves}
        if extent.leaves <= known:
            return format_value(extent)
        _, high = integers.bounds(extent)
        return f"~|{BOUND if high is None else high}"

    def _known_names(self) -> Iterator[tuple[str, str]]:
        for name, value in self._translator.known.items():
            if isinstance(value, Data) and value.tensor is not None:
                written = self._writer.known(self._same.get(value.tensor, value.tensor))
                if written is not None:
                    yield name, written

    # ---- constants ---------------------------------------------------------------------------------------------------
    def _constants(
        self, text: GraphText, steps: Sequence[GraphStep], outputs: Sequence[Tensor]
    ) -> Iterator[tuple[str, Array]]:
        """Declare constants and variables; yield the arrays of the latter."""
        used = dict.fromkeys(tensor for step in steps for value in step.inputs for tensor in tensors_of(value))
        used.update(dict.fromkeys(outputs))
        for tensor in used:
            if tensor.kind not in (TensorKind.VARIABLE, TensorKind.CONSTANT) or _is_literal(tensor):
                continue
            name = self._writer.name(tensor, self._builder.wanted.get(tensor))
            declared = f"{name}: {tensor.dtype}[{', '.join(map(str, tensor.shape or ()))}]"
            if tensor.kind is TensorKind.VARIABLE:
                text.block("variable").add(f"{declared};")
                yield name, self._builder.arrays[tensor]
            elif tensor.value is not None:
                text.block("constant").add(f"{declared} = {format_value(tensor.value, quoted=True)};")


def _is_right(operator: GraphText) -> bool:
    """Return whether snd accepts an operator."""
    workspace = Workspace(_Nothing())
    workspace.open(_TRIED, module_text((), [operator], _WIDTH))
    found = workspace.snapshot().diagnostics(_TRIED)
    return all(each.severity is Severity.HINT for each in found)


def _operators(steps: Sequence[GraphStep]) -> Iterator[str]:
    for step in steps:
        if isinstance(step, InvocationStep):
            yield step.operator
        for block in blocks_of(step):
            yield from _operators(block.steps)


_OF_REALS = frozenset(
    {
        "algo.top_k", "linalg.matmul", "math.argmax", "math.argmin", "math.cumsum", "math.lp_reduce",
        "math.mean_reduce", "math.pow", "math.prod_reduce", "math.sum_reduce",
    }
)  # fmt: skip
"""Operators whose results ONNX and PyTorch compute exactly for ints, and which take reals only in SkriptND."""


def _rounded(steps: Sequence[GraphStep]) -> Iterator[str]:
    """Yield the operators that take ints as reals, and whose results are made ints again, or are indices."""
    casts: set[Tensor] = set()
    derived: dict[Tensor, frozenset[str]] = {}
    for step in steps:
        if not isinstance(step, InvocationStep):
            continue
        inputs = [each for value in step.inputs for each in tensors_of(value)]
        outputs = [each for value in step.outputs for each in tensors_of(value)]
        names = frozenset[str]().union(*(derived.get(each, frozenset()) for each in inputs))
        if step.operator == "layout.cast":
            if step.dtypes and "int" in (each.dtype for each in outputs):
                yield from names
            elif any(each.dtype == "int" and each.kind is not TensorKind.CONSTANT for each in inputs):
                casts.update(outputs)
            continue
        if step.operator in _OF_REALS and casts.intersection(inputs):
            names |= {step.operator}
            if any(each.dtype == "int" for each in outputs):
                yield step.operator
        if names:
            derived.update((each, names) for each in outputs)


def _is_literal(tensor: Tensor) -> bool:
    return tensor.kind is TensorKind.CONSTANT and tensor.shape == ()


class _Nothing:
    """A reader of no files."""

    def read(self, path: str) -> str:
        """There is no file."""
        raise FileNotFoundError(path)

    def exists(self, path: str) -> bool:
        """There is no file."""
        return False
