"""Properties of the tree of any text (invariant 2)."""

from __future__ import annotations

from itertools import pairwise

from snd_analysis.base import Span
from snd_analysis.skriptnd.syntax import SyntaxTree, chunk_starts, nodes, parse_file, tokenize
from support.analysis.trees import placed_nodes


def check(text: str) -> SyntaxTree:
    """Check everything that holds for the tree of any text."""
    tree = parse_file(text)
    assert "".join(placed.chunk.text for placed in tree.chunks) == text
    assert [placed.start for placed in tree.chunks] == chunk_starts(text)
    for start, chunk in ((placed.start, placed.chunk) for placed in tree.chunks):
        assert text.startswith(chunk.text, start)
        check_spans(chunk.text, chunk.document)
        check_coverage(chunk.text, chunk.document, [problem.span for problem in chunk.problems])
        inside = Span(0, len(chunk.text))
        for problem in chunk.problems:
            assert inside.start <= problem.span.start <= problem.span.end <= inside.end
            assert problem.message
        assert list(chunk.problems) == sorted(chunk.problems, key=lambda problem: problem.span)
    return tree


def check_spans(text: str, document: nodes.Document) -> None:
    """Check that every node lies inside its parent, and every name equals the text at its place."""
    for placed in placed_nodes(document, len(text)):
        span = placed.span
        assert placed.parent.start <= span.start <= span.end <= placed.parent.end, placed
        if isinstance(placed.node, nodes.Name | nodes.TypeName | nodes.Operator):
            said = text[span.start : span.end]
            assert said in (placed.node.text, "") or placed.depth == 0 or _was_replaced(placed.node, said), placed
        if isinstance(placed.node, nodes.Entry):
            assert placed.node.statement.start == 0
            assert placed.node.statement.end <= placed.node.end - placed.node.start


def _was_replaced(node: nodes.Node, said: str) -> bool:
    """Recovery may read an operator or a keyword as another; a name it takes as it stands."""
    return not isinstance(node, nodes.Name) and said != ""


def check_coverage(text: str, document: nodes.Document, problems: list[Span]) -> None:
    """Every token lies inside an item, or is left out and reported; all else is white space, comment or reported."""
    tokens = tokenize(text)
    items = [item.span for item in document.items]
    assert items == sorted(items)
    for before, after in pairwise(items):
        assert before.end <= after.start
    at = 0
    for token in tokens.tokens:
        while at < len(items) and items[at].end < token.end:
            at += 1
        if at == len(items) and any(span.start <= token.start and token.end <= span.end for span in problems):
            continue
        assert at < len(items), (token, "behind all items")
        assert items[at].start <= token.start, token
    known = [*((token.start, token.end) for token in tokens.tokens), *((c.start, c.end) for c in tokens.comments)]
    known += [(span.start, span.end) for span in problems]
    covered = 0
    for start, end in sorted(known):
        if start > covered:
            assert not text[covered:start].strip("\ufeff").strip(), text[covered:start]
        covered = max(covered, end)
    assert not text[covered:].strip("\ufeff").strip()
