"""Facts about symbols from ``extension tract_assert`` lines. They hold wherever shapes are compared."""

from snd_analysis.nnef1.assertions.reading import (
    AssertionLine,
    SymbolFacts,
    assertions_of,
    facts_by_symbol,
    first_contradictions,
)

__all__ = ["AssertionLine", "SymbolFacts", "assertions_of", "facts_by_symbol", "first_contradictions"]
