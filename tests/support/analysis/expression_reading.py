"""Single expressions, read by the parser of the language."""

from __future__ import annotations

from functools import cache

from snd_analysis.skriptnd.syntax import nodes, parse


@cache
def expression(text: str) -> nodes.Expression:
    """Return the tree of an expression; fail if it has mistakes."""
    parsed = parse(f"graph g {{ @using {{ a = {text}; }} }}")
    assert not parsed.problems, (text, parsed.problems)
    (definition,) = parsed.document.items
    assert isinstance(definition, nodes.Definition)
    (block,) = definition.blocks
    assert isinstance(block, nodes.Block)
    statement = block.entries[0].statement
    assert isinstance(statement, nodes.Using)
    return statement.value
