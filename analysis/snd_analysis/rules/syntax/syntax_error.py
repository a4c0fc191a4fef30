from __future__ import annotations

from snd_analysis.base import Edit, Repair, Rule

SYNTAX_ERROR = Rule("syntax-error", section="2.16")

_IN_BRACES = "write attributes in braces"


def in_braces(edit: Edit) -> Repair:
    """Return the repair of named arguments, which is right if the operator has attributes of these names."""
    return Repair(_IN_BRACES, (edit,), safe=False)


def is_in_braces(repair: Repair) -> bool:
    """Return whether a repair takes named arguments for attributes."""
    return repair.title == _IN_BRACES
