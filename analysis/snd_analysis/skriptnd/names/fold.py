"""The fold over the statements of a block: what is found out about a statement lasts through edits of others.

After an edit of one line the others are read as the same nodes, and their names mean the same (``part.py``). What a
pass over the statements (typing, composing) finds out about one depends on what it found out about the symbols that the
statement names: if that is as before, so is the result. Rows of statements are looked at as one first, and their
statements only where something that a row depends on is not as it was. So an edit costs what follows from it, and a
look at each other row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Generic, Protocol, TypeVar

from snd_analysis.skriptnd.names.part import Part
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.syntax import nodes

# While somebody types, a name stands for something, then for nothing, then for what it did: two states by turns.
_MOST_VERSIONS = 2

Result = TypeVar("Result")


class Pass(Protocol[Result]):
    """One pass over statements. It knows what they have added so far."""

    def given(self, part: Part) -> object | None:
        """Return all that the result for a statement, or a row of them, depends on; None if it may not last."""

    def add(self, known: Result) -> bool:
        """Add a known result, or return that it can't be added, since more is to be said now."""

    def run(self, part: Part) -> None:
        """Work a statement out, of which nothing lasts."""

    def work_out(self, part: Part, versions: tuple[Result, ...]) -> Result | None:
        """Work a statement out and return what it has added; None if something was said of it, which does not last.

        ``versions`` are the results for the same statement where something else was given.
        """

    def together(self, found: Sequence[Result]) -> Result:
        """Return what the statements of a row have added."""


class Known(Generic[Result]):
    """What a pass knows of statements and rows of them, by their names and by what was given.

    Since that decides the result, it holds in any state of the files. ``forget`` lets go of statements that are gone.
    """

    __slots__ = ("_results",)

    def __init__(self) -> None:
        self._results: dict[Part, tuple[tuple[object, Result], ...]] = {}

    def find(self, part: Part, given: object) -> Result | None:
        """Return the result for a statement; None if it is not known."""
        for before, result in self._results.get(part, ()):
            if before == given:
                return result
        return None

    def versions(self, part: Part) -> tuple[Result, ...]:
        """Return the results for a statement with whatever was given, the latest first."""
        return tuple(result for _, result in self._results.get(part, ()))

    def learn(self, part: Part, given: object, result: Result) -> None:
        """Keep a result."""
        self._results[part] = ((given, result), *self._results.get(part, ())[: _MOST_VERSIONS - 1])

    def forget(self, resolution: Resolution) -> None:
        """Let go of what belongs to no part of a definition as it is now, once that is the greater part."""
        rows = (*chain.from_iterable(resolution.rows.values()),)
        if len(self._results) > 2 * (len(resolution.parts) + len(rows)):
            known = self._results
            kept = chain(resolution.parts.values(), rows)
            self._results = {part: known[part] for part in kept if part in known}


def fold(part: Part, known: Known[Result] | None, step: Pass[Result]) -> Result | None:
    """Add what a statement, or a row of them, adds: as it is ``known``, or worked out.

    Return it if it may be used again. Where nothing is to last, ``known`` is None.
    """
    if known is None:
        for each in part.single:
            step.run(each)
        return None
    if len(part.single) == 1:
        (part,) = part.single
    given = step.given(part)
    found = None if given is None else known.find(part, given)
    if found is not None and step.add(found):
        return found
    if len(part.single) > 1:
        each_found = [fold(each, known, step) for each in part.single]
        results = [each for each in each_found if each is not None]
        result = step.together(results) if given is not None and len(results) == len(each_found) else None
    elif given is None:
        step.run(part)
        result = None
    else:
        result = step.work_out(part, known.versions(part))
    if result is not None:
        known.learn(part, given, result)
    return result


def is_ambiguous(resolution: Resolution, part: Part) -> bool:
    """Return whether a statement declares or names a symbol whose name another one bears as well."""
    ambiguous = resolution.ambiguous
    return bool(ambiguous) and not (ambiguous.isdisjoint(part.symbols) and ambiguous.isdisjoint(part.given))


def is_long(definition: nodes.Definition) -> bool:
    """Return whether a definition has a block long enough for its statements to be kept.

    In shorter ones, keeping them costs as much as working them out again.
    """
    return any(isinstance(block, nodes.Block) and block.entries.is_long for block in definition.blocks)
