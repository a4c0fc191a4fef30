"""Source text of loops that accumulate results in local variables and store them at the end.

A single sum is kept in a variable, adjacent sums in a row of scratch memory. A block of summands may be
added up in any order, so that the loop uses vectors. The rounding errors of adding the sums of blocks are kept and
added in the end, so the length of a sum costs no accuracy.
"""

from __future__ import annotations

from msgspec import Struct

from snd_runtime.lowering.limits import MOST_SUMMED


class FoldLines(Struct, frozen=True):
    """Lines of code around the loops of an accumulation."""

    before: tuple[str, ...]
    step: str
    """Line that accumulates a ``{value}``."""
    after: tuple[str, ...]
    before_block: tuple[str, ...] = ()
    """Lines before a block of the last loop, if that is divided into blocks."""
    after_block: tuple[str, ...] = ()
    functions: frozenset[str] = frozenset()
    """Names of the functions that the lines call."""
    first: tuple[str, ...] = ()
    """Lines before all loops."""

    @property
    def depth(self) -> int:
        """Return the number of additional loops around the last loop: 1 if it is split into blocks."""
        return 1 if self.before_block else 0

    def rows(self, begins: dict[str, str], index: str, length: str) -> list[str]:
        """Return the lines that begin the last loop; ``begins`` are parts of arrays without their last bracket."""
        if not self.before_block:
            return [*(f"{name} = {begin} :]" for name, begin in begins.items()), f"for {index} in range({length}):"]
        lines = [f"{name} = {begin} + b * {MOST_SUMMED} :]" for name, begin in begins.items()]
        lines += [*self.before_block, f"for {index} in range(min({MOST_SUMMED}, {length} - b * {MOST_SUMMED})):"]
        blocks = f"for b in range(({length} + {MOST_SUMMED - 1}) // {MOST_SUMMED}):"
        return [blocks, *(f"    {line}" for line in lines)]


def along_row(operator: str, dtype: str, target: str, zero: str) -> FoldLines:
    """Return how reals, ints or bools are accumulated in an element; ``zero`` is the name of a real."""
    if operator == "+=":
        exact = (*_ADDED, "e = e + ((s - (z - w)) + (a - w))", "s = z")
        end = ("z = s + e", f"{target} = z if e == e else s")  # e is NaN if a sum is infinite or NaN
        step = "a = added(a, {value})"
        return FoldLines((f"s = {target}", f"e = {zero}"), step, end, (f"a = {zero}",), exact, frozenset({"added"}))
    step, functions = combined(operator, dtype)
    return FoldLines((f"s = {target}",), f"s = {step.format('s', '{value}')}", (f"{target} = s",), functions=functions)


def side_by_side(array: str, place: str, index: str, extent: str) -> FoldLines:
    """Return how many reals are added to each real of a row, which begins at a place of an array."""
    added = (
        f"rows = {array}[{place} :]",
        f"for k in range({extent}):",
        *(f"    {line}" for line in ("s = rows[k]", "a = sums[k]", *_ADDED[:2])),
        "    lost[k] = lost[k] + ((s - (z - w)) + (a - w))",
        *("    rows[k] = z", "    sums[k] = 0"),
    )
    return FoldLines(
        ("sums[:] = 0", "lost[:] = 0", "count = 0"),
        f"sums[{index}] = sums[{index}] + {{value}}",
        (*added, f"for k in range({extent}):", "    if lost[k] == lost[k]: rows[k] = rows[k] + lost[k]"),
        after_block=("count += 1", f"if count == {MOST_SUMMED}:", *(f"    {line}" for line in (*added, "count = 0"))),
        first=tuple(f"{name} = np.zeros({extent}, {array}.dtype)" for name in ("sums", "lost")),
    )


def combined(operator: str, dtype: str) -> tuple[str, frozenset[str]]:
    """Return two accumulated values, as text, and the functions that the text calls."""
    if operator in _EXTREMES and dtype == "real":
        return f"{_EXTREMES[operator]}({{}}, {{}})", frozenset({_EXTREMES[operator]})
    return _COMBINED[operator], frozenset()


_ADDED = ("z = s + a", "w = z - s")
_EXTREMES = {"<?=": "smaller", ">?=": "larger"}
_COMBINED = {
    "+=": "{0} + {1}",
    "*=": "{0} * {1}",
    "&=": "{0} & {1}",
    "|=": "{0} | {1}",
    "<?=": "{1} if {1} < {0} else {0}",
    ">?=": "{1} if {1} > {0} else {0}",
}
STORED = frozenset({"=", ":=", *_COMBINED})
"""The operators of formulas that loops have."""
