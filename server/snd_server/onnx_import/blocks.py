"""Statements that a graph repeats, as operators: recognised by their structure, whatever names and numbers they have.

Windows of consecutive statements are alike if they invoke the same operators on each other's results. What differs
between them, extents of variables and numbers of attributes, becomes an attribute of the operator, unless the extents
of its inputs tell it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose import input_extent
from snd_analysis.convert import GraphStep, GraphText, LocalStep, Names, Step, Writer
from snd_analysis.model import Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Pack, Run, Value, format_value
from snd_analysis.workspace import Snapshot
from snd_server.onnx_import.builder import Builder
from snd_server.onnx_import.data import UntranslatableError
from snd_server.onnx_import.limits import LONGEST_BLOCK, MOST_ATTRIBUTES, MOST_INPUTS, MOST_REFUSED
from snd_server.onnx_import.naming import snake
from snd_server.onnx_import.source import Array

_SMALL = 16
"""Numbers up to this one are hardly the same by more than chance."""

Row: TypeAlias = "tuple[Integer, ...]"
"""What an extent or an attribute is in each of the windows."""


class Recognised(Struct, frozen=True):
    """The statements of a graph after blocks became operators, the operators, and the variables of the invocations."""

    steps: list[GraphStep]
    operators: list[GraphText]
    weights: dict[Tensor, dict[str, Array]]
    """The arrays of an invocation's variables by their names, by the result that the invocation is known by."""
    names: dict[Tensor, str]
    """What the results of invocations are called, where the names in a block begin with the same words."""


class _Window(Struct, frozen=True, eq=False):
    steps: Sequence[Step]
    inputs: tuple[Tensor, ...]
    output: Tensor


def recognise(
    steps: Sequence[GraphStep],
    results: set[Tensor],
    arrays: Mapping[Tensor, Array],
    names: Mapping[Tensor, str],
    snapshot: Snapshot,
    taken: Names,
    is_right: Callable[[GraphText], bool],
) -> Recognised:
    """Return the statements with invocations of operators in place of what is repeated.

    ``names`` are those that the model has for tensors.
    """
    found = Recognised(list(steps), [], {}, {})
    refused: set[Hashable] = set()
    while len(refused) < MOST_REFUSED and (group := _best_group(found.steps, results, names, refused)) is not None:
        key, windows = group
        made = _Maker(windows, arrays, snapshot).operator(taken, is_right)
        if made is None:
            refused.add(key)
            continue
        operator, calls, weights = made
        found.operators.append(operator)
        found.weights.update(weights)
        for window in windows:
            if (name := _common_name(window.steps, names)) and window.output not in results:
                found.names[window.output] = name
        _replace(found.steps, windows, calls)
    return found


def _replace(steps: list[GraphStep], windows: Sequence[_Window], calls: Sequence[LocalStep]) -> None:
    places = {id(window.steps[-1]): call for window, call in zip(windows, calls, strict=True)}
    inside = {id(step) for window in windows for step in window.steps}
    steps[:] = [places.get(id(each), each) for each in steps if id(each) not in inside or id(each) in places]


# ---- what is repeated ------------------------------------------------------------------------------------------------
def _best_group(
    steps: Sequence[GraphStep], results: set[Tensor], names: Mapping[Tensor, str], refused: set[Hashable]
) -> tuple[Hashable, list[_Window]] | None:
    """Return the windows that save the most statements, of several those that the model has names for."""
    maker = {tensor: at for at, step in enumerate(steps) for value in step.outputs for tensor in tensors_of(value)}
    users: defaultdict[Tensor, list[int]] = defaultdict(list)
    for at, step in enumerate(steps):
        for value in step.inputs:
            for tensor in tensors_of(value):
                users[tensor].append(at)
    tokens = [_token(step) for step in steps]
    best: tuple[tuple[int, int], Hashable, list[int], int] | None = None
    for length in range(min(LONGEST_BLOCK, len(steps) // 2), 2, -1):
        if best is not None and best[0][0] >= (len(steps) // length - 1) * (length - 1):
            continue
        starts: defaultdict[Hashable, list[int]] = defaultdict(list)
        for first in range(len(steps) - length + 1):
            if None in tokens[first : first + length]:
                continue
            key: Hashable = (length, *_structure(steps, tokens, maker, first, length))
            if key not in refused and (not starts[key] or starts[key][-1] + length <= first):
                starts[key].append(first)
        for key, places in starts.items():
            saved = (len(places) - 1) * (length - 1)
            if len(places) < 2 or (best is not None and saved < best[0][0]):
                continue
            rank = saved, sum(len(_common_name(steps[at : at + length], names)) for at in places)
            if best is None or rank > best[0]:
                tried = (_window(steps, maker, users, results, at, length) for at in places)
                if all(each is not None for each in tried):
                    best = (rank, key, places, length)
    if best is None:
        return None
    _, key, places, length = best
    windows = [_window(steps, maker, users, results, at, length) for at in places]
    return key, [each for each in windows if each is not None]


def _common_name(steps: Sequence[GraphStep], names: Mapping[Tensor, str]) -> str:
    """Return the words that the names of all results begin with: exporters name a block and its layers so."""
    made = [tensor for step in steps for value in step.outputs for tensor in tensors_of(value)]
    words = zip(*(names.get(tensor, "").split("_") for tensor in made), strict=False)
    name = "_".join(column[0] for column in takewhile(lambda column: len({*column}) == 1, words))
    return name if name[:1].isalpha() else ""


def _token(step: GraphStep) -> Hashable:
    """Return what alike statements have in common; None for one that stays where it is."""
    if not isinstance(step, Step):
        return None
    attributes = tuple((name, _form(value)) for name, value in sorted(step.attributes.items()))
    inputs = tuple(_argument_form(value) for value in step.inputs)
    kinds = tuple("pack" if isinstance(value, Pack) else "tensor" for value in step.outputs)
    return step.operator, tuple(step.dtypes.items()), attributes, inputs, kinds


def _form(value: Value) -> Hashable:
    match value:
        case Integer():
            return "int"
        case Pack():
            return tuple(map(_form, value.items or ()))
        case _:
            return format_value(value, quoted=True)


def _argument_form(value: TensorValue) -> Hashable:
    match value:
        case Tensor():
            if value.kind is TensorKind.CONSTANT and (value.shape == () or isinstance(value.value, Pack)):
                return "literal", format_value(value.value if value.value is not None else NULL, quoted=True)
            shape = value.shape or ()
            is_stored = value.kind in (TensorKind.VARIABLE, TensorKind.CONSTANT)
            return str(value.kind) if is_stored else "tensor", value.dtype, len(shape)
        case Pack():
            return tuple(_argument_form(each) for each in value.items or ())  # type: ignore[arg-type]
        case _:
            return "null"


def _structure(
    steps: Sequence[GraphStep], tokens: Sequence[Hashable], maker: Mapping[Tensor, int], first: int, length: int
) -> Iterator[Hashable]:
    """Yield the tokens of a window with where each argument comes from."""
    outside: dict[Tensor, int] = {}
    for at in range(first, first + length):
        yield tokens[at]
        for value in steps[at].inputs:
            for tensor in tensors_of(value):
                made = maker.get(tensor)
                if made is not None and first <= made < at:
                    outputs = [each for result in steps[made].outputs for each in tensors_of(result)]
                    yield made - first, outputs.index(tensor)
                else:
                    yield "outside", outside.setdefault(tensor, len(outside))


def _window(
    steps: Sequence[GraphStep],
    maker: Mapping[Tensor, int],
    users: Mapping[Tensor, Sequence[int]],
    results: set[Tensor],
    first: int,
    length: int,
) -> _Window | None:
    """Return a window that takes few tensors and gives one; None for others."""
    inside = range(first, first + length)
    taken: dict[Tensor, None] = {}
    given: dict[Tensor, None] = {}
    for at in inside:
        for value in steps[at].inputs:
            for tensor in tensors_of(value):
                if maker.get(tensor) not in inside and tensor.kind not in (TensorKind.VARIABLE, TensorKind.CONSTANT):
                    taken[tensor] = None
        for value in steps[at].outputs:
            for tensor in tensors_of(value):
                if tensor in results or any(user not in inside for user in users.get(tensor, ())):
                    given[tensor] = None
    whole = [step for step in steps[first : first + length] if isinstance(step, Step)]
    last = [tensor for value in steps[first + length - 1].outputs for tensor in tensors_of(value)]
    if not 0 < len(taken) <= MOST_INPUTS or len(given) != 1 or len(whole) < length or [*given] != last:
        return None
    if any(each.shape is None or any(isinstance(part, Run) for part in each.shape) for each in (*taken, *given)):
        return None
    return _Window(whole, tuple(taken), last[0])


# ---- the operator ----------------------------------------------------------------------------------------------------
class _Maker:
    """Makes an operator of windows that are alike."""

    def __init__(self, windows: Sequence[_Window], arrays: Mapping[Tensor, Array], snapshot: Snapshot) -> None:
        self._windows = windows
        self._arrays = arrays
        self._snapshot = snapshot
        self._names = Names()
        self._extents: dict[Row, Integer] = {}
        self._attributes: dict[Row, tuple[str, Integer]] = {}
        self._reals: dict[tuple[str, ...], str] = {}

    def operator(
        self, taken: Names, is_right: Callable[[GraphText], bool]
    ) -> tuple[GraphText, list[LocalStep], dict[Tensor, dict[str, Array]]] | None:
        """Return the operator, its invocations and their variables; None if it can't be declared."""
        rows = [[window.inputs[at] for window in self._windows] for at in range(len(self._windows[0].inputs))]
        inputs = [self._input(row, f"x{at + 1}" if len(rows) > 1 else "x") for at, row in enumerate(rows)]
        try:
            return self._made(inputs, taken, is_right)
        except UntranslatableError:
            return None

    def _input(self, row: Sequence[Tensor], name: str) -> Tensor:
        """Return an input whose extents have names."""
        columns = zip(*(_extents(each) for each in row), strict=True)
        shape = tuple(self._named_extent(tuple(column), at) for at, column in enumerate(columns))
        return Tensor(name, row[0].dtype, shape, TensorKind.INPUT)

    def _named_extent(self, row: Row, at: int) -> Integer:
        known = self._extents.get(row)
        if known is None:
            if row[0].value == 1 and len(set(row)) == 1:
                return row[0]
            name = self._names.new(("b", "c", "h", "w")[at] if at < 4 else f"n{at}")
            known = self._extents[row] = input_extent(name)
        return known

    def _number(self, row: Row, wanted: str, is_extent: bool) -> Integer:
        """Return what a number of the windows is in the operator."""
        constant = len(set(row)) == 1
        value = row[0].value
        if constant and value is not None and (value <= _SMALL or not is_extent):
            return row[0]
        if row in self._extents:
            return self._extents[row]
        if constant and value is not None:
            return row[0]
        if row not in self._attributes:
            if any(each.value is None for each in row) or len(self._attributes) >= MOST_ATTRIBUTES:
                raise UntranslatableError("an extent that the operator can't know")
            name = self._names.new(wanted)
            self._attributes[row] = name, input_extent(name)
        return self._attributes[row][1]

    def _made(
        self, inputs: Sequence[Tensor], taken: Names, is_right: Callable[[GraphText], bool]
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
                    if tensor in known or _is_literal(tensor):
                        continue
                    row = [tensors_of(window.steps[at].inputs[number])[place] for window in self._windows]
                    name = step.template.inputs[number].name
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
        output = known[first.output]
        self._check(output)
        writer.name(output, "y")
        for made in builder.steps:
            text.modules.add(made.module)
            for value in made.outputs:
                for tensor in tensors_of(value):
                    writer.name(tensor)
            text.block("compose").add(writer.statement(made))
        for name, _ in self._attributes.values():
            text.block("attrib").add(f"{name}: int;")
        for name in self._reals.values():
            text.block("attrib").add(f"{name}: real;")
        text.block("output").add(_declaration(writer.name(output), output))
        name = taken.new(self._title())
        text = GraphText(f"operator {name}", [], text.blocks, text.modules)
        if not is_right(text):
            return None
        calls = [self._call(at, name, window) for at, window in enumerate(self._windows)]
        return text, calls, dict(self._weights(stored))

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
            if any(each.kind is not TensorKind.VARIABLE for each in row):
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
        """Return an attribute as it is in the operator."""
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

    def _check(self, output: Tensor) -> None:
        """Raise UntranslatableError unless the declared extents of the result are those of each window."""
        for at, window in enumerate(self._windows):
            values = {next(iter(each.leaves)).key: row[at] for row, each in self._extents.items()}
            values |= {next(iter(each.leaves)).key: row[at] for row, (_, each) in self._attributes.items()}
            declared = tuple(integers.substitute(each, values) for each in _extents(output))
            if declared != _extents(window.output):
                raise UntranslatableError("the extents of the result are others")

    def _call(self, at: int, name: str, window: _Window) -> LocalStep:
        attributes = {key: str(row[at]) for row, (key, _) in self._attributes.items()}
        attributes |= {key: row[at] for row, key in self._reals.items()}
        return LocalStep(name, attributes, window.inputs, (window.output,))

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
                yield window.output, found


def _extents(tensor: Tensor) -> tuple[Integer, ...]:
    return tuple(each for each in tensor.shape or () if isinstance(each, Integer))


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
