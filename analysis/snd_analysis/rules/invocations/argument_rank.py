from __future__ import annotations

from snd_analysis.base import Rule

ARGUMENT_RANK = Rule("argument-rank", section="2.6")


def outside_axis(axis: object, operator: str, tensor: str, rank: int) -> str:
    """Return the message for an attribute 'axis' of ``operator`` that is no dimension of ``tensor``."""
    dimensions = {0: "no dimensions", 1: "dimension 0 only", 2: "dimensions 0 and 1"}.get(rank)
    return f"'axis' of '{operator}' is {axis}, but '{tensor}' has {dimensions or f'dimensions 0 to {rank - 1}'}"
