"""Rules that only a run can break. No check reports them, so they have no pages and can't be configured."""

from __future__ import annotations

from snd_analysis.base import Rule
from snd_analysis.compose.formulas import LIMIT_EXCEEDED, UNKNOWN_VALUE

ARGUMENT_TYPE = Rule("argument-type", section="tool")
ARGUMENT_VALUE = Rule("argument-value", section="tool")
DECOMPOSITION_DIFFERS = Rule("decomposition-differs", section="2.2")
EXTENT_BOUND = Rule("extent-bound", section="tool")
EXTENT_CONFLICT = Rule("extent-conflict", section="tool")
NO_EVALUATION = Rule("no-evaluation", section="tool")
REAL_OVERFLOW = Rule("real-overflow", section="tool")
UNPREDICTABLE = Rule("unpredictable", section="tool")
UNWRITTEN_ELEMENT = Rule("unwritten-element", section="2.12")
VARIABLE_VALUE = Rule("variable-value", section="tool")
WRITTEN_TWICE = Rule("written-twice", section="2.12")

__all__ = [
    "ARGUMENT_TYPE",
    "ARGUMENT_VALUE",
    "DECOMPOSITION_DIFFERS",
    "EXTENT_BOUND",
    "EXTENT_CONFLICT",
    "LIMIT_EXCEEDED",
    "NO_EVALUATION",
    "REAL_OVERFLOW",
    "UNKNOWN_VALUE",
    "UNPREDICTABLE",
    "UNWRITTEN_ELEMENT",
    "VARIABLE_VALUE",
    "WRITTEN_TWICE",
]
