"""Enabled rules and their severities: the command line overrides the configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules

if TYPE_CHECKING:
    from snd_analysis.base import Diagnostic, Rule, Severity

_T = TypeVar("_T")

ALL = "all"


class UnknownRuleError(Exception):
    """A name that no rule has."""

    def __init__(self, name: str, suggestion: str | None) -> None:
        super().__init__(f"there is no rule '{name}'" + (f"; did you mean '{suggestion}'?" if suggestion else ""))


class RuleSettings(Struct, frozen=True):
    """One layer of choices; a rule's own name outweighs ``all`` within a layer, a later layer an earlier one.

    ``select`` of None leaves the choice to the layer below; ``ignore`` outweighs ``select``.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    warn: tuple[str, ...] = ()

    def names(self) -> Iterable[str]:
        """Return every rule name that occurs."""
        return (*(self.select or ()), *self.ignore, *self.error, *self.warn)

    def enables(self, rule: str) -> bool | None:
        """Return whether this layer wants the rule reported; None if it has no opinion."""
        if rule in self.ignore:
            return False
        if self.select is not None and rule in self.select:
            return True
        if ALL in self.ignore:
            return False
        return None if self.select is None else ALL in self.select

    def severity(self, rule: str) -> Severity | None:
        """Return the severity this layer gives the rule; None if it has no opinion."""
        from snd_analysis.base import Severity

        for name in (rule, ALL):
            if name in self.error:
                return Severity.ERROR
            if name in self.warn:
                return Severity.WARNING
        return None


def selected(diagnostics: Iterable[Diagnostic], layers: Sequence[RuleSettings]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics whose rules are on, with the severity from the last layer that sets one."""

    def is_on(rule: Rule) -> bool:
        return rule == rules.INTERNAL_ERROR or _last(layers, lambda layer: layer.enables(rule.name), True)

    def severity(diagnostic: Diagnostic) -> Severity:
        return _last(layers, lambda layer: layer.severity(diagnostic.rule.name), diagnostic.severity)

    return tuple(replace(found, severity=severity(found)) for found in diagnostics if is_on(found.rule))


def demand_known(names: Iterable[str]) -> None:
    """Raise UnknownRuleError for the first name that is neither a rule nor ``all``."""
    wanted = [name for name in names if name != ALL]
    if not wanted:
        return
    from snd_analysis.rules import catalogue

    known = catalogue.names()
    for name in wanted:
        if name not in known:
            raise UnknownRuleError(name, nearest(name, known))


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that ``name`` was most likely meant to be."""
    from snd_analysis.skriptnd.syntax import close_matches

    return next(iter(close_matches(name, candidates, most=1)), None)


def _last(layers: Sequence[RuleSettings], opinion: Callable[[RuleSettings], _T | None], default: _T) -> _T:
    verdicts = (opinion(layer) for layer in reversed(layers))
    return next((verdict for verdict in verdicts if verdict is not None), default)
