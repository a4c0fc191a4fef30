"""The names on the left side of a statement, and the label that they imply (2.10, Labelling)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.skriptnd.syntax import nodes


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
