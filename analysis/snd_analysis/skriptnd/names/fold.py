"""The fold over the statements of a block: what is found out about a statement lasts through edits of others.

After an edit of one line the others are read as the same nodes, and their names mean the same (``part.py``). What a
pass over the statements (typing, composing) finds out about one depends on what it found out about what the statement
names: if that is as before, so is the result. The fold keeps account of the names of which something else was found out
than in the last run. A row that names none of these is taken as it was, so an edit costs what follows from it, and next
to nothing for each other row.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from itertools import chain
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from snd_analysis.skriptnd.names.part import Part
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.syntax import nodes

# While somebody types, a name stands for something, then for nothing, then for what it did: two states by turns.
_MOST_VERSIONS = 2


class Added(Protocol):
    """What a statement, or a row of them, has added."""

    @property
    def changed(self) -> Set[Hashable]:
        """The symbols of which something was found out."""


Result = TypeVar("Result", bound=Added)


class Pass(Protocol[Result]):
    """One pass over statements. It knows what they have added so far."""

    def may_last(self, part: Part) -> bool:
        """Return whether the result for a statement or a row may be what it was, if all that it names is as it was."""

    def given(self, part: Part) -> object | None:
        """Return all that the result for a statement depends on; None if it may not last."""

    def add(self, known: Result) -> bool:
        """Add a known result, or return that it can't be added, since more is to be said now."""

    def run(self, part: Part) -> None:
        """Work a statement out, of which nothing lasts."""

    def work_out(self, part: Part, versions: tuple[Result, ...]) -> tuple[Result, bool]:
        """Work a statement out and return what it has added, and whether that may last: not if something was said.

        ``versions`` are the results for the same statement where something else was given.
        """

    def together(self, found: Sequence[Result]) -> Result:
        """Return what the statements of a row have added."""


class _Run(Struct, frozen=True):
    """What was found out about a row in a run."""

    results: tuple[tuple[Any, bool], ...]
    """Those of its statements, and whether they may last."""
    together: Any
    """All of them; None if one may not last."""


class Known:
    """What passes know of statements, by their names and by what was given, and of the rows of the last run.

    Since that decides the result, it holds in any state of the files. ``forget`` lets go of statements that are gone.
    """

    __slots__ = ("_results", "outside", "rows")

    def __init__(self) -> None:
        self._results: dict[Part, tuple[tuple[object, Any], ...]] = {}
        self.rows: dict[str, dict[Part, _Run]] = {}
        """What the last run found out, by block."""
        self.outside: dict[str, Mapping[Hashable, object]] = {}
        """What ``Fold.give`` was told in the last run."""

    def find(self, part: Part, given: object) -> Any:
        """Return the result for a statement; None if it is not known."""
        for before, result in self._results.get(part, ()):
            if before == given:
                return result
        return None

    def versions(self, part: Part) -> tuple[Any, ...]:
        """Return the results for a statement with whatever was given, the latest first."""
        return tuple(result for _, result in self._results.get(part, ()))

    def learn(self, part: Part, given: object, result: Any) -> None:
        """Keep a result."""
        self._results[part] = ((given, result), *self._results.get(part, ())[: _MOST_VERSIONS - 1])

    def forget(self, resolution: Resolution) -> None:
        """Let go of what belongs to no part of a definition as it is now, once that is the greater part."""
        if len(self._results) > 2 * sum(len(row.single) for row in resolution.all_rows):
            known = self._results
            parts = chain.from_iterable(row.single for row in resolution.all_rows)
            self._results = {part: known[part] for part in parts if part in known}


class Fold:
    """A run of passes over the blocks of a definition. Where nothing is to last, ``known`` is None."""

    def __init__(self, known: Known | None) -> None:
        self._known = known
        self._differing: set[Hashable] | None = set()
        """The symbols of which something else was found out than in the last run; None if that is not told."""
        self._outside: Mapping[str, Mapping[Hashable, object]] = {}
        self._rows: Mapping[str, Mapping[Part, _Run]] = {}
        if known is not None:
            self._outside, known.outside = known.outside, {}
            self._rows, known.rows = known.rows, {}

    def give(self, stage: str, outside: Callable[[], Mapping[Hashable, object]]) -> None:
        """Tell all that is given to statements from now on, but what other statements add: by symbols and operators."""
        if self._known is not None:
            given = self._known.outside[stage] = outside()
            if self._outside.get(stage) != given:
                self._differing = None

    def run(self, block: str, rows: Sequence[Part], step: Pass[Result]) -> None:
        """Add what the rows of a block add: as it is known, or worked out."""
        known = self._known
        if known is None:
            for part in chain.from_iterable(row.single for row in rows):
                step.run(part)
            return
        last = self._rows.get(block, {})
        before = self._given_up(last, {*rows})
        found = known.rows[block] = {}
        for row in rows:
            run = last.get(row)
            if run is None or run.together is None or not self._holds(row, step) or not step.add(run.together):
                if run is not None:
                    before.update(zip(row.single, run.results, strict=True))
                results = tuple(self._part(known, part, step, before.get(part)) for part in row.single)
                lasts = all(lasts for _, lasts in results)
                run = _Run(results, step.together([result for result, _ in results]) if lasts else None)
            found[row] = run

    def _given_up(self, last: Mapping[Part, _Run], rows: Set[Part]) -> dict[Part, tuple[Any, bool]]:
        """The results of the statements of rows that are gone."""
        gone = (row for row in last if row not in rows)
        before = {part: result for row in gone for part, result in zip(row.single, last[row].results, strict=True)}
        if self._differing is not None:
            there = {part for row in rows if row not in last for part in row.single}
            self._differing.update(*(result.changed for part, (result, _) in before.items() if part not in there))
        return before

    def _holds(self, part: Part, step: Pass[Result]) -> bool:
        return self._differing is not None and self._differing.isdisjoint(part.depends_on) and step.may_last(part)

    def _part(
        self, known: Known, part: Part, step: Pass[Result], before: tuple[Result, bool] | None
    ) -> tuple[Result, bool]:
        if before is not None and before[1] and self._holds(part, step) and step.add(before[0]):
            return before
        found = _found(known, part, step)
        if self._differing is not None and (before is None or before[0] is not found[0]):
            self._differing.update(found[0].changed, () if before is None else before[0].changed)
        return found


def _found(known: Known, part: Part, step: Pass[Result]) -> tuple[Result, bool]:
    given = step.given(part)
    found = None if given is None else known.find(part, given)
    if found is not None and step.add(found):
        return found, True
    result, lasts = step.work_out(part, known.versions(part))
    if given is None or not lasts:
        return result, False
    known.learn(part, given, result)
    return result, True


def is_ambiguous(resolution: Resolution, part: Part) -> bool:
    """Return whether a statement declares or names a symbol whose name another one bears as well."""
    ambiguous = resolution.ambiguous
    return bool(ambiguous) and not (ambiguous.isdisjoint(part.symbols) and ambiguous.isdisjoint(part.given))


def is_long(definition: nodes.Definition) -> bool:
    """Return whether a definition has a block long enough for its statements to be kept.

    In shorter ones, keeping them costs as much as working them out again.
    """
    return any(isinstance(block, nodes.Block) and block.entries.is_long for block in definition.blocks)
