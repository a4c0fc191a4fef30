"""The test that decides whether this package concerns a graph. Other graphs load nothing else."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.compose import Template

TOSA = "snd:tosa"
_PATHS = (TOSA, "snd:cvm")


def has_ranges(templates: Iterable[Template]) -> bool:
    """Return whether there are operators among what a graph reaches whose ranges mean something."""
    return any(each.name.path in _PATHS for each in templates)
