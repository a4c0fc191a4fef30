"""The nodes of a graph, one after the other, as statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.convert import DefinitionNames, GraphText
from snd_analysis.model import Tensor, TensorKind, tensors_of
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.builder import Builder
from snd_server.exchange.onnx_import.contents import comparison_of, contents_of
from snd_server.exchange.onnx_import.data import Data, UntranslatableError, constant_of, type_name
from snd_server.exchange.onnx_import.definitions import definition_of
from snd_server.exchange.onnx_import.folding import folded
from snd_server.exchange.onnx_import.naming import joined, readable, says_nothing, snake
from snd_server.exchange.onnx_import.node import DOMAIN_TRANSLATIONS, INT, TRANSLATIONS, Item, OnnxNode, TensorSequence
from snd_server.exchange.onnx_import.operations.elementwise import within_type
from snd_server.exchange.onnx_import.placeholders import declared_outputs, placeholder_of
from snd_server.exchange.onnx_import.source import EXPORTED_PROGRAM, Declared, SourceGraph, SourceNode

_MALFORMED = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


class UntranslatedNode(Struct, frozen=True):
    """A node that is not translated, and why."""

    node: str
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"node '{self.node}' ({self.kind}): {self.reason}"


class Missing(Struct, frozen=True):
    """The reason why nothing is known of a tensor: the node that would give it is not translated."""

    node: str
    is_result: bool = False
    """True if the node is translated, but for this result."""


class Translator:
    """Translator of a graph, with the facts about tensors by their names."""

    def __init__(self, builder: Builder, symbols: Mapping[str, Integer], names: DefinitionNames) -> None:
        """Prepare the translation.

        ``symbols`` are extents by source name, ``names`` are names of the module's operators.
        """
        self.builder = builder
        self.problems: list[UntranslatedNode] = []
        self.known: dict[str, Item | Missing] = {}
        self.placeholders: dict[str, GraphText] = {}
        """Operators that replace untranslated nodes, by their names."""
        self._symbols = {**{str(each): each for each in symbols.values()}, **symbols}
        self._names = names
        self._declared: dict[str, Declared] = {}
        self._last: dict[str, SourceNode] = {}
        """The last node of each module, by the path of the module: it returns the module's result."""

    def constants(self, graph: SourceGraph) -> None:
        """Add the initializers of a graph."""
        for name, array in graph.initializers.items():
            label = graph.labels.get(name, name)
            shown = "" if says_nothing(label) else readable(label)
            known = constant_of(array, shown)
            if name in graph.updates:
                known = replace(known, tensor=self.builder.state(known), array=None)
            self.known[name] = known

    def graph(self, graph: SourceGraph) -> list[Item | Missing]:
        """Translate all nodes, and return the outputs; untranslated nodes are in ``problems``."""
        self.constants(graph)
        self._declared = {**graph.known, **{each.name: each for each in graph.outputs}}
        self._last = {node.modules[-1].path: node for node in graph.nodes if node.modules}
        for node in graph.nodes:
            self.node(node)
        for each in graph.outputs:
            if each.name not in self.known:
                self.problems.append(UntranslatedNode(each.name, "output", "no node gives it"))
            elif isinstance(missing := self.known[each.name], Missing) and missing.is_result:
                reason = f"there is no operator for this result of '{missing.node}'"
                self.problems.append(UntranslatedNode(each.name, "output", reason))
        return [self.known.get(each.name, Missing(each.name)) for each in graph.outputs]

    def declared_rank(self, name: str) -> int | None:
        """Return how many dimensions the model says that a tensor has; None if it says nothing."""
        declared = self._declared.get(name)
        return None if declared is None or declared.shape is None else len(declared.shape)

    def node(self, source: SourceNode) -> None:
        """Translate a node; if it can't be, that becomes a problem."""
        first = len(self.builder.steps)
        try:
            self.translate(source)
        except UntranslatableError as reason:
            self._leave(source, first, str(reason))
        except RecursionError:
            self._leave(source, first, "its graphs are nested too deeply")
        except MemoryError:
            self._leave(source, first, "its value takes too much memory")
        except _MALFORMED as error:
            # The types of attributes are not checked before: any use of a wrong one fails.
            self._leave(source, first, f"its inputs and attributes are not those of such a node: {error}")

    def _leave(self, source: SourceNode, first: int, reason: str) -> None:
        del self.builder.steps[first:]
        self.problems.append(UntranslatedNode(source.shown, source.kind, reason))
        outputs = self._stands_for(source, reason)
        for name, value in zip(filter(None, source.outputs), outputs or (), strict=outputs is not None):
            self.known[name] = self._named(value, name, source)
        if outputs is None:
            self.known.update((name, Missing(source.shown)) for name in source.outputs if name)

    def _stands_for(self, source: SourceNode, reason: str) -> Sequence[Data] | None:
        """Add an operator that replaces a node, and return its results; None if their types are unknown."""
        inputs = [self._given(name) for name in source.inputs]
        declared = declared_outputs(source, inputs, self._declared)
        name = self._names.new(source.kind)
        made = placeholder_of(name, source, reason, inputs, declared, self._symbols, self.builder)
        if made is None:
            return None
        self.placeholders[name] = made.text
        self.builder.steps.append(made.step)
        return made.outputs

    def translate(self, source: SourceNode) -> None:
        """Translate a node. Raise UntranslatableError."""
        first = len(self.builder.steps)
        outputs = self._outputs(source)
        for at, name in enumerate(source.outputs):
            value = outputs[at] if at < len(outputs) else None
            if name and value is not None:
                self.known[name] = self._named(value, name, source)
            elif name:
                self.known[name] = Missing(source.shown, is_result=True)
        self._name_others(first, source)

    def _outputs(self, source: SourceNode) -> list[Item]:
        node = OnnxNode(source, [self.value(name) for name in source.inputs], self.builder, self)
        constants = folded(node)
        if constants is not None:
            return list(constants)
        contents = contents_of(node)
        if contents is not None:
            if all(each.value is not None for each in contents.flat) and source.kind != "Cast":
                return [constant_of(np.asarray([each.value for each in contents.flat], INT).reshape(contents.shape))]
            shape = tuple(map(integers.constant, contents.shape))
            dtype = INT if source.kind in ("Shape", "Size") else node.input(0).dtype
            return [Data(dtype, shape, contents=contents)]
        decided = comparison_of(node)
        if decided is not None:
            return [constant_of(decided)]
        translate = TRANSLATIONS.get((source.domain, source.kind)) or DOMAIN_TRANSLATIONS.get(source.domain)
        if translate is None:
            return self._defined(node)
        found = translate(node)
        outputs = [found] if found is None or isinstance(found, Data | TensorSequence) else list(found)
        return [within_type(node, each) if isinstance(each, Data) else each for each in outputs]

    def _defined(self, node: OnnxNode) -> list[Item]:
        """Translate the nodes by which ONNX defines a node."""
        source = node.source
        nodes = definition_of(node)
        if nodes is None:
            is_onnx = source.domain in ("", EXPORTED_PROGRAM)
            where = "" if is_onnx else f" of the domain '{source.domain}'"
            raise UntranslatableError(f"there is no operator for this kind of node{where}")
        for each in nodes:
            self.translate(replace(each, modules=source.modules))
        return [self._given(name) for name in source.outputs]

    def _given(self, name: str) -> Item:
        value = self.known.get(name) if name else None
        return None if isinstance(value, Missing) else value

    def nested(self, graph: SourceGraph, known: Mapping[str, Item]) -> list[Item]:
        """Translate a graph inside of a node, which sees all around it; return its outputs.

        Raise UntranslatableError.
        """
        around = dict(self.known)
        self.known.update(known)
        try:
            self.constants(graph)
            for each in graph.nodes:
                self.translate(each)
            return [self.value(each.name) for each in graph.outputs]
        finally:
            self.known = around

    def value(self, name: str) -> Item:
        if not name:
            return None
        if name not in self.known:
            raise UntranslatableError(f"nothing gives its input '{name}' before it: there is no order, or a cycle")
        value = self.known[name]
        if isinstance(value, Missing):
            raise UntranslatableError(f"it takes what '{value.node}' gives, which is not translated")
        return value

    # ---- names -------------------------------------------------------------------------------------------------------
    def _named(self, value: Item, name: str, source: SourceNode) -> Item:
        if isinstance(value, Data):
            if value.array is not None:
                return replace(value, name=self._name_of(name, source, source.kind))
            if value.tensor is not None and value.tensor.kind is TensorKind.RESULT:
                self.builder.wanted.setdefault(value.tensor, self._name_of(name, source, value.tensor.name))
        return value

    def _name_of(self, name: str, source: SourceNode, operation: str) -> str:
        """Return the name for a result: from the module that it comes from, or from its operation."""
        if not source.modules:
            return readable(name, source.kind)
        path, prefix = source.modules[-1].path, source.modules[-1].prefix
        if prefix and name.startswith(prefix):  # the function has a name for it
            return joined(path, readable(name.removeprefix(prefix), source.kind))
        if prefix and name != prefix[:-1]:
            return readable(name, source.kind)
        return snake(path) if self._last.get(path) is source else joined(path, operation)

    def _name_others(self, first: int, source: SourceNode) -> None:
        """Give results inside a node's translation names that begin with the node's."""
        if source.modules:
            whole = source.modules[-1].path
        else:
            whole = readable(next(filter(None, source.outputs), ""), source.kind)
        for step in self.builder.steps[first:]:
            for value in step.outputs:
                for tensor in tensors_of(value):
                    self.builder.wanted.setdefault(tensor, joined(whole, tensor.name))
                    self.builder.modules.setdefault(tensor, source.modules)


def input_data(declared: Declared, symbols: Mapping[str, Integer]) -> Data:
    """Return the facts about an input. Raise UntranslatableError if SkriptND has no such input."""
    if declared.dtype is None:
        raise UntranslatableError("it is no tensor")
    if declared.shape is None:
        raise UntranslatableError("its rank is not known")
    shape = []
    for axis, extent in enumerate(declared.shape):
        if isinstance(extent, int):
            shape.append(integers.constant(extent))
            continue
        name = extent if extent is not None else f"{declared.name}_{axis}"
        shape.append(symbols[name])
    tensor = Tensor(declared.name, type_name(declared.dtype), tuple(shape), TensorKind.INPUT)
    return Data(declared.dtype, tuple(shape), tensor)
