from __future__ import annotations

from snd_analysis.base import Rule

ARGUMENT_SHAPE = Rule("argument-shape", section="2.6")


def tensors_differ(dimension: int, first: object, other: object, parameter: str, operator: str) -> str:
    """Return the message for a pack given to ``parameter`` whose tensors have different extents in one dimension."""
    return (
        f"the tensors differ in dimension {dimension}: {first} and {other}; "
        f"those of the input '{parameter}' of '{operator}' must agree there"
    )
