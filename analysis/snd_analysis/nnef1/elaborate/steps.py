"""The entries of a graph in order. After an edit, only the affected entries are elaborated again.

A step keeps the result of its entry. It is reused if everything it depends on is unchanged: the names that its text
spells, the names of tensors that are free, the files and fragments that it uses. Anything that differs from the state
before is *dirty*. An edited entry with the same result leaves nothing dirty, so that the steps after it stay valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.base import Node, Problem, content_fields
from snd_analysis.model import Tensor
from snd_analysis.nnef1.elaborate.context import (
    ElaborationContext,
    FragmentCall,
    FragmentInvocation,
    Frame,
    Record,
    StoredVariable,
    SubmodelUse,
    Unproven,
)
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, ItemList
from snd_analysis.nnef1.limits import MOST_ITEMS_MADE, MOST_STATEMENTS
from snd_analysis.nnef1.names import assigned_names, spelled_names
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.syntax import nodes as flat_nodes

_Evaluate: TypeAlias = "Callable[[nodes.Entry], None]"


class ElaboratedEntry(Struct, frozen=True, eq=False):
    """The result of an entry of the graph that stood at ``origin``."""

    entry: nodes.Entry
    origin: int
    values: Mapping[str, ElaboratedValue]
    """The values that the entry assigns."""
    record: Record


class _Dirty(Struct):
    """Differences between the state and the one in which earlier steps were evaluated."""

    names: set[str] = field(default_factory=set)
    """Names whose values differ, symbols included."""
    taken: set[str] = field(default_factory=set)
    """Names of tensors that became free, or were taken."""
    labels: set[str] = field(default_factory=set)
    """Labels, in small letters, of variables of other extents."""
    fragments: set[str] = field(default_factory=set)
    has_made: bool = False
    """True if other tensors of known items have an operation that makes them."""


class Walk:
    """Elaborates entries in order, with the steps of an earlier state of the file."""

    def __init__(self, context: ElaborationContext, frame: Frame, changed_fragments: Iterable[str]) -> None:
        self._context = context
        self._frame = frame
        self._dirty = _Dirty(fragments=set(changed_fragments))

    def run(
        self, evaluate: _Evaluate, entries: Sequence[nodes.Entry], before: Sequence[ElaboratedEntry]
    ) -> tuple[ElaboratedEntry, ...]:
        """Return the steps of all entries; their results are in the context and in the frame."""
        first = _common(zip(entries, before, strict=False))
        last = _common(zip(entries[first:][::-1], before[first:][::-1], strict=False))
        end, old_end = len(entries) - last, len(before) - last
        middle, old_middle = entries[first:end], before[first:old_end]
        steps = self._again(evaluate, entries[:first], before[:first])
        steps += self._changed(evaluate, middle, old_middle)
        steps += self._again(evaluate, entries[end:], before[old_end:])
        return tuple(steps)

    def _changed(
        self, evaluate: _Evaluate, entries: Sequence[nodes.Entry], before: Sequence[ElaboratedEntry]
    ) -> list[ElaboratedEntry]:
        steps: list[ElaboratedEntry] = []
        for at, entry in enumerate(entries):
            step = self._worked_out(evaluate, entry)
            steps.append(self._compared(before[at], step) if at < len(before) else self._compared(None, step))
        for step in before[len(entries) :]:
            self._compared(step, None)
        return steps

    # ---- steps -------------------------------------------------------------------------------------------------------
    def _again(
        self, evaluate: _Evaluate, entries: Sequence[nodes.Entry], before: Sequence[ElaboratedEntry]
    ) -> list[ElaboratedEntry]:
        """Return the steps of unchanged entries. Most stay valid, so an edit of a long graph spends its time here."""
        steps: list[ElaboratedEntry] = []
        apply, names = self._context.apply, self._frame.names
        for entry, step in zip(entries, before, strict=True):
            if not self._holds(step):
                steps.append(self._compared(step, self._worked_out(evaluate, entry)))
                continue
            names.update(step.values)
            apply(step.record)
            steps.append(
                step
                if entry.start == step.entry.start
                else ElaboratedEntry(entry, step.origin, step.values, step.record)
            )
        return steps

    def _worked_out(self, evaluate: _Evaluate, entry: nodes.Entry) -> ElaboratedEntry:
        context, names = self._context, self._frame.names
        record = context.begin_record()
        evaluate(entry)
        values = {name: names[name] for name in assigned_names(entry) if name in names}
        return ElaboratedEntry(entry, entry.start, values, record)

    def _holds(self, step: ElaboratedEntry) -> bool:
        dirty, record = self._dirty, step.record
        if not record.is_lasting or (dirty.has_made and record.uses_made):
            return False
        if dirty.names and not dirty.names.isdisjoint(spelled_names(step.entry)):
            return False
        if dirty.taken and not dirty.taken.isdisjoint(name for pair in record.taken for name in pair):
            return False
        if dirty.labels and not dirty.labels.isdisjoint(label for label, _ in record.labels):
            return False
        used = dirty.fragments
        if used and not (used.isdisjoint(record.fragments) and used.isdisjoint(spelled_names(step.entry))):
            return False
        for label, known in record.files:
            found = self._context.files.tensor_file(label)
            if found is not known and found != known:
                return False
        for label, text in record.resources:
            if self._context.files.resource(label) != text:
                return False
        for use in record.submodels:
            if self._context.files.submodel(use.folder, use.label) != use.submodel:
                return False
        statements, items = record.statements, record.items_made
        return (
            self._context.statements + statements <= MOST_STATEMENTS
            and self._context.items_made + items <= MOST_ITEMS_MADE
        )

    def _compared(self, old: ElaboratedEntry | None, new: ElaboratedEntry | None) -> ElaboratedEntry:
        """Mark the differences after a step as dirty; return the step with unchanged values taken from before."""
        dirty = self._dirty
        one, other = (None if step is None else step.record for step in (old, new))
        values: dict[str, ElaboratedValue] = {}
        old_values: Mapping[str, ElaboratedValue] = {} if old is None else old.values
        new_values: Mapping[str, ElaboratedValue] = {} if new is None else new.values
        for name in {**old_values, **new_values}:
            if name in old_values and name in new_values and _is_same(old_values[name], new_values[name]):
                values[name] = old_values[name]
                dirty.names.discard(name)
            else:
                dirty.names.add(name)
                if name in new_values:
                    values[name] = new_values[name]
        self._frame.names.update(values)
        old_symbols, new_symbols = ({} if each is None else each.symbols for each in (one, other))
        dirty.names |= old_symbols.keys() ^ new_symbols.keys()
        dirty.taken |= _taken(one) ^ _taken(other)
        dirty.labels |= {label for label, _ in _labels(one) ^ _labels(other)}
        dirty.has_made |= any(each is not None and each.made for each in (one, other))
        if new is None:
            assert old is not None
            return old
        found = replace(new, values={name: values[name] for name in new.values})
        if old is not None:
            return replace(found, record=with_same_nodes(old.record, new.record))
        return found


def _common(pairs: Iterable[tuple[nodes.Entry, ElaboratedEntry]]) -> int:
    count = 0
    for entry, step in pairs:
        if entry.statements is not step.entry.statements:
            break
        count += 1
    return count


def _taken(record: Record | None) -> set[str]:
    return set() if record is None else {got for _, got in record.taken}


def _labels(record: Record | None) -> set[tuple[str, tuple[int, ...]]]:
    return set() if record is None else set(record.labels)


def _is_same(one: ElaboratedValue, other: ElaboratedValue) -> bool:
    match one, other:
        case GraphTensor(), GraphTensor():
            return (
                one.name == other.name
                and _is_same_tensor(one.tensor, other.tensor)
                and (one.known, one.narrow) == (other.known, other.narrow)
            )
        case ItemList(), ItemList():
            return (
                one.is_tuple == other.is_tuple
                and len(one.values) == len(other.values)
                and all(map(_is_same, one.values, other.values))
            )
        case float(), float():
            return repr(one) == repr(other)
    return type(one) is type(other) and one == other


def _is_same_tensor(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.name, one.dtype, one.shape, one.kind) == (other.name, other.dtype, other.shape, other.kind)


# ---- results of the steps --------------------------------------------------------------------------------------------
def flat_entries(steps: Iterable[ElaboratedEntry]) -> Iterator[tuple[str, flat_nodes.Entry]]:
    """Yield the entries of the graph with their blocks, where they stand now."""
    for step in steps:
        now, origin = step.entry.start, step.origin
        for block, entry in step.record.entries:
            if now != origin and entry.start == origin:
                entry = flat_nodes.Entry(now, now + entry.statement.end, entry.statement)
            yield block, entry


def problems_of(steps: Iterable[ElaboratedEntry]) -> Iterator[tuple[Problem, bool]]:
    """Yield each problem as often as it was found, and whether its place is in the graph itself."""
    for step in steps:
        distance = step.entry.start - step.origin
        for problem, is_own in step.record.problems:
            if is_own or not distance:
                yield problem.shifted(distance), is_own
            else:  # in a fragment, which has not moved, and is invoked by the entry, which has
                yield replace(problem, notes=(*problem.notes[:-1], problem.notes[-1].shifted(distance))), is_own


def unproven_of(steps: Iterable[ElaboratedEntry]) -> Iterator[Unproven]:
    """Yield the equations that nothing says, where they are needed now."""
    for step in steps:
        distance = step.entry.start - step.origin
        for each, is_own in step.record.unproven:
            if is_own or not distance:
                yield replace(each, span=each.span.shifted(distance)) if distance else each
            else:
                first = replace(each.chain[0], span=each.chain[0].span.shifted(distance))
                yield replace(each, chain=(first, *each.chain[1:]))


def submodels_of(steps: Iterable[ElaboratedEntry]) -> Iterator[SubmodelUse]:
    """Yield the submodels that are invoked, where they are named now."""
    for step in steps:
        distance = step.entry.start - step.origin
        for use in step.record.submodels:
            yield replace(use, span=use.span.shifted(distance)) if use.is_own and distance else use


def variables_of(steps: Iterable[ElaboratedEntry]) -> Iterator[StoredVariable]:
    """Yield the variables of the graph."""
    for step in steps:
        distance = step.entry.start - step.origin
        for variable, is_own in step.record.variables:
            yield replace(variable, span=variable.span.shifted(distance)) if is_own and distance else variable


def chains_of(steps: Iterable[ElaboratedEntry]) -> Iterator[tuple[flat_nodes.Node, tuple[FragmentInvocation, ...]]]:
    """Yield the statements of fragments with the invocations that led to them."""
    for step in steps:
        distance = step.entry.start - step.origin
        for node, chain in step.record.chains:
            first = replace(chain[0], span=chain[0].span.shifted(distance)) if distance else chain[0]
            yield node, (first, *chain[1:])


def calls_of(steps: Iterable[ElaboratedEntry]) -> Iterator[FragmentCall]:
    """Yield the invocations of fragments by the graph."""
    for step in steps:
        distance = step.entry.start - step.origin
        for call in step.record.calls:
            yield replace(call, place=replace(call.place, span=call.place.span.shifted(distance))) if distance else call


def with_same_nodes(old: Record, new: Record) -> Record:
    """Return a record that reuses earlier statements that are alike, so that facts known about them stay known."""
    if len(old.entries) != len(new.entries):
        return new
    same: dict[flat_nodes.Node, flat_nodes.Statement] = {}
    entries: list[tuple[str, flat_nodes.Entry]] = []
    for (block, before), (now, entry) in zip(old.entries, new.entries, strict=True):
        if block == now and _are_alike(before.statement, entry.statement):
            same[entry.statement] = before.statement
            entries.append((now, flat_nodes.Entry(entry.start, entry.end, before.statement)))
        else:
            entries.append((now, entry))
    return replace(new, entries=entries, chains=[(same.get(node, node), chain) for node, chain in new.chains])


def _are_alike(one: object, other: object) -> bool:
    if isinstance(one, Node) and isinstance(other, Node):
        kind = type(one)
        names = ("start", "end", *content_fields(kind))
        return kind is type(other) and all(_are_alike(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_are_alike, one, other))
    return type(one) is type(other) and one == other
