"""Conditions on the data of tensors, without which an operator of a format has no meaning.

The language has assertions about shapes and attributes only. Demands of a format on elements (`REQUIRE` in TOSA, 32
bits in CVM) are checked beside the evaluation of its operators. Runs without such operators do not load this package.
"""

from __future__ import annotations

from importlib import import_module

from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.conditions.condition import Conditions, OperatorRun, Violation, demand, stored

__all__ = ["Conditions", "OperatorRun", "Violation", "conditions_of", "demand", "stored"]

_MODULES = {"snd:tosa": "tosa", "snd:cvm": "cvm"}


def conditions_of(name: OperatorName) -> Conditions | None:
    """Return the conditions on the elements of an operator's tensors; None if there are none."""
    module = _MODULES.get(name.path)
    if module is None:
        return None
    found: Conditions | None = import_module(f"snd_runtime.conditions.{module}").CONDITIONS.get(name.name)
    return found
