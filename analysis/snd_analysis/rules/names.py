"""Rules about names; ``snd_analysis.names`` checks them (2.2 to 2.14)."""

from __future__ import annotations

from snd_analysis.diagnostics import Severity
from snd_analysis.rules.rule import Rule

UNDEFINED_NAME = Rule(
    name="undefined-name",
    summary="",
    why="",
    bad="",
    good="",
    section="2.2",
)

NOT_VISIBLE = Rule(
    name="not-visible",
    summary="",
    why="",
    bad="",
    good="",
    section="2.2",
)

USED_BEFORE_DEFINITION = Rule(
    name="used-before-definition",
    summary="",
    why="",
    bad="",
    good="",
    section="2.10",
)

DUPLICATE_DEFINITION = Rule(
    name="duplicate-definition",
    summary="",
    why="",
    bad="",
    good="",
    section="2.2",
)

ASSIGNED_TWICE = Rule(
    name="assigned-twice",
    summary="",
    why="",
    bad="",
    good="",
    section="2.10",
)

ILLEGAL_ASSIGNMENT = Rule(
    name="illegal-assignment",
    summary="",
    why="",
    bad="",
    good="",
    section="2.11",
)

RESERVED_NAME = Rule(
    name="reserved-name",
    summary="",
    why="",
    bad="",
    good="",
    section="2.4",
)

UNKNOWN_MEMBER = Rule(
    name="unknown-member",
    summary="",
    why="",
    bad="",
    good="",
    section="2.4",
)

NOT_AFFINE = Rule(
    name="not-affine",
    summary="",
    why="",
    bad="",
    good="",
    section="2.6",
)

UNKNOWN_OPERATOR = Rule(
    name="unknown-operator",
    summary="",
    why="",
    bad="",
    good="",
    section="2.10",
)

UNKNOWN_MODULE = Rule(
    name="unknown-module",
    summary="",
    why="",
    bad="",
    good="",
    section="2.15",
)

PRIVATE_OPERATOR = Rule(
    name="private-operator",
    summary="",
    why="",
    bad="",
    good="",
    section="LANGUAGE",
)

NESTED_INVOCATION = Rule(
    name="nested-invocation",
    summary="",
    why="",
    bad="",
    good="",
    section="2.10",
)

UNUSED_SYMBOL = Rule(
    name="unused-symbol",
    summary="",
    why="",
    bad="",
    good="",
    section="tool",
    severity=Severity.HINT,
)
