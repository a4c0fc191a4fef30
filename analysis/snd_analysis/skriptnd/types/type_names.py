"""Element types by the names of types (2.3, 2.13)."""

from __future__ import annotations

from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.type import ABSTRACT, CONCRETE, Dtype


def dtype_of(context: Context, name: nodes.TypeName) -> Dtype | None:
    """Return the element type of a type name: concrete, abstract (with an empty base), or generic."""
    if name.is_keyword:
        return CONCRETE.get(name.text) or Dtype(name.text)
    symbol = context.symbol(name)
    return None if symbol is None else generic_dtype(symbol)


def generic_dtype(symbol: Symbol) -> Dtype | None:
    """Return the type of a declared generic type."""
    if not isinstance(symbol.node, nodes.DtypeDeclaration):
        return None
    base = symbol.node.base.text
    # A wrong base is reported where the type is declared: with 'num', most uses of the type are right.
    return Dtype(symbol.name, base if base in ABSTRACT else "num")
