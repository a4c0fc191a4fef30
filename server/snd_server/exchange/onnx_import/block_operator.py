"""The operator that replaces windows of similar statements.

Their differences (extents of variables and numbers of attributes) become attributes of the operator, unless the extents
of its inputs determine them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose import input_extent
from snd_analysis.convert import DefinitionNames, GraphText, InvocationStep, LocalStep, Writer
from snd_analysis.model import Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Pack, Value, format_value
from snd_analysis.workspace import Snapshot
from snd_server.exchange.onnx_import.builder import Builder, literal
from snd_server.exchange.onnx_import.data import UntranslatableError
from snd_server.exchange.onnx_import.limits import MOST_ATTRIBUTES
from snd_server.exchange.onnx_import.naming import named_by_use, snake
from snd_server.exchange.onnx_import.source import Array
from snd_server.exchange.onnx_import.tidying import without_unused

_SMALL = 16
"""Numbers up to this one are hardly the same by more than chance."""

_AXES = {2: ("b", "c"), 3: ("b", "n", "c"), 4: ("b", "c", "h", "w")}
"""Names of the extents of tensors, by rank."""

Row: TypeAlias = "tuple[Integer, ...]"
"""Values of an extent or an attribute in the windows."""


class Window(Struct, frozen=True, eq=False):
    """Consecutive statements, with the tensors that they read from others and that others read from them."""

    steps: Sequence[InvocationStep]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    """The first one is that of the last statement."""
    name: str
    """Name of the statements together in the source; empty if there is none."""


class OperatorMaker:
    """An operator made of windows that are alike."""

    def __init__(
        self,
        windows: Sequence[Window],
        arrays: Mapping[Tensor, Array],
        wanted: Mapping[Tensor, str],
        snapshot: Snapshot,
    ) -> None:
        """Prepare the operator. ``wanted`` has the names of tensors in the model."""
        self._windows = windows
        self._arrays = arrays
        self._wanted = wanted
        self._snapshot = snapshot
        self._names = DefinitionNames()
        self._extents: dict[Row, Integer] = {}
        self._attributes: dict[Row, tuple[str, Integer]] = {}
        self._reals: dict[tuple[str, ...], str] = {}

    def operator(
        self, title: str, taken: DefinitionNames, is_right: Callable[[GraphText], bool]
    ) -> tuple[GraphText, list[LocalStep], dict[Tensor, dict[str, Array]]] | None:
        """Return the operator, its invocations and their variables; None if it can't be declared."""
        rows = [[window.inputs[at] for window in self._windows] for at in range(len(self._windows[0].inputs))]
        inputs = [self._input(row, f"x{at + 1}" if len(rows) > 1 else "x") for at, row in enumerate(rows)]
        try:
            return self._made(inputs, title or self._title(), taken, is_right)
        except UntranslatableError:
            return None

    def _input(self, row: Sequence[Tensor], name: str) -> Tensor:
        """Return an input whose extents have names."""
        columns = zip(*(_extents(each) for each in row), strict=True)
        axes = _AXES.get(len(row[0].shape or ()), ())
        shape = tuple(
            self._named_extent(tuple(column), axes[at] if axes else f"n{at}") for at, column in enumerate(columns)
        )
        return Tensor(name, row[0].dtype, shape, TensorKind.INPUT)

    def _named_extent(self, row: Row, axis: str) -> Integer:
        known = self._extents.get(row)
        if known is None:
            constant = len(set(row)) == 1
            if constant and row[0].value == 1:
                return row[0]
            name = str(row[0]) if constant and _is_symbol(row[0]) else axis
            known = self._extents[row] = input_extent(self._names.new(name))
        return known

    def _number(self, row: Row, wanted: str, is_extent: bool) -> Integer:
        """Return a number of the windows in its form for the operator."""
        constant = len(set(row)) == 1
        value = row[0].value
        if constant and value is not None and (value <= _SMALL or not (is_extent or wanted == "shape")):
            return row[0]
        if row in self._extents:
            return self._extents[row]
        if constant:
            known = row[0] if value is not None else self._by_extents(row[0])
            if known is not None:
                return known
        if row not in self._attributes:
            if any(each.value is None for each in row) or len(self._attributes) >= MOST_ATTRIBUTES:
                raise UntranslatableError("an extent that the operator can't know")
            name = self._names.new(wanted)
            self._attributes[row] = name, input_extent(name)
        return self._attributes[row][1]

    def _by_extents(self, value: Integer) -> Integer | None:
        """Return a number by the extents of inputs that are symbols of the graph; None if it depends on others."""
        symbols = {row[0]: extent for row, extent in self._extents.items() if len(set(row)) == 1 and _is_symbol(row[0])}
        known = {leaf.key: extent for each, extent in symbols.items() for leaf in each.leaves}
        return integers.substitute(value, known) if all(leaf.key in known for leaf in value.leaves) else None

    def _made(
        self, inputs: Sequence[Tensor], title: str, taken: DefinitionNames, is_right: Callable[[GraphText], bool]
    ) -> tuple[GraphText, list[LocalStep], dict[Tensor, dict[str, Array]]] | None:
        first = self._windows[0]
        known: dict[Tensor, Tensor] = dict(zip(first.inputs, inputs, strict=True))
        stored: dict[Tensor, str] = {}
        builder = Builder(self._snapshot, ())
        writer = Writer(self._names)
        text = GraphText("")
        for each in inputs:
            text.block("input").add(_declaration(writer.name(each, each.name), each))
        for at, step in enumerate(first.steps):
            for number, value in enumerate(step.inputs):
                for place, tensor in enumerate(tensors_of(value)):
                    if tensor in known:
                        continue
                    if _is_literal(tensor):
                        known[tensor] = self._literal(tensor)
                        continue
                    row = [tensors_of(window.steps[at].inputs[number])[place] for window in self._windows]
                    name = self._relative(row) or self._named_by_use(at, step, step.template.inputs[number].name)
                    known[tensor] = self._stored(text, writer, row, name, stored)
            attributes = {key: self._value(at, key, value) for key, value in step.attributes.items()}
            named = [*self._extents.values(), *(each for _, each in self._attributes.values())]
            builder.allow(named)
            generics = [step.dtypes[each.name.text] for each in step.template.generics]
            arguments = [_replaced(value, known) for value in step.inputs]
            results = builder.run(step.operator, arguments, generics, attributes)
            for old, new in zip(step.outputs, results, strict=True):
                pairs = list(zip(tensors_of(old), tensors_of(new), strict=True))
                known.update(pairs)
        outputs = [known[each] for each in first.outputs]
        self._check(outputs)
        steps = without_unused(builder.steps, outputs)
        self._name_results(
            writer, known, {each for step in steps for value in step.outputs for each in tensors_of(value)}
        )
        for made in steps:
            text.modules.add(made.module)
            text.block("compose").add(writer.statement(made))
        for name, _ in self._attributes.values():
            text.block("attrib").add(f"{name}: int;")
        for name in self._reals.values():
            text.block("attrib").add(f"{name}: real;")
        for each in outputs:
            text.block("output").add(_declaration(writer.name(each), each))
        if not is_right(GraphText("operator tried", [], text.blocks, text.modules)):
            return None
        name = taken.new(title)
        text = GraphText(f"operator {name}", [], text.blocks, text.modules)
        calls = [self._call(at, name, window) for at, window in enumerate(self._windows)]
        return text, calls, dict(self._weights(stored))

    def _literal(self, tensor: Tensor) -> Tensor:
        """Return a number for the operator: by the operator's extents, if it depends on extents of the graph."""
        if not isinstance(tensor.value, Integer) or tensor.value.value is not None:
            return tensor
        value = self._by_extents(tensor.value)
        if value is None:
            raise UntranslatableError("an extent that the operator can't know")
        return literal(value)

    def _name_results(self, writer: Writer, known: Mapping[Tensor, Tensor], used: Set[Tensor]) -> None:
        """Give results the names that the source has for them, without that of the whole."""
        first = self._windows[0]
        writer.name(known[first.outputs[0]], "y")
        for at, step in enumerate(first.steps):
            for number, value in enumerate(step.outputs):
                for place, tensor in enumerate(tensors_of(value)):
                    row = [tensors_of(window.steps[at].outputs[number])[place] for window in self._windows]
                    if known[tensor] in used:
                        writer.name(known[tensor], self._relative(row))

    def _relative(self, row: Sequence[Tensor]) -> str | None:
        """Return the common name of a tensor in all windows, without the window's name; None if they don't agree."""
        found = {
            self._wanted.get(tensor, "").removeprefix(f"{window.name}_")
            for tensor, window in zip(row, self._windows, strict=True)
            if window.name and self._wanted.get(tensor, "").startswith(f"{window.name}_")
        }
        return found.pop() if len(found) == 1 else None

    def _named_by_use(self, at: int, step: InvocationStep, parameter: str) -> str:
        """Return a name for a variable without one, from the result's name and its use."""
        row = [tensors_of(window.steps[at].outputs[0])[0] for window in self._windows]
        return named_by_use(self._relative(row) or "", step.operator, parameter)

    def _title(self) -> str:
        kinds = list(dict.fromkeys(snake(step.template.name.name) for step in self._windows[0].steps))
        return "_".join(kinds) if len(self._windows[0].steps) <= 4 and len(kinds) <= 3 else "block"

    def _stored(
        self, text: GraphText, writer: Writer, row: Sequence[Tensor], wanted: str, stored: dict[Tensor, str]
    ) -> Tensor:
        """Declare a variable, or a constant of one value for all its elements."""
        first = row[0]
        if first.shape is None or first.kind not in (TensorKind.VARIABLE, TensorKind.CONSTANT):
            raise UntranslatableError("a tensor from elsewhere")
        columns = zip(*(_extents(each) for each in row), strict=True)
        extents = tuple(self._number(tuple(column), "channels", True) for column in columns)
        made = Tensor(wanted, first.dtype, extents, first.kind, None, first.value)
        name = writer.name(made, wanted)
        if first.kind is TensorKind.VARIABLE:
            if any(each not in self._arrays for each in row):
                raise UntranslatableError("variables and constants in one place")
            text.block("variable").add(_declaration(name, made))
            stored[first] = name
            return made
        values = tuple(format_value(each.value if each.value is not None else NULL, quoted=True) for each in row)
        if any(each.kind is not TensorKind.CONSTANT for each in row):
            raise UntranslatableError("variables and constants in one place")
        written = values[0]
        if len(set(values)) > 1:
            if first.dtype != "real" or isinstance(first.value, Pack):
                raise UntranslatableError("constants that differ")
            written = self._reals.setdefault(values, self._names.new(f"{name}_value"))
        text.block("constant").add(f"{_declaration(name, made).removesuffix(';')} = {written};")
        return made

    def _value(self, at: int, key: str, value: Value) -> object:
        """Return an attribute in its form for the operator."""
        row = [window.steps[at].attributes[key] for window in self._windows]
        if isinstance(value, Pack):
            columns = zip(*((each.items or ()) for each in row if isinstance(each, Pack)), strict=True)
            return [self._item(column, key) for column in columns]
        return self._item(row, key)

    def _item(self, row: Sequence[Value], wanted: str) -> object:
        first = row[0]
        if not isinstance(first, Integer):
            return None if first is NULL else first
        return self._number(tuple(each for each in row if isinstance(each, Integer)), wanted, False)

    def _check(self, outputs: Sequence[Tensor]) -> None:
        """Raise UntranslatableError unless the declared extents of the results fit each window."""
        for at, window in enumerate(self._windows):
            values = {next(iter(each.leaves)).key: row[at] for row, each in self._extents.items()}
            values |= {next(iter(each.leaves)).key: row[at] for row, (_, each) in self._attributes.items()}
            for output, found in zip(outputs, window.outputs, strict=True):
                declared = tuple(integers.substitute(each, values) for each in _extents(output))
                if declared != _extents(found):
                    raise UntranslatableError("the extents of the result are others")

    def _call(self, at: int, name: str, window: Window) -> LocalStep:
        attributes = {key: str(row[at]) for row, (key, _) in self._attributes.items()}
        attributes |= {key: row[at] for row, key in self._reals.items()}
        return LocalStep(name, attributes, window.inputs, window.outputs)

    def _weights(self, stored: Mapping[Tensor, str]) -> Iterator[tuple[Tensor, dict[str, Array]]]:
        places = {
            (at, number, place): stored[tensor]
            for at, step in enumerate(self._windows[0].steps)
            for number, value in enumerate(step.inputs)
            for place, tensor in enumerate(tensors_of(value))
            if tensor in stored
        }
        for window in self._windows:
            found = {
                name: self._arrays[tensors_of(window.steps[at].inputs[number])[place]]
                for (at, number, place), name in places.items()
            }
            if found:
                yield window.outputs[0], found


def _extents(tensor: Tensor) -> tuple[Integer, ...]:
    return tuple(each for each in tensor.shape or () if isinstance(each, Integer))


def _is_symbol(extent: Integer) -> bool:
    """Return whether an extent is one that the graph has a name for, not an expression."""
    return len(extent.leaves) == 1 and str(extent).isidentifier()


def _is_literal(tensor: Tensor) -> bool:
    return tensor.kind is TensorKind.CONSTANT and tensor.shape == ()


def _replaced(value: TensorValue, known: Mapping[Tensor, Tensor]) -> Tensor | Pack | None:
    match value:
        case Tensor():
            return known.get(value, value)
        case Pack():
            return Pack([known.get(each, each) for each in tensors_of(value)], dtype=value.dtype)
        case _:
            return None


def _declaration(name: str, tensor: Tensor) -> str:
    return f"{name}: {tensor.dtype}[{', '.join(map(format_value, _extents(tensor)))}];"
