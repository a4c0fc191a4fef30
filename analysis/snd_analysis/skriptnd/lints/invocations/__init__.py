"""Rules about invocations of operators of the library that mean something else than many readers expect."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem
from snd_analysis.skriptnd.lints.invocations import negative_stack_axis
from snd_analysis.skriptnd.names import Resolution


def check_invocations(resolution: Resolution) -> Iterator[Problem]:
    """Report surprising invocations in a definition. Spans count from its chunk."""
    yield from negative_stack_axis.check(resolution)
