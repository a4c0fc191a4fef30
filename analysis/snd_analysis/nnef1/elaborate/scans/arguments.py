"""The lists of a scan, ``scan``, ``full``, ``state`` and ``output``, read with a report at the item that is wrong.

The names in the lists are those of parameters and results of the body. tract takes the first of two items of one name
and ignores items for names that the body does not have. It refuses the scan if a parameter is left without a value, or
if an ignored output stands before others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Rule, Span, descendants
from snd_analysis.nnef1.elaborate.arithmetic import binary
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, ItemList
from snd_analysis.nnef1.limits import MOST_LISTED_NAMES
from snd_analysis.nnef1.names import sanitized
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.lints import UNUSED_SYMBOL
from snd_analysis.skriptnd.syntax import close_matches
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer

_PARTS = {
    "scan": ("the parameter of the body", "the tensor", "the axis", "the step"),
    "full": ("the parameter of the body", "the tensor"),
    "state": ("the parameter of the body", "its first value", "the result that is its next value"),
    "output": ("the result of the body", "'full' or 'last'", "the axis"),
}
"""The parts of the items of each list, as messages call them."""
_KINDS = ("full", "last")


class ScannedTensor(Struct, frozen=True):
    """A tensor that a scan cuts into pieces along an axis, for a parameter of the body."""

    parameter: str
    tensor: GraphTensor
    axis: int
    step: int
    count: Integer
    """Number of pieces."""

    @property
    def extents(self) -> list[Integer]:
        """Return the extents of the tensor."""
        return extents_of(self.tensor) or []


class State(Struct, frozen=True):
    """A parameter of the body that begins with a value, and has the value of a result of the turn before later."""

    parameter: str
    initial: ElaboratedValue
    result: str
    span: Span
    result_span: Span


class Output(Struct, frozen=True):
    """A result of a scan: a result of the body in the last turn, or in all turns, joined along an axis."""

    result: str
    is_last: bool
    axis: int
    step: int
    span: Span
    axis_span: Span


class ScanLists(Struct, frozen=True):
    """The lists of a scan without items that tract ignores."""

    scanned: tuple[ScannedTensor, ...]
    full: Mapping[str, ElaboratedValue]
    states: tuple[State, ...]
    outputs: tuple[Output, ...]


def read_lists(
    evaluator: BodyEvaluator,
    call: nodes.Call,
    body: nodes.Definition,
    given: Mapping[str, Given],
    target: nodes.Expression | None,
) -> ScanLists | None:
    """Return the lists of a scan; None if a part is wrong, which is reported."""
    reader = _Reader(evaluator, body)
    rows = {name: reader.rows(name, given.get(name)) for name in _PARTS}
    if reader.is_wrong:
        return None
    taken = reader.for_parameters([*rows["scan"], *rows["full"], *rows["state"]], call.function.span)
    scanned = [reader.scanned(row) for row in taken if row.list == "scan"]
    full = {row.name: row.values[1] for row in taken if row.list == "full"}
    states = [reader.state(row) for row in taken if row.list == "state"]
    reader.demand_different_results(states)
    outputs = reader.outputs(rows["output"], target)
    if not reader.is_wrong and not scanned:
        reader.wrong(rules.MISSING_ARGUMENT, given["scan"].span, "'scan' has no tensor: nothing says how many turns")
    if not reader.is_wrong and not outputs:
        place = given["output"].span if "output" in given else call.function.span
        reader.wrong(rules.MISSING_ARGUMENT, place, "'output' is empty: the scan has no results")
    found = [each for each in scanned if each is not None]
    for each, row in zip(found[1:], [row for row in taken if row.list == "scan"][1:], strict=False):
        if integers.decide_equal(each.count, found[0].count) is integers.EqualityVerdict.DIFFERENT:
            message = f"'{found[0].parameter}' has {found[0].count} pieces, but '{each.parameter}' has {each.count}"
            reader.wrong(rules.LENGTH_MISMATCH, row.span, message)
    if reader.is_wrong:
        return None
    return ScanLists(tuple(found), full, tuple(each for each in states if each is not None), tuple(outputs))


class _Row(Struct, frozen=True):
    """An item of a list, with the places of its parts."""

    list: str
    name: str
    values: tuple[ElaboratedValue, ...]
    spans: tuple[Span, ...]
    span: Span
    is_written: bool
    """True if the parts stand in the statement, so that a repair can change them."""


class _Reader:
    """Reader of the lists of one scan, which remembers mistakes."""

    def __init__(self, evaluator: BodyEvaluator, body: nodes.Definition) -> None:
        self.is_wrong = False
        self._evaluator = evaluator
        self._body = body
        self._parameters = [each.name.text for each in body.head.parameters]
        self._results = [each.name.text for each in body.head.results]

    def wrong(self, rule: Rule, span: Span, message: str, repair: Repair | None = None) -> None:
        """Report a mistake: the scan has no value."""
        self.is_wrong = True
        self._evaluator.context.report(self._evaluator.frame, rule, span, message, repair)

    def _ignored(self, rule: Rule, span: Span, message: str, repair: Repair | None = None) -> None:
        self._evaluator.context.report(self._evaluator.frame, rule, span, message, repair)

    # ---- items -------------------------------------------------------------------------------------------------------
    def rows(self, name: str, given: Given | None) -> list[_Row]:
        """Return the items of a list."""
        if given is None:
            return []
        if not isinstance(given.value, ItemList):
            self.wrong(rules.TYPE_MISMATCH, given.span, f"'{name}' is a list of tuples such as {_example(name)}")
            return []
        found = [
            self._row(name, value, given.span if node is None else node.span, node)
            for value, node in zip(given.value.values, _nodes(given.written, len(given.value.values)), strict=True)
        ]
        return [each for each in found if each is not None]

    def _row(self, name: str, value: ElaboratedValue, span: Span, node: nodes.Expression | None) -> _Row | None:
        parts, values = _PARTS[name], value.values if isinstance(value, ItemList) else ()
        if not isinstance(value, ItemList) or not value.is_tuple:
            self.wrong(rules.TYPE_MISMATCH, span, f"an item of '{name}' is a tuple such as {_example(name)}")
            return None
        if len(values) < len(parts):
            have = f"this has {len(values)}"
            message = f"an item of '{name}' has {len(parts)} parts, {_listed(parts)}, but {have}"
            self.wrong(rules.ARGUMENT_COUNT, span, message)
            return None
        spans = [span if each is None else each.span for each in _nodes(node, len(values))]
        named = values[0]
        if not isinstance(named, str):
            self.wrong(rules.TYPE_MISMATCH, spans[0], f"an item of '{name}' begins with {parts[0]}, as a string")
            return None
        return _Row(name, sanitized(named), values, tuple(spans), span, isinstance(node, nodes.Tuple))

    def for_parameters(self, rows: Sequence[_Row], place: Span) -> list[_Row]:
        """Return the items that give the parameters of the body their values."""
        first: dict[str, _Row] = {}
        unknown: list[_Row] = []
        read = _names_read(self._body)
        for row in rows:
            if row.name not in self._parameters:
                unknown.append(row)
            elif row.name not in first:
                first[row.name] = row
                if row.name not in read:
                    self._ignored(UNUSED_SYMBOL, row.spans[0], f"{self._title} does not use '{row.name}'")
            elif "state" in (row.list, first[row.name].list) and row.list != first[row.name].list:
                message = f"'{row.name}' has a value in '{first[row.name].list}' already"
                self.wrong(rules.DUPLICATE_ATTRIBUTE, row.spans[0], message)
            else:
                message = f"tract ignores this: '{row.name}' has a value in '{first[row.name].list}' already"
                self._ignored(rules.IGNORED_ARGUMENT, row.spans[0], message)
        missing = [each for each in self._parameters if each not in first]
        for row in unknown:
            message, close = self._absent("parameter", row.name, missing or self._parameters)
            if missing:
                self.wrong(rules.UNDEFINED_NAME, row.spans[0], message, _renaming(row, 0, close))
            else:
                self._ignored(rules.IGNORED_ARGUMENT, row.spans[0], f"tract ignores this: {message}")
        if missing and not unknown:
            self.wrong(rules.MISSING_ARGUMENT, place, f"nothing is given for '{missing[0]}' of the body")
        return list(first.values())

    @property
    def _title(self) -> str:
        return f"the body '{self._body.head.name.text}'"

    def _absent(self, kind: str, name: str, choices: Sequence[str]) -> tuple[str, Sequence[str]]:
        """Return the message for a name that the body does not have, and the name that is meant, if it is clear."""
        close = choices if len(choices) == 1 else close_matches(name, choices, most=1)
        if close:
            hint = f"; did you mean '{close[0]}'?"
        else:
            hint = f": it has {_listed([*map(repr, choices)])}" if len(choices) <= MOST_LISTED_NAMES else ""
        return f"{self._title} has no {kind} '{name}'{hint}", close

    # ---- lists -------------------------------------------------------------------------------------------------------
    def scanned(self, row: _Row) -> ScannedTensor | None:
        """Return the tensor of an item of 'scan', with the number of its pieces."""
        axis, step, tensor = self._number(row, 2), self._number(row, 3), row.values[1]
        extents = extents_of(tensor)
        if axis is None or step is None:
            return None
        if not isinstance(tensor, GraphTensor) or extents is None:
            self.wrong(rules.TYPE_MISMATCH, row.spans[1], "a scan takes a tensor apart whose shape is known")
            return None
        what = f"'{tensor.name}'" if tensor.name else "the tensor"
        if not self._demand_axis(axis, extents, row.spans[2], what):
            return None
        extent = extents[axis]
        if step == 0:
            self.wrong(rules.ZERO_STEP, row.spans[3], "the step is 0: a scan takes pieces of one item or more")
            return None
        if extent.value is not None and (extent.value % step or not extent.value):
            message = f"the extent {extent} of {what} along axis {axis} is no multiple of the step {step}"
            self.wrong(rules.ASSERTION_FAILS, row.spans[3], message)
            return None
        count = binary("/", extent, integers.constant(abs(step)))
        assert isinstance(count, Integer)
        return ScannedTensor(row.name, tensor, axis, step, count)

    def state(self, row: _Row) -> State | None:
        """Return an item of 'state'."""
        result = row.values[2]
        if not isinstance(result, str):
            message = "the next value of a state is a result of the body, named by a string"
            self.wrong(rules.TYPE_MISMATCH, row.spans[2], message)
            return None
        name = sanitized(result)
        if name not in self._results:
            self._unknown_result(row, 2, name)
            return None
        return State(row.name, row.values[1], name, row.spans[1], row.spans[2])

    def demand_different_results(self, states: Sequence[State | None]) -> None:
        """Report a result that is the next value of two states."""
        seen: dict[str, State] = {}
        for each in states:
            first = None if each is None else seen.setdefault(each.result, each)
            if each is not None and first is not None and first is not each:
                message = f"'{each.result}' is the next value of '{first.parameter}' already"
                self.wrong(rules.DUPLICATE_ATTRIBUTE, each.result_span, message)

    def outputs(self, rows: Sequence[_Row], target: nodes.Expression | None) -> list[Output]:
        """Return the results of the scan, without those that tract ignores."""
        found: dict[tuple[str, bool], Output] = {}
        ignored: list[tuple[_Row, Rule, str, Repair | None]] = []
        for row in rows:
            kind, axis = row.values[1], self._number(row, 2)
            step = self._number(row, 3) if len(row.values) > 3 else 1
            if kind not in _KINDS:
                self._unknown_kind(row)
                continue
            if axis is None or step is None:
                continue
            key = row.name, kind == "last"
            if row.name not in self._results:
                message, close = self._absent("result", row.name, self._results)
                ignored.append((row, rules.UNDEFINED_NAME, message, _renaming(row, 0, close)))
            elif key in found:
                message = f"'{row.name}' is an output with '{kind}' already"
                ignored.append((row, rules.DUPLICATE_ATTRIBUTE, message, None))
            else:
                found[key] = Output(row.name, kind == "last", axis, step, row.span, row.spans[2])
        loads = _count_of(target) == len(found) and all(rows.index(row) >= len(found) for row, *_ in ignored)
        for row, rule, message, repair in ignored:
            if loads:
                self._ignored(rules.IGNORED_ARGUMENT, row.span, f"tract ignores this: {message}")
            else:
                self.wrong(rule, row.spans[0], message, repair)
        return list(found.values())

    def _unknown_kind(self, row: _Row) -> None:
        kind = row.values[1]
        close = close_matches(kind, _KINDS, most=1) if isinstance(kind, str) else []
        shown = f"'{kind}'" if isinstance(kind, str) else "this"
        message = f"an output is 'full', of all turns, or 'last', of the last turn: {shown} is neither"
        self.wrong(rules.ASSERTION_FAILS, row.spans[1], message, _renaming(row, 1, close))

    def _unknown_result(self, row: _Row, at: int, name: str) -> None:
        message, close = self._absent("result", name, self._results)
        self.wrong(rules.UNDEFINED_NAME, row.spans[at], message, _renaming(row, at, close))

    def _number(self, row: _Row, at: int) -> int | None:
        value = plain(row.values[at])
        if isinstance(value, Integer) and value.value is not None:
            return value.value
        what = _PARTS["scan"][at]
        self.wrong(rules.TYPE_MISMATCH, row.spans[at], f"{what} is an integer that is known")
        return None

    def _demand_axis(self, axis: int, extents: Sequence[Integer], span: Span, what: str) -> bool:
        message = axis_fault(axis, extents, what)
        if message is not None:
            self.wrong(rules.ASSERTION_FAILS, span, message)
        return message is None


def axis_fault(axis: int, extents: Sequence[Integer], what: str) -> str | None:
    """Return the message for an axis that a tensor does not have; None if it has the axis."""
    if 0 <= axis < len(extents):
        return None
    have = f"the axes 0 to {len(extents) - 1}" if extents else "no axes"
    shape = ", ".join(map(str, extents))
    return f"{what} has no axis {axis}: its shape [{shape}] has {have}"


def extents_of(value: ElaboratedValue) -> list[Integer] | None:
    """Return the extents of a tensor; None if its shape is unknown."""
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    if tensor is None or tensor.shape is None:
        return None
    found = [each for each in tensor.shape if isinstance(each, Integer)]
    return found if len(found) == len(tensor.shape) else None


def _nodes(written: nodes.Expression | None, count: int) -> Sequence[nodes.Expression | None]:
    """Return the items of a written list or tuple; None for each if they do not stand in the statement."""
    if isinstance(written, nodes.Array | nodes.Tuple) and len(written.items) == count:
        return written.items
    return [None] * count


def _names_read(body: nodes.Definition) -> frozenset[str]:
    """Return the names that statements of a fragment read, and its results that no statement assigns."""
    assignments = [each for entry in body.body or () for each in entry.statements if isinstance(each, nodes.Assignment)]
    read = {
        node.text
        for each in assignments
        for node in (each.value, *descendants(each.value))
        if isinstance(node, nodes.Identifier)
    }
    return frozenset(read | {each.name.text for each in body.head.results})


def _count_of(target: nodes.Expression | None) -> int:
    return len(target.items) if isinstance(target, nodes.Array | nodes.Tuple) else 1


def _example(name: str) -> str:
    return {
        "scan": '("x_t", x, 1, 1)',
        "full": '("w", w)',
        "state": '("h", h0, "h_next")',
        "output": '("y_t", "full", 1, 1)',
    }[name]


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _renaming(row: _Row, at: int, close: Sequence[str]) -> Repair | None:
    """Return the repair that writes another text between the quotes of a part."""
    span = row.spans[at]
    if not close or not row.is_written or span == row.span:
        return None
    return Repair(f"Write '{close[0]}'", (Edit(Span(span.start + 1, span.end - 1), close[0]),), safe=False)
