"""The rules, one per file, by which all packages report problems.

``rules.LOOP_COUNT`` is the rule that ``control_flow/loop_count.py`` declares. ``rules.loop_count`` is that file: it has
the messages that several phases report. A declaration is loaded on first use: a valid program breaks no rule, and
loading all declarations takes 15 ms. ``__init__.pyi`` lists the rules for type checkers; ``pytest --update-goldens``
writes it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from pkgutil import iter_modules
from types import ModuleType

from snd_analysis.base import Rule

__all__ = ["catalogue"]
"""Rules are not listed. Only code that explains rules or reads configurations needs the whole catalogue."""


def __getattr__(name: str) -> Rule | ModuleType:
    """Load the rule of this name, or its module. Raise AttributeError if no file declares it."""
    subjects = _subjects() if name.isupper() or name.islower() else ()
    for subject in subjects:
        declaring = f"{subject}.{name.lower()}"
        if PathFinder.find_spec(declaring, [f"{__path__[0]}/{subject.rpartition('.')[2]}"]) is not None:
            module = import_module(declaring)
            loaded = module if name.islower() else getattr(module, name)
            globals()[name] = loaded
            return loaded
    raise AttributeError(f"no rule is declared as {name}")


@cache
def _subjects() -> tuple[str, ...]:
    """Return the packages in this one. Their contents are looked up by name: to list them takes 4 ms."""
    return tuple(each.name for each in iter_modules(__path__, f"{__name__}.") if each.ispkg)
