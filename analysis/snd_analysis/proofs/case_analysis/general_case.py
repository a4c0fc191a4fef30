"""The case in which ranks and lengths of packs are unknowns: its proofs hold for all lengths.

Only formulas that treat all items alike can be analysed in it. Strings, bools and null make cases as elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from snd_analysis.compose import Member, Template
from snd_analysis.proofs.case_analysis.cases import ParameterCase
from snd_analysis.proofs.limits import MOST_GENERAL_CASES
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, CompileTime, Pack, Value


def general_cases(template: Template, cases: Iterable[ParameterCase]) -> Sequence[ParameterCase]:
    """Return cases with unknown lengths that cover all other choices of ``cases``; none if there is no such cover.

    Inputs and packs of attributes are left out of a general case, so that declarations make unknowns of them.
    """
    if any(member.node.optional for member in template.inputs):
        return ()
    found: dict[object, ParameterCase] = {}
    for case in cases:
        attributes = _attributes(template.attributes, case.attributes)
        if attributes is None:
            return ()
        key = (tuple(attributes.items()), tuple(case.dtypes.items()))
        found.setdefault(key, ParameterCase(attributes, {}, case.dtypes))
        if len(found) > MOST_GENERAL_CASES:
            return ()
    return tuple(found.values())


def _attributes(members: Sequence[Member], values: Mapping[str, Value]) -> dict[str, Value] | None:
    """Return the values of attributes without lengths; None if an optional pack has a length."""
    found: dict[str, Value] = {}
    for member in members:
        value = values[member.name]
        if value is NULL:
            found[member.name] = NULL
        elif member.node.pack is not None or isinstance(value, Pack):
            if member.node.optional:
                return None
        elif isinstance(value, Integer):
            found[member.name] = shapes.variable(CompileTime(("any", member.name)), member.name, None, None)
        else:
            found[member.name] = value
    return found
