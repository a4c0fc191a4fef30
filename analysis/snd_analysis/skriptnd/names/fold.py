"""The fold over the statements of a block: the result of a statement is kept through edits of other statements.

After an edit of one line the others are read as the same nodes, and their names mean the same (``part.py``). The result
of a pass over the statements (typing, composing) for one statement depends on the results for the symbols that the
statement names: if those are unchanged, so is the result. The fold keeps the set of symbols whose results differ from
the last run. It reuses a row that names none of these, so the cost of an edit depends on its consequences, and hardly
on the number of other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from snd_analysis.skriptnd.limits import MOST_VERSIONS
from snd_analysis.skriptnd.names.part import StatementPart
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.syntax import nodes


class Added(Protocol):
    """The additions of a statement or a row of statements."""

    @property
    def changed(self) -> Set[Hashable]:
        """Return the symbols with new facts."""


Result = TypeVar("Result", bound=Added)


class Pass(Protocol[Result]):
    """One pass over statements. It knows their additions so far."""

    def may_last(self, part: StatementPart) -> bool:
        """Return whether a statement or a row may reuse its result if nothing that it names has changed."""

    def given(self, part: StatementPart) -> object | None:
        """Return everything that the result for a statement depends on; None if the result must not be kept."""

    def add(self, known: Result) -> bool:
        """Add a known result; return False if it can't be added, because the statement now has problems of its own."""

    def run(self, part: StatementPart) -> None:
        """Evaluate a statement that has no reusable result."""

    def work_out(self, part: StatementPart, versions: tuple[Result, ...]) -> tuple[Result, bool]:
        """Evaluate a statement.

        Return its additions, and whether they may be reused, which they may not after a message. ``versions`` are the
        results for the same statement with other inputs.
        """

    def together(self, found: Sequence[Result]) -> Result:
        """Return the combined additions of the statements of a row."""


class _Run(Struct, frozen=True):
    """The result of a row in a run."""

    results: tuple[tuple[Any, bool], ...]
    """Results of the statements of the row, each with True if it may be reused."""
    together: Any
    """All results combined; None if one of them may not be reused."""


class _Versions(dict["StatementPart", "tuple[tuple[object, Any], ...]"]):
    """Results of statements or rows, by their given facts, the latest first."""

    def find(self, part: StatementPart, given: object) -> Any:
        """Return the result for equal inputs; None if it is not known."""
        for before, found in self.get(part, ()):
            if before == given:
                return found
        return None

    def all_of(self, part: StatementPart) -> tuple[Any, ...]:
        """Return the results for all inputs."""
        return tuple(found for _, found in self.get(part, ()))

    def learn(self, part: StatementPart, given: object, found: Any) -> None:
        """Keep a result."""
        self[part] = ((given, found), *self.get(part, ())[: MOST_VERSIONS - 1])

    def forget(self, there: Iterable[StatementPart], count: int) -> None:
        """Let go of all but the ``count`` parts that are there, once that is the greater part."""
        if len(self) > 2 * count:
            kept = {part: self[part] for part in there if part in self}
            self.clear()
            self.update(kept)


class PassResults:
    """Results of passes for statements and rows, by name and given facts, and for the rows of the last run.

    The given facts determine the result, so it holds in any state of the files. ``forget`` drops statements that are
    gone.
    """

    __slots__ = ("last", "outside", "rows", "statements")

    def __init__(self) -> None:
        self.statements = _Versions()
        self.rows = _Versions()
        """The ``_Run`` of rows: a changed name costs a check of each later row, not of each statement."""
        self.last: dict[str, dict[StatementPart, _Run]] = {}
        """Results of the last run, by block."""
        self.outside: dict[str, Mapping[Hashable, object]] = {}
        """Facts that ``Fold.give`` received in the last run."""

    def forget(self, resolution: Resolution) -> None:
        """Drop results of statements that are not in the current definition, once these are the majority."""
        rows = resolution.all_rows
        self.rows.forget(rows, len(rows))
        statements = chain.from_iterable(row.single for row in rows)
        self.statements.forget(statements, sum(len(row.single) for row in rows))


class PassFold:
    """A run of passes over the blocks of a definition. Where nothing is to last, ``known`` is None."""

    def __init__(self, known: PassResults | None) -> None:
        self._known = known
        self._differing: set[Hashable] | None = set()
        """Symbols whose facts differ from those of the last run; None if the difference is unknown."""
        self._outside: Mapping[str, Mapping[Hashable, object]] = {}
        self._rows: Mapping[str, Mapping[StatementPart, _Run]] = {}
        if known is not None:
            self._outside, known.outside = known.outside, {}
            self._rows, known.last = known.last, {}

    def give(self, stage: str, outside: Callable[[], Mapping[Hashable, object]]) -> None:
        """Set the inputs of later statements except for other statements' additions, by symbols and operators."""
        if self._known is not None:
            given = self._known.outside[stage] = outside()
            if self._outside.get(stage) != given:
                self._differing = None

    def run(self, block: str, rows: Sequence[StatementPart], step: Pass[Result]) -> None:
        """Add the additions of the rows of a block, from earlier results or by evaluation."""
        known = self._known
        if known is None:
            for part in chain.from_iterable(row.single for row in rows):
                step.run(part)
            return
        last = self._rows.get(block, {})
        before = self._given_up(last, {*rows})
        found = known.last[block] = {}
        for row in rows:
            run = last.get(row)
            if run is None or run.together is None or not self._holds(row, step) or not step.add(run.together):
                if run is not None:
                    before.update(zip(row.single, run.results, strict=True))
                run = self._row(known, row, step, before)
            found[row] = run

    def _row(
        self,
        known: PassResults,
        row: StatementPart,
        step: Pass[Result],
        before: Mapping[StatementPart, tuple[Result, bool]],
    ) -> _Run:
        """Add the additions of a row that is new, or that names a symbol with changed facts."""
        given = step.given(row)
        run: _Run | None = None if given is None else known.rows.find(row, given)
        if run is not None and step.add(run.together):
            for part, (result, _) in zip(row.single, run.results, strict=True):
                self._note(before.get(part), result)
            return run
        results = tuple(self._part(known, part, step, before.get(part)) for part in row.single)
        if not all(lasts for _, lasts in results):
            return _Run(results, None)
        run = _Run(results, step.together([result for result, _ in results]))
        if given is not None:
            known.rows.learn(row, given, run)
        return run

    def _given_up(
        self, last: Mapping[StatementPart, _Run], rows: Set[StatementPart]
    ) -> dict[StatementPart, tuple[Any, bool]]:
        """Return the results of the statements of rows that are gone."""
        gone = (row for row in last if row not in rows)
        before = {part: result for row in gone for part, result in zip(row.single, last[row].results, strict=True)}
        if self._differing is not None:
            there = {part for row in rows if row not in last for part in row.single}
            self._differing.update(*(result.changed for part, (result, _) in before.items() if part not in there))
        return before

    def _holds(self, part: StatementPart, step: Pass[Result]) -> bool:
        return self._differing is not None and self._differing.isdisjoint(part.depends_on) and step.may_last(part)

    def _part(
        self, known: PassResults, part: StatementPart, step: Pass[Result], before: tuple[Result, bool] | None
    ) -> tuple[Result, bool]:
        if before is not None and before[1] and self._holds(part, step) and step.add(before[0]):
            return before
        found = _found(known, part, step)
        self._note(before, found[0])
        return found

    def _note(self, before: tuple[Result, bool] | None, found: Result) -> None:
        if self._differing is not None and (before is None or before[0] is not found):
            self._differing.update(found.changed, () if before is None else before[0].changed)


def _found(known: PassResults, part: StatementPart, step: Pass[Result]) -> tuple[Result, bool]:
    given = step.given(part)
    found = None if given is None else known.statements.find(part, given)
    if found is not None and step.add(found):
        return found, True
    result, lasts = step.work_out(part, known.statements.all_of(part))
    if given is None or not lasts:
        return result, False
    known.statements.learn(part, given, result)
    return result, True


def is_ambiguous(resolution: Resolution, part: StatementPart) -> bool:
    """Return whether a statement declares or names a symbol with an ambiguous name."""
    ambiguous = resolution.ambiguous
    return bool(ambiguous) and not (ambiguous.isdisjoint(part.symbols) and ambiguous.isdisjoint(part.given))


def is_long(definition: nodes.Definition) -> bool:
    """Return whether a definition has a block long enough for its statements to be kept.

    In shorter ones, keeping them costs as much as working them out again.
    """
    return any(isinstance(block, nodes.Block) and block.entries.is_long for block in definition.blocks)
