"""Rules that only a run can break. No check reports them, so they have no pages and can't be configured."""

from __future__ import annotations

from snd_analysis.base import Rule

ARGUMENT_TYPE = Rule("argument-type", section="tool")
ARGUMENT_VALUE = Rule("argument-value", section="tool")
DECOMPOSITION_DIFFERS = Rule("decomposition-differs", section="2.2")
EXTENT_BOUND = Rule("extent-bound", section="tool")
EXTENT_CONFLICT = Rule("extent-conflict", section="tool")
INT_OVERFLOW = Rule("int-overflow", section="tool")
LIMIT_EXCEEDED = Rule("limit-exceeded", section="tool")
NO_EVALUATION = Rule("no-evaluation", section="tool")
REAL_OVERFLOW = Rule("real-overflow", section="tool")
UNKNOWN_VALUE = Rule("unknown-value", section="tool")
VARIABLE_VALUE = Rule("variable-value", section="tool")
