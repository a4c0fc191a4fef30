"""The last statement of a body that names each tensor."""

from __future__ import annotations

from snd_analysis.compose import Template
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes

# Minimum size for which a search for other references to a tensor pays.
LEAST_BYTES = 1 << 16


def last_uses(template: Template) -> dict[Symbol, int]:
    """Return the number of the last statement of ``@compose`` and ``@update`` that names each symbol.

    Outputs have no last statement.
    """
    found: dict[Symbol, int] = {}
    for at, (_, component) in enumerate((*template.components, *template.updates)):
        for node in nodes.descendants(component):
            symbol = template.resolution.targets.get(node)
            if isinstance(symbol, Symbol) and symbol.kind is not SymbolKind.OUTPUT:
                found[symbol] = at
    return found
