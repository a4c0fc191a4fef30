"""Rules about the text itself; ``snd_analysis.syntax`` checks them (2.4, 2.16)."""

from __future__ import annotations

from snd_analysis.diagnostics import Severity
from snd_analysis.rules.rule import Rule

SYNTAX_ERROR = Rule(
    name="syntax-error",
    summary="",
    why="",
    bad="",
    good="",
    section="2.16",
)

UNCLOSED_BRACKET = Rule(
    name="unclosed-bracket",
    summary="",
    why="",
    bad="",
    good="",
    section="2.16",
)

UNCLOSED_STRING = Rule(
    name="unclosed-string",
    summary="",
    why="",
    bad="",
    good="",
    section="2.4",
)

ILLEGAL_CHARACTER = Rule(
    name="illegal-character",
    summary="",
    why="",
    bad="",
    good="",
    section="2.4",
)

MALFORMED_NUMBER = Rule(
    name="malformed-number",
    summary="",
    why="",
    bad="",
    good="",
    section="2.4",
)

MALFORMED_FORMAT = Rule(
    name="malformed-format",
    summary="",
    why="",
    bad="",
    good="",
    section="2.4",
)

INVALID_ESCAPE = Rule(
    name="invalid-escape",
    summary="",
    why="",
    bad="",
    good="",
    section="2.4",
    severity=Severity.WARNING,
)

KEYWORD_AS_NAME = Rule(
    name="keyword-as-name",
    summary="",
    why="",
    bad="",
    good="",
    section="2.16",
)

NESTING_TOO_DEEP = Rule(
    name="nesting-too-deep",
    summary="",
    why="",
    bad="",
    good="",
    section="tool",
)

INVALID_ENCODING = Rule(
    name="invalid-encoding",
    summary="",
    why="",
    bad="",
    good="",
    section="tool",
)

UNREADABLE_FILE = Rule(
    name="unreadable-file",
    summary="",
    why="",
    bad="",
    good="",
    section="tool",
)
