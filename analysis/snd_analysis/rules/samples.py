"""Rules about samples in comments."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.base import Rule, Severity

EQUAL_BY_ACCIDENT = Rule("equal-by-accident", section="tool", severity=Severity.HINT)
RAGGED_TENSOR = Rule("ragged-tensor", section="tool")
SAMPLE_DIFFERS = Rule("sample-differs", section="tool")
SAMPLE_FAILS = Rule("sample-fails", section="tool")
SAMPLE_RESULT_SHAPE = Rule("sample-result-shape", section="tool")
SAMPLE_SYNTAX = Rule("sample-syntax", section="tool")
SAMPLE_WITHOUT_RESULT = Rule("sample-without-result", section="tool", severity=Severity.WARNING)


def accidental_equality(operator: str, equalities: Sequence[tuple[str, str | int]], number: int) -> str:
    """Return the message about an invocation that needs sizes to be equal, to each other or to numbers.

    ``number`` is the first size in the sample.
    """
    needed = [
        f"'{first}' to be {second}" if isinstance(second, int) else f"'{first}' and '{second}' to be equal"
        for first, second in equalities
    ]
    if len(needed) > 1:
        shown = "the sample has such sizes"
    else:
        shown = (
            f"it is {number} in the sample" if isinstance(equalities[0][1], int) else f"both are {number} in the sample"
        )
    return f"'{operator}' needs {', and '.join(needed)}, which nothing states: {shown}"
