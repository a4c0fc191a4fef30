"""The registry of checks: functions with one signature that report the problems of a subject."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from snd_analysis.base import Problem

_Subject = TypeVar("_Subject")
_CHECKS: dict[type, list[Callable[[Any], Iterator[Problem]]]] = {}


def check_of(
    subject: type[_Subject],
) -> Callable[[Callable[[_Subject], Iterator[Problem]]], Callable[[_Subject], Iterator[Problem]]]:
    """Return a decorator that registers a check of all subjects of this type."""

    def register(check: Callable[[_Subject], Iterator[Problem]]) -> Callable[[_Subject], Iterator[Problem]]:
        _CHECKS.setdefault(subject, []).append(check)
        return check

    return register


def problems_of(subject: object) -> Iterator[Problem]:
    """Yield the problems that the checks of this type of subject report, in the order of their registration."""
    for check in _CHECKS[type(subject)]:
        yield from check(subject)
