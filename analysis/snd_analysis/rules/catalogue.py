"""Every rule there is, collected from the modules that declare them (invariant 9)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType

from snd_analysis.diagnostics import Severity
from snd_analysis.rules import imports, names, structure, suppressions, syntax
from snd_analysis.rules.rule import Rule

_FAMILIES: tuple[ModuleType, ...] = (syntax, names, imports, structure, suppressions)


@cache
def catalogue() -> Mapping[str, Rule]:
    """All rules by name, in alphabetical order."""
    rules = [value for family in _FAMILIES for value in vars(family).values() if isinstance(value, Rule)]
    return {rule.name: rule for rule in sorted(rules, key=lambda rule: rule.name)}


def severity_of(name: str) -> Severity:
    """The default severity of a rule. Raises KeyError for a rule that nobody declared."""
    return catalogue()[name].severity
