"""The rules, one per file: what all packages report problems by.

``rules.LOOP_COUNT`` is the rule that ``control_flow/loop_count.py`` declares. ``rules.loop_count`` is that file: it has
the messages that several phases report. A declaration is loaded when it is first referred to: a valid program breaks no
rule, and loading all declarations takes 15 ms. ``__init__.pyi`` tells type checkers which rules there are;
``pytest --update-goldens`` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType

from snd_analysis.base import Rule

__all__ = ["catalogue"]
"""Rules are not listed. Nothing needs the catalogue of them all but what explains rules or reads configurations."""


def __getattr__(name: str) -> Rule | ModuleType:
    """Load the rule of this name, or its module. Raises AttributeError if no file declares it."""
    found = _declaring().get(name.lower())
    if found is None or not (name.isupper() or name.islower()):
        raise AttributeError(f"no rule is declared as {name}")
    module = import_module(found)
    loaded = module if name.islower() else getattr(module, name)
    globals()[name] = loaded
    return loaded


@cache
def _declaring() -> Mapping[str, str]:
    """Return the modules of this package by the last parts of their names."""
    from pkgutil import iter_modules  # not loaded as long as no rule is broken

    subjects = [each for each in iter_modules(__path__, f"{__name__}.") if each.ispkg]
    paths = [(f"{__path__[0]}/{each.name.rpartition('.')[2]}", f"{each.name}.") for each in subjects]
    modules = [module.name for path, prefix in paths for module in iter_modules([path], prefix)]
    return {module.rpartition(".")[2]: module for module in modules}
