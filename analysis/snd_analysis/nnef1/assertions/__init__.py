"""Facts about symbols from ``extension tract_assert`` lines. They hold wherever shapes are compared."""

from snd_analysis.nnef1.assertions.conclusions import SymbolFacts, facts_by_symbol, first_contradictions
from snd_analysis.nnef1.assertions.reading import AssertionLine, assertions_of

__all__ = ["AssertionLine", "SymbolFacts", "assertions_of", "facts_by_symbol", "first_contradictions"]
