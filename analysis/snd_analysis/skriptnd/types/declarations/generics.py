"""Generic types and the element types of declarations (2.3, 2.13)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.type import ABSTRACT, CONCRETE

ALLOWED = {"type": frozenset({"int", "real", "bool", "str"}), "arith": frozenset({"int", "real", "bool"}),
           "num": frozenset({"int", "real"})}  # fmt: skip
"""The concrete types of each abstract type."""


def check_generics(context: Context) -> None:
    """Check ``@dtype``: an abstract base, and a concrete default that it allows."""
    for base, entry in entries_of(context.definition, BlockKind.DTYPE, nodes.DtypeDeclaration):
        context.base = base
        if not entry.base.is_keyword:
            if context.symbol(entry.base) is not None:
                _report_base(context, entry)
        elif entry.base.text not in ABSTRACT:
            _report_base(context, entry)
        elif entry.default is not None:
            _check_default(context, entry, entry.default)


def _report_base(context: Context, entry: nodes.DtypeDeclaration) -> None:
    message = f"the base of a generic type is 'type', 'arith' or 'num', but '{entry.base.text}' is no abstract type"
    context.report(rules.GENERIC_BASE, entry.base, message)


def _check_default(context: Context, entry: nodes.DtypeDeclaration, default: nodes.TypeName) -> None:
    if default.text in ABSTRACT or (not default.is_keyword and context.symbol(default) is not None):
        message = f"the default of '{entry.name.text}' must be 'int', 'real', 'bool' or 'str', not '{default.text}'"
        context.report(rules.GENERIC_DEFAULT, default, message)
    elif default.text in CONCRETE and default.text not in ALLOWED[entry.base.text]:
        allowed = " or ".join(f"'{name}'" for name in CONCRETE if name in ALLOWED[entry.base.text])
        message = f"the default of '{entry.name.text}: {entry.base.text}' must be {allowed}, not '{default.text}'"
        context.report(rules.GENERIC_DEFAULT, default, message)


def check_element_type(context: Context, name: nodes.TypeName) -> None:
    """Demand that the type of a declaration or of a result is concrete or generic, not abstract (2.3)."""
    if name.is_keyword and name.text in ABSTRACT:
        types = ", ".join(f"'{type_}'" for type_ in CONCRETE if type_ in ALLOWED[name.text])
        message = (
            f"'{name.text}' stands for several types ({types}): write one of them, or declare a generic type of this "
            f"base, as in '@dtype {{ T: {name.text}; }}'"
        )
        context.report(rules.ABSTRACT_TYPE, name, message)
