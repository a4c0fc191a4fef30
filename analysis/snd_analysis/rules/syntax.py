"""Rules about the syntax of files."""

from __future__ import annotations

from snd_analysis.base import Edit, Repair, Rule, Severity

ILLEGAL_CHARACTER = Rule("illegal-character", section="2.4")
INVALID_ESCAPE = Rule("invalid-escape", section="2.4", severity=Severity.WARNING)
KEYWORD_AS_NAME = Rule("keyword-as-name", section="2.16")
MALFORMED_FORMAT = Rule("malformed-format", section="2.4")
MALFORMED_NUMBER = Rule("malformed-number", section="2.4")
NESTING_TOO_DEEP = Rule("nesting-too-deep", section="tool")
TOO_DEEP = "brackets or operators nest too deeply here"
SYNTAX_ERROR = Rule("syntax-error", section="2.16")
UNCLOSED_BRACKET = Rule("unclosed-bracket", section="2.16")
UNCLOSED_STRING = Rule("unclosed-string", section="2.4")

_IN_BRACES = "write attributes in braces"


def in_braces(edit: Edit) -> Repair:
    """Return the repair of named arguments, which is right if the operator has attributes of these names."""
    return Repair(_IN_BRACES, (edit,), safe=False)


def is_in_braces(repair: Repair) -> bool:
    """Return whether a repair takes named arguments for attributes."""
    return repair.title == _IN_BRACES
