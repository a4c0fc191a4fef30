"""Statements that a graph repeats, as operators: recognised by their structure, with any names and numbers.

Windows of consecutive statements are alike if they invoke the same operators on each other's results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile

from msgspec import Struct

from snd_analysis.convert import DefinitionNames, GraphStep, GraphText, InvocationStep, LocalStep
from snd_analysis.model import Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, ItemRun, Pack, Value, format_value
from snd_analysis.workspace import Snapshot
from snd_server.exchange.onnx_import.block_operator import OperatorMaker, Window
from snd_server.exchange.onnx_import.hoisting import hoisted
from snd_server.exchange.onnx_import.limits import LONGEST_BLOCK, MOST_INPUTS, MOST_REFUSED, SHORTEST_BLOCK
from snd_server.exchange.onnx_import.modules import Modules, common, title
from snd_server.exchange.onnx_import.naming import snake
from snd_server.exchange.onnx_import.source import Array

_CLASS_WORTH = 5
"""Value of a statement that an operator for a class of modules saves; statements of other windows are worth 2."""


class Recognised(Struct, frozen=True):
    """The statements of a graph after blocks became operators, the operators, and the variables of the invocations."""

    steps: list[GraphStep]
    operators: list[GraphText]
    weights: dict[Tensor, dict[str, Array]]
    """The arrays of an invocation's variables by their names, by the result that the invocation is known by."""
    names: dict[Tensor, str]
    """Names for the results of invocations, if the names in a block share their first words."""


class TensorOrigins(Struct, frozen=True):
    """Facts of the source about tensors: their preferred names, and the modules that they come from."""

    names: Mapping[Tensor, str]
    modules: Mapping[Tensor, Modules]

    def of(self, step: GraphStep) -> Modules:
        """Return the modules of a statement."""
        return next((self.modules[each] for each in _given_by(step) if each in self.modules), ())


def recognise(
    steps: Sequence[GraphStep],
    results: set[Tensor],
    arrays: Mapping[Tensor, Array],
    origin: TensorOrigins,
    snapshot: Snapshot,
    taken: DefinitionNames,
    is_right: Callable[[GraphText], bool],
) -> Recognised:
    """Return the statements with repetitions replaced by invocations of operators."""
    order = hoisted(steps, origin.of)
    found = Recognised(order.steps, [], {}, {})
    refused: set[Hashable] = set()
    search = _Search(results, origin, order.sizes)
    while len(refused) < MOST_REFUSED:
        group = search.best_group(found.steps, refused) or search.single_call(found.steps, refused)
        if group is None:
            break
        key, windows = group
        made = OperatorMaker(windows, arrays, origin.names, snapshot).operator(search.title(windows), taken, is_right)
        if made is None:
            refused.add(key)
            continue
        operator, calls, weights = made
        found.operators.append(operator)
        found.weights.update(weights)
        found.names.update(search.names(windows))
        _replace(found.steps, windows, calls)
    return found


def _replace(steps: list[GraphStep], windows: Sequence[Window], calls: Sequence[LocalStep]) -> None:
    places = {id(window.steps[-1]): call for window, call in zip(windows, calls, strict=True)}
    inside = {id(step) for window in windows for step in window.steps}
    steps[:] = [places.get(id(each), each) for each in steps if id(each) not in inside or id(each) in places]


def _taken_by(step: GraphStep) -> Iterator[Tensor]:
    return (tensor for value in step.inputs for tensor in tensors_of(value))


def _given_by(step: GraphStep) -> Iterator[Tensor]:
    return (tensor for value in step.outputs for tensor in tensors_of(value))


# ---- repetitions -----------------------------------------------------------------------------------------------------
class _Search:
    """The search for windows of statements that are alike."""

    def __init__(self, results: set[Tensor], origin: TensorOrigins, sizes: Mapping[str, int]) -> None:
        """Prepare the search; ``sizes`` are the numbers of statements of modules."""
        self._results = results
        self._origin = origin
        self._sizes = sizes
        self._codes: dict[tuple[int, Hashable], int] = {}

    def best_group(self, steps: Sequence[GraphStep], refused: set[Hashable]) -> tuple[Hashable, list[Window]] | None:
        """Return the windows that save the most statements; those of modules, and of classes, count more.

        Of several, the windows with names in the model are preferred.
        """
        graph = _Graph(steps, self._codes)
        best: tuple[tuple[int, int], Hashable, list[Window]] | None = None
        for length in range(min(LONGEST_BLOCK, len(steps) // 2), 1, -1):
            if best is not None and best[0][0] >= _CLASS_WORTH * (len(steps) // length - 1) * (length - 1):
                continue
            for key, places in graph.repeated(length).items():
                saved = (len(places) - 1) * (length - 1)
                if key in refused or len(places) < 2 or (best is not None and _CLASS_WORTH * saved < best[0][0]):
                    continue
                parts = [steps[at : at + length] for at in places]
                if length < SHORTEST_BLOCK and not all(map(self._is_call, parts)):
                    continue
                worth = saved * max(2, min(map(self._module_worth, parts)))
                if best is not None and worth < best[0][0]:
                    continue
                rank = worth, sum(len(self._name(each)) for each in parts)
                if best is None or rank > best[0]:
                    windows = self._windows(graph, places, length)
                    if len({len(each.outputs) for each in windows}) == 1:
                        best = (rank, key, windows)
        return None if best is None else best[1:]

    def single_call(self, steps: Sequence[GraphStep], refused: set[Hashable]) -> tuple[Hashable, list[Window]] | None:
        """Return the statements of a function that is called once: the longest that is not the whole graph."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for at, step in enumerate(steps):
            for each in self._origin.of(step):
                if each.prefix:
                    places[each.path].append(at)
        graph = _Graph(steps, self._codes)
        for path, inside in sorted(places.items(), key=lambda item: -len(item[1])):
            length = len(inside)
            if (
                SHORTEST_BLOCK <= length <= min(LONGEST_BLOCK, len(steps) - 1)
                and path not in refused
                and self._is_call(steps[inside[0] : inside[0] + length])
                and (window := self._window(graph, inside[0], length)) is not None
            ):
                return path, [window]
        return None

    def title(self, windows: Sequence[Window]) -> str:
        """Return the name for an operator that replaces windows; empty if the source has none."""
        whole = all(self._is_module(each.steps) for each in windows)
        return title([self._modules(each.steps) for each in windows]) if whole else ""

    def names(self, windows: Sequence[Window]) -> Iterator[tuple[Tensor, str]]:
        """Yield names for the invocations that replace windows, if these are modules or have a common name."""
        for each in windows:
            is_called_so = self._is_module(each.steps) or not self._modules(each.steps)
            if is_called_so and each.name and each.outputs[0] not in self._results:
                yield each.outputs[0], each.name

    def _modules(self, steps: Sequence[GraphStep]) -> Modules:
        """Return the modules that all the statements are in."""
        found = common(self._origin.of(steps[0]), self._origin.of(steps[-1]))
        for each in steps[1:-1]:
            if not found:
                break
            found = common(found, self._origin.of(each))
        return found

    def _is_module(self, steps: Sequence[GraphStep]) -> bool:
        """Return whether these are all statements of a module."""
        modules = self._modules(steps)
        return bool(modules) and self._sizes[modules[-1].path] == len(steps)

    def _module_worth(self, steps: Sequence[GraphStep]) -> int:
        """Return the value of each statement that an operator saves: that of a class, of a module, or of others."""
        if not self._is_module(steps):
            return 2
        return _CLASS_WORTH if self._modules(steps)[-1].kind else 3

    def _is_call(self, steps: Sequence[GraphStep]) -> bool:
        """Return whether these are all statements of a call of a function."""
        return self._is_module(steps) and bool(self._modules(steps)[-1].prefix)

    def _name(self, steps: Sequence[GraphStep]) -> str:
        """Return the words that the names of all results begin with, where the source does not say the module."""
        modules = self._modules(steps)
        if modules:
            return snake(modules[-1].path)
        names = (self._origin.names.get(each, "") for step in steps for each in _given_by(step))
        words = zip(*(each.split("_") for each in names), strict=False)
        name = "_".join(column[0] for column in takewhile(lambda column: len({*column}) == 1, words))
        return name if name[:1].isalpha() else ""

    def _windows(self, graph: _Graph, places: Sequence[int], length: int) -> list[Window]:
        """Return the windows that begin at ``places``; empty if one of them can't be an invocation."""
        found: list[Window] = []
        for at in places:
            window = self._window(graph, at, length)
            if window is None:
                return []
            found.append(window)
        return found

    def _window(self, graph: _Graph, first: int, length: int) -> Window | None:
        """Return a window that takes few tensors, and gives one to other statements; None for others."""
        inside = range(first, first + length)
        taken: dict[Tensor, None] = {}
        given: dict[Tensor, None] = {}
        for at in inside:
            taken.update((each, None) for each in graph.taken[at] if graph.maker.get(each, -1) < first)
            if len(taken) > MOST_INPUTS:
                return None
            for tensor in graph.given[at]:
                is_used = graph.last_user.get(tensor, -1) >= inside.stop
                # Others than the last one may only be results of the model, as caches are.
                if is_used and at < inside[-1]:
                    return None
                if is_used or tensor in self._results:
                    given[tensor] = None
        whole = [step for step in graph.steps[first : inside.stop] if isinstance(step, InvocationStep)]
        last = graph.given[inside[-1]]
        if not taken or len(whole) < length or len(last) != 1 or last[0] not in given:
            return None
        others = [each for each in given if each is not last[0]]
        if any(
            each.shape is None or any(isinstance(part, ItemRun) for part in each.shape) for each in (*taken, *given)
        ):
            return None
        return Window(whole, tuple(taken), (last[0], *others), self._name(whole))


class _Graph:
    """Statements with where their tensors come from and go to."""

    def __init__(self, steps: Sequence[GraphStep], codes: dict[tuple[int, Hashable], int]) -> None:
        """Prepare the statements.

        ``codes`` has a number for each beginning of a window, by its prefix and last statement.
        """
        self.steps = steps
        self.given = [[*_given_by(step)] for step in steps]
        self.taken = [[each for each in _taken_by(step) if not _is_stored(each)] for step in steps]
        """Operands of each statement that are neither variables nor constants."""
        self.maker = {tensor: at for at, given in enumerate(self.given) for tensor in given}
        self.last_user = {tensor: at for at, taken in enumerate(self.taken) for tensor in taken}
        tokens = map(_token, steps)
        # Statements have numbers, too: long tuples are compared once only.
        self._tokens = [None if each is None else codes.setdefault((-1, each), len(codes) + 1) for each in tokens]
        self._codes = codes

    @cached_property
    def _beginnings(self) -> list[list[int]]:
        """Return the codes of the windows that start at each statement, by length; equal windows have equal codes."""
        return [[*self._codes_from(first, self._codes)] for first in range(len(self.steps))]

    def repeated(self, length: int) -> Mapping[Hashable, list[int]]:
        """Return the starts of similar windows of this length that do not overlap, by their code."""
        starts: defaultdict[Hashable, list[int]] = defaultdict(list)
        for first, codes in enumerate(self._beginnings):
            if len(codes) >= length:
                places = starts[codes[length - 1]]
                if not places or places[-1] + length <= first:
                    places.append(first)
        return starts

    def _codes_from(self, first: int, codes: dict[tuple[int, Hashable], int]) -> Iterator[int]:
        """Yield a number for each window that begins here: similar windows have equal numbers."""
        outside: dict[Tensor, int] = {}
        code = 0
        for at in range(first, min(first + LONGEST_BLOCK, len(self.steps))):
            if self._tokens[at] is None:
                return
            sources = tuple(self._source(tensor, first, at, outside) for tensor in _taken_by(self.steps[at]))
            code = codes.setdefault((code, (self._tokens[at], sources)), len(codes) + 1)
            yield code

    def _source(self, tensor: Tensor, first: int, at: int, outside: dict[Tensor, int]) -> tuple[int, int]:
        """Return where an argument of a statement in a window comes from: which statement, or -1, and which result."""
        made = self.maker.get(tensor)
        if made is None or not first <= made < at:
            return -1, outside.setdefault(tensor, len(outside))
        return made - first, self.given[made].index(tensor)


def _is_stored(tensor: Tensor) -> bool:
    return tensor.kind in (TensorKind.VARIABLE, TensorKind.CONSTANT)


def _token(step: GraphStep) -> Hashable:
    """Return the key that similar statements share; None for one that stays in its place."""
    if not isinstance(step, InvocationStep):
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
            return str(value.kind) if _is_stored(value) else "tensor", value.dtype, len(shape)
        case Pack():
            return tuple(_argument_form(each) for each in value.items or ())  # type: ignore[arg-type]
        case _:
            return "null"
