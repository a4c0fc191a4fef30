"""Rules about names: their declaration and their use."""

from __future__ import annotations

from snd_analysis.base import Rule

ASSIGNED_TWICE = Rule("assigned-twice", section="2.10")
DUPLICATE_DEFINITION = Rule("duplicate-definition", section="2.2")
ILLEGAL_ASSIGNMENT = Rule("illegal-assignment", section="2.11")
NOT_AFFINE = Rule("not-affine", section="2.6")
NOT_VISIBLE = Rule("not-visible", section="2.2")
RESERVED_NAME = Rule("reserved-name", section="2.4")
UNDEFINED_NAME = Rule("undefined-name", section="2.2")
UNKNOWN_MEMBER = Rule("unknown-member", section="2.4")
USED_BEFORE_DEFINITION = Rule("used-before-definition", section="2.10")
