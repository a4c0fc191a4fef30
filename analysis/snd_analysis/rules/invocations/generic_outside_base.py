from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_OUTSIDE_BASE = Rule("generic-outside-base", section="2.13")

_ALLOWED = {"arith": "int, real or bool", "num": "int or real"}


def message(operator: str, generic: str, base: str, how: str, dtype: str) -> str:
    """Return the message for a type that a base does not allow; ``how`` introduces the type, as in "it is given as"."""
    allowed = _ALLOWED.get(base, "any type")
    return f"'{generic}: {base}' of '{operator}' can be {allowed}, but {how} {dtype}"
