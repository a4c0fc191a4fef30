"""Checks of the types given for generic types, against their declarations (2.13).

The typing checks the types of an invocation. A definition without a caller gets its types from arrays, a command line
or a request, which have not been typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.template import Member, Template
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import ALLOWED, CONCRETE


def failing_generic_type(
    template: Template, dtypes: Mapping[str, str], given: Sequence[tuple[Member, str | None]]
) -> Failure | None:
    """Return a type outside the base of its generic type, or two types for one; None if all fit.

    ``dtypes`` are the types by the name of the generic type, ``given`` the attributes and inputs with the type of the
    value of each. Types that are not known are skipped, as are generic types of a caller.
    """
    for generic in template.generics:
        dtype = dtypes.get(generic.name.text)
        if dtype not in CONCRETE:
            continue
        typed = [(member, found) for member, found in given if member.node.type.text == generic.name.text]
        source = next((member for member, found in typed if found == dtype), None)
        if dtype not in ALLOWED.get(generic.base.text, CONCRETE):
            how = "it is given as" if source is None else f"{_described(template, source)} is"
            message = rules.invocations.type_outside_base(
                template.shown, generic.name.text, generic.base.text, how, f"'{dtype}'"
            )
            return _failure(template, generic, rules.GENERIC_OUTSIDE_BASE, message, source)
        other = next(((member, found) for member, found in typed if found in CONCRETE and found != dtype), None)
        if other is not None:
            first = f"is given as '{dtype}'"
            if source is not None:
                first = f"is '{dtype}' by {_described(template, source)}"
            message = rules.invocations.conflicting_type(
                template.shown, generic.name.text, first, _described(template, other[0]), f"'{other[1]}'"
            )
            return _failure(template, generic, rules.GENERIC_CONFLICT, message, other[0])
    return None


def _described(template: Template, member: Member) -> str:
    return f"the {'attribute' if member in template.attributes else 'input'} '{member.name}'"


def _failure(
    template: Template, generic: nodes.DtypeDeclaration, rule: Rule, message: str, member: Member | None
) -> Failure:
    """Return a failure at the declaration of the member with the wrong type, or of the generic type."""
    declared = Site(
        template.place(template.resolution.starts[generic], generic.name), f"'{generic.name.text}' is declared here"
    )
    if member is None:
        return Failure(rule, message, (), (declared,))
    site = Site(template.declared(member.symbol), f"{_described(template, member)} is declared here")
    return Failure(rule, message, (), (site, declared), (member.name,))
