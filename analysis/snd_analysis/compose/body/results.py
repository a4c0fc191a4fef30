"""The left sides of statements: names of results, their lengths and types, lists of names (2.10)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.compose.body.annotations import annotated
from snd_analysis.compose.body.outputs import as_declared, check_update
from snd_analysis.compose.body.state import BodyState
from snd_analysis.model import Place, Tensor, TensorKind, TensorValue, empty_pack, item_of_empty, tensor_value
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Maybe, Pack, Segment, Value, split


# ---- the names on the left side of a statement, and the label that they imply (2.10, Labelling) ----------------------
class Targets:
    """The names on a left side, for the tensors that a right side makes, and the label that they imply.

    The label of an invocation is the one written before it, else the name of a single result (2.10, Labelling).
    """

    __slots__ = ("_results", "is_written", "label")

    def __init__(self, results: tuple[nodes.Result | nodes.ResultList, ...], label: str | None = None) -> None:
        self._results = results
        self.label = label
        self.is_written = label is not None
        """True if the label stands before the invocation."""
        if label is None and len(results) == 1 and isinstance(results[0], nodes.Result):
            self.label = _written_name(results[0])

    def labelled(self, label: str) -> Targets:
        """Return the same names, with the label that is written before the invocation."""
        return Targets(self._results, label)

    def part(self, keyword: str) -> Targets:
        """Return the same names for a part of control flow that has its own scope below the label (see ``Naming``)."""
        targets = Targets(self._results, f"{self.label}.{keyword}")
        targets.is_written = False
        return targets

    def without_results(self) -> Targets:
        """Return the same label, for a condition, whose result has no name."""
        targets = Targets((), self.label)
        targets.is_written = self.is_written
        return targets

    @property
    def count(self) -> int:
        """Number of results."""
        return len(self._results)

    def iteration(self, number: int, carried: int, last: bool) -> Targets:
        """Return the names of one iteration of an unrolled loop, whose first results are carried on to the next one.

        Where a list names the tensors that a loop collects, the label of each iteration is the name of its tensor.
        """
        label = f"{self.label}[{number}]" if self.label is not None else None
        if label is not None and not self.is_written and len(self._results) == 1 and carried == 0:
            item = self.item_name(0, number)
            label = label if item is None or item.startswith("~") else item
        return _Iteration(self._results, label, f"[{number}]", carried if last else 0)

    def name(self, at: int) -> str | None:
        """Return the name of a result; None if it has none, or several."""
        if at >= len(self._results):
            return None
        result = self._results[at]
        return _written_name(result) if isinstance(result, nodes.Result) else None

    def plain_name(self, at: int) -> nodes.Name | None:
        """Return the name of a result that is passed through unchanged: without a type that it would have to match."""
        result = self._results[at] if at < len(self._results) else None
        if not isinstance(result, nodes.Result) or result.type is not None:
            return None
        return result.target if isinstance(result.target, nodes.Name) else None

    def item_name(self, at: int, number: int) -> str | None:
        """Return the name of a tensor of a packed result."""
        if at >= len(self._results):
            return None
        result = self._results[at]
        if isinstance(result, nodes.Result):
            name = _written_name(result)
            return None if name is None else f"{name}[{number}]"
        for each, single in _listed(result):
            if number == 0 or not single:
                return each if single else f"{each}[{number}]"
            number -= 1
        return None


class _Iteration(Targets):
    """Names of an iteration, distinguished by its number; the first ``plain`` ones are final."""

    __slots__ = ("_plain", "_suffix")

    def __init__(
        self, results: tuple[nodes.Result | nodes.ResultList, ...], label: str | None, suffix: str, plain: int
    ) -> None:
        super().__init__(results, label)
        self.is_written = False
        self._suffix = suffix
        self._plain = plain

    def labelled(self, label: str) -> Targets:
        """Return the written label, with the number of the iteration."""
        targets = _Iteration(self._results, f"{label}{self._suffix}", self._suffix, self._plain)
        targets.is_written = True
        return targets

    def name(self, at: int) -> str | None:
        """Return the name of the result in this iteration."""
        name = super().name(at)
        return name if name is None or at < self._plain else f"{name}{self._suffix}"

    def plain_name(self, at: int) -> nodes.Name | None:
        """Return None: the result of an iteration may have another shape than the whole."""
        return None

    def item_name(self, at: int, number: int) -> str | None:
        """Return the name of a tensor of a packed result in this iteration."""
        name = self.name(at)
        return super().item_name(at, number) if name is None else f"{name}[{number}]"


def _written_name(result: nodes.Result) -> str | None:
    return result.target.text if isinstance(result.target, nodes.Name) else None


def _listed(result: nodes.ResultList) -> Iterator[tuple[str, bool]]:
    for item in result.items:
        if isinstance(item, nodes.ResultTuple):
            yield from ((name.text, False) for name in item.names)
        else:
            yield _written_name(item) or "~", item.pack is None


# ---- the left sides of statements ------------------------------------------------------------------------------------
_Item = nodes.Result | nodes.ResultTuple


def made_output(state: BodyState, like: Value, formal: str, targets: Targets, at: int, place: Place) -> TensorValue:
    """Return an output of an invocation, named by the left side of its statement, else by the operator."""
    if isinstance(like, Tensor):
        name = state.scoped(targets.name(at) or formal)
        return Tensor(name, like.dtype, like.shape, TensorKind.RESULT, place)
    if isinstance(like, Maybe):
        return Maybe(like.present, made_output(state, like.value, formal, targets, at, place))
    if not isinstance(like, Pack):
        return tensor_value(like)
    if not like.segments:
        item_like = item_of_empty(like)
        return empty_pack(made_output(state, item_like, f"{formal}[]", targets, at, place), like.dtype)
    segments: list[Segment] = []
    for number, (segment, item) in enumerate(zip(like.segments, like.elements, strict=True)):
        if not isinstance(item, Tensor):
            return UNDEFINED
        name = targets.item_name(at, number) or f"{formal}[{number}]"
        made = Tensor(state.scoped(name), item.dtype, item.shape, TensorKind.RESULT, place)
        segments.append(ItemRun(segment.length, made) if isinstance(segment, ItemRun) else made)
    return Pack(segments, dtype=like.dtype)


# ---- assignment ------------------------------------------------------------------------------------------------------
def assign(state: BodyState, component: nodes.Component, values: list[TensorValue] | None) -> None:
    """Give the results to the names on the left side."""
    if values is None or len(values) != len(component.results):
        values = [UNDEFINED] * len(component.results)
    for result, value in zip(component.results, values, strict=True):
        if isinstance(result, nodes.ResultList):
            _assign_list(state, result, value)
        else:
            _assign_single(state, result, value)


def _assign_single(state: BodyState, result: nodes.Result, value: TensorValue) -> None:
    if not _has_length(state, result, value):
        value = UNDEFINED
    if result.type is not None:
        value = annotated(state, result.type, value)
    if isinstance(result.target, nodes.Name):
        define(state, result.target, value)


def _has_length(state: BodyState, result: nodes.Result, value: TensorValue) -> bool:
    """Return whether a packed result may have the length that is written after its name."""
    wanted = _length(state, result.pack)
    if not isinstance(value, Pack) or not isinstance(wanted, Integer):
        return True
    verdict = shapes.decide_equal(wanted, value.length)
    name = result.target.text if isinstance(result.target, nodes.Name) else "~"
    if verdict is not EqualityVerdict.DIFFERENT:
        state.check(shapes.compare("==", wanted, value.length), f"'{name}' must be {wanted} tensors", result)
        return True
    message = f"'{name}' is declared as a pack of {wanted} tensors, but this result has {value.length}"
    state.fail(rules.LENGTH_MISMATCH, result, message)
    return False


def _length(state: BodyState, pack: nodes.Pack | None) -> Value | None:
    if pack is None or pack.length is None or isinstance(pack.length, nodes.Tilde):
        return None
    return state.scope.attempt(pack.length)


def _assign_list(state: BodyState, result: nodes.ResultList, value: TensorValue) -> None:
    parts = _parts(state, result, value) if isinstance(value, Pack) else [UNDEFINED] * len(result.items)
    for item, part in zip(result.items, parts, strict=True):
        if isinstance(item, nodes.ResultTuple):
            for number, (name, type_) in enumerate(zip(item.names, item.types, strict=True)):
                every = part
                if isinstance(part, Pack):
                    every = (
                        UNDEFINED
                        if part.items is None
                        else Pack(part.items[number :: len(item.names)], dtype=part.dtype)
                    )
                define(state, name, every if type_ is None else annotated(state, type_, every))
        else:
            if item.type is not None:
                part = annotated(state, item.type, part)
            if isinstance(item.target, nodes.Name):
                define(state, item.target, part)


def _parts(state: BodyState, result: nodes.ResultList, pack: Pack) -> list[TensorValue]:
    unknown: list[TensorValue] = [UNDEFINED] * len(result.items)
    lengths = [_item_length(state, item) for item in result.items]
    if any(length is UNDEFINED for length in lengths):
        return unknown
    known = sum((length for length in lengths if isinstance(length, Integer)), shapes.constant(0))
    rest = pack.length - known
    flexible = any(length is None for length in lengths)
    most = shapes.bounds(rest)[1]
    if (flexible and most is not None and most < 0) or (
        not flexible and shapes.decide_equal(rest, 0) is EqualityVerdict.DIFFERENT
    ):
        wanted = f"{'at least ' if flexible else ''}{known}"
        message = f"there are {pack.length} tensors in this result, but the list of names takes {wanted}"
        state.fail(rules.LENGTH_MISMATCH, result, message)
        return unknown
    open_part = next((item for item, length in zip(result.items, lengths, strict=True) if length is None), None)
    if isinstance(open_part, nodes.ResultTuple):
        count = len(open_part.names)
        if shapes.decide_equal(shapes.remainder(rest, count), 0) is EqualityVerdict.DIFFERENT:
            message = rules.packs.no_equal_packs(counted(rest, "tensor"), count)
            state.fail(rules.LENGTH_MISMATCH, open_part, message)
            return unknown
    parts: list[TensorValue] = []
    for item, length in zip(result.items, lengths, strict=True):
        parted = split(pack, length if isinstance(length, Integer) else rest)
        if parted is None:
            return [*parts, *unknown[len(parts) :]]
        first, pack = parted
        single = isinstance(item, nodes.Result) and item.pack is None
        parts.append(tensor_value(first.items[0] if first.items else UNDEFINED) if single else first)
    return parts


def _item_length(state: BodyState, item: _Item) -> Value | None:
    count = len(item.names) if isinstance(item, nodes.ResultTuple) else 1
    if item.pack is None:
        return shapes.constant(count)
    length = _length(state, item.pack)
    if length is None:
        return None
    return length * count if isinstance(length, Integer) else UNDEFINED


def define(state: BodyState, name: nodes.Name, value: TensorValue) -> None:
    """Bind a name to a tensor or a pack of tensors; to an unknown tensor if the value is not known."""
    symbol = state.template.resolution.targets.get(name)
    if not isinstance(symbol, Symbol):
        return
    if isinstance(value, Tensor) and value.value is not None and value.name == state.scoped("constant"):
        value = replace(value, name=state.scoped(name.text))
    if symbol.kind is SymbolKind.VARIABLE:
        state.updated[name.text] = value
        check_update(state, name, symbol, value)
        return
    if symbol.kind is SymbolKind.OUTPUT:
        value = state.outputs[symbol] = as_declared(state, name, symbol, value)
    state.scope.values[symbol] = value
    shown = value
    if value is UNDEFINED:
        shown = Tensor(state.scoped(name.text), None, None, TensorKind.RESULT, state.place(name))
    if value is not NULL:
        state.tensors[state.scoped(name.text)] = shown
