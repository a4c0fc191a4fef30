"""Rules about branches and loops."""

from __future__ import annotations

from snd_analysis.base import Rule, Severity, counted

BRANCH_RANKS = Rule("branch-ranks", section="2.10.1")
BRANCH_RESULTS = Rule("branch-results", section="2.10.1")
BRANCH_TYPES = Rule("branch-types", section="2.10.1")
CARRIED_COUNT = Rule("carried-count", section="2.10.1")
CARRIED_TYPE = Rule("carried-type", section="2.10.1")
CONDITION_SHAPE = Rule("condition-shape", section="2.10.1")
CONDITION_TYPE = Rule("condition-type", section="2.10.1")
ENDLESS_LOOP = Rule("endless-loop", section="2.10.1")
LOOP_COUNT = Rule("loop-count", section="2.10.1")
MISSING_YIELD = Rule("missing-yield", section="2.10.1")
SCAN_LENGTHS = Rule("scan-lengths", section="2.10.1")
SHARED_VARIABLES = Rule("shared-variables", section="2.10.1", severity=Severity.WARNING)
TWO_CONDITIONS = Rule("two-conditions", section="2.10.1")
UNROLL_DYNAMIC = Rule("unroll-dynamic", section="2.10.1")
YIELD_NOT_LAST = Rule("yield-not-last", section="2.10.1")


def negative_count(count: object) -> str:
    """Return the message for a count below 0."""
    return f"a loop count can't be negative, but this is {count}"


def count_too_large(count: int, most: int) -> str:
    """Return the message for a count that no run would reach."""
    return f"a loop may have {most:,} iterations at most, but this is {count:,}"


def counts_too_far(count: object, length: object) -> str:
    """Return the message for a loop whose count exceeds the length of the packs that it scans."""
    return f"the loop counts to {count}, but the packs that it scans have only {counted(length, 'tensor')}"
