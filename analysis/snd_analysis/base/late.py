"""Names of a package that are loaded when they are first used, since a start has no time for them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module


def loaded_when_used(package: str, *modules: str) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package that exports names of these modules without loading the modules.

    No module of the package may have one of these names: importing it would hide the exported object.
    """

    def load(name: str) -> object:
        found = sys.modules[package]
        if name in found.__all__:
            for module in modules:
                if hasattr(loaded := import_module(f"{package}.{module}"), name):
                    value: object = getattr(loaded, name)
                    setattr(found, name, value)
                    return value
        raise AttributeError(f"{package} has no {name}")

    return load
