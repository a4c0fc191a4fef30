"""The test that decides whether this package concerns a graph. Other graphs load nothing else."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.compose import Template

TOSA = "snd:tosa"
_PATHS = (TOSA, "snd:cvm")


def has_ranges(templates: Iterable[Template]) -> bool:
    """Return whether a graph reaches operators whose ranges have a meaning."""
    return any(each.name.path in _PATHS for each in templates)
