"""Every rule there is, collected from the modules of this package (invariant 9)."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from snd_analysis.base.diagnostics import Severity
from snd_analysis.skriptnd import lints as rules
from snd_analysis.skriptnd.lints.rule import Rule


@cache
def catalogue() -> Mapping[str, Rule]:
    """All rules by name, in alphabetical order."""
    # The modules are imported here, not above: they hold checks, too, and some of what these need asks for severities.
    families = [import_module(f"{rules.__name__}.{module.name}") for module in pkgutil.iter_modules(rules.__path__)]
    declared = [value for family in families for value in vars(family).values() if isinstance(value, Rule)]
    return {rule.name: rule for rule in sorted(declared, key=lambda rule: rule.name)}


def severity_of(name: str) -> Severity:
    """The default severity of a rule. Raises KeyError for a rule that nobody declared."""
    return catalogue()[name].severity
