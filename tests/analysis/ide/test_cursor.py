"""An offset finds the name that it touches, at both of its ends, and the nodes around it, from inner to outer."""

from __future__ import annotations

from itertools import pairwise

from snd_analysis.ide import comment_at, use_at
from snd_analysis.ide.cursor import chunk_at, definition_at, import_at, nodes_at, token_at
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from support.analysis.placed_uses import uses_in
from support.memory import snapshot_of

TEXT = """import math; # sums

# Doubles.
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = math.add(x, x); }
}
"""
SNAPSHOT = snapshot_of({"main.sknd": TEXT})
TREE = SNAPSHOT.tree("main.sknd")


def test_the_use_that_an_offset_touches():
    at = TEXT.index("add(")
    for offset in (at, at + 1, at + 3):
        found = use_at(SNAPSHOT, "main.sknd", offset)
        assert found is not None
        assert found.use.target == OperatorName("snd:math", "add")
        assert "add" in TEXT[found.span.start : found.span.end]
    assert use_at(SNAPSHOT, "main.sknd", TEXT.index("@output")) is None
    assert use_at(SNAPSHOT, "main.sknd", 0) is None


def test_every_use_is_found_at_both_of_its_ends():
    for each in uses_in(SNAPSHOT, "main.sknd"):
        for offset in (each.span.start, each.span.end):
            found = use_at(SNAPSHOT, "main.sknd", offset)
            assert found is not None
            assert found.span == each.span, (each, offset)


def test_imports():
    assert import_at(SNAPSHOT, "main.sknd", TEXT.index("math")) is not None
    assert import_at(SNAPSHOT, "main.sknd", TEXT.index("# sums")) is None


def test_the_nodes_around_an_offset_are_nested():
    path = nodes_at(TREE, TEXT.index("x, x"))
    kinds = [type(placed.node) for placed in path]
    assert kinds[:4] == [nodes.Document, nodes.Definition, nodes.Block, nodes.Entry]
    assert TEXT[path[-1].span.start : path[-1].span.end] == "x"
    for outer, inner in pairwise(path):
        assert outer.span.start <= inner.span.start <= inner.span.end <= outer.span.end


def test_tokens_and_comments():
    token = token_at(TREE, TEXT.index("double {") + 2)
    assert token is not None
    assert token.spelling(TEXT) == "double"
    comment = comment_at(TREE, TEXT.index("sums"))
    assert comment is not None
    assert TEXT[comment.start : comment.end] == "# sums"
    assert comment_at(TREE, 2) is None


def test_places_outside_of_any_definition():
    assert definition_at(TREE, 0) is None
    assert chunk_at(TREE, len(TEXT) + 100) is not None
    assert nodes_at(snapshot_of({}).tree("none.sknd"), 5)
