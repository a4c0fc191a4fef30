"""A text that is edited gives the tree of a fresh start (invariant 5)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from snd_analysis.base import Node, content_fields
from snd_analysis.nnef1.syntax import Nnef1SyntaxTree, nodes, parse_file
from support.sampling import tries

TEXT = """version 1.0; # head
extension tract_registry tract_core; extension tract_symbol S;

fragment twice(x: tensor<scalar>) -> (y: tensor<scalar>)
{
    # before
    y = add(x, x); # behind
}

graph net(x) -> (y)
{
    x = external(shape = [1, 4]); a = relu(x);
    b = "a;b#c"; c = 'it';

    # between
    d = twice(
        a # inside
    ); e = [1.0, 2.0];
    y = add(d, e); # last
}
"""
PIECES = (
    *("x", ";", "'", '"', "#", "{", "}", "\n", " ", "(", ")", "=", "\\", "\r", "\r\n", "", "version 1.0;"),
    *("\ngraph g(", "\n  fragment f(x) -> (y) {", "# c\n", "'a", "z = relu(y);\n", "\nextension tract_x y;"),
)


def _plain(value: Any) -> Any:
    if isinstance(value, Node):
        kind = type(value)
        return kind.__name__, value.start, value.end, *(_plain(getattr(value, name)) for name in content_fields(kind))
    if isinstance(value, nodes.Entry):
        return value.start, _plain(value.statements)
    if isinstance(value, nodes.Placed):
        return value.start, _plain(value.item)
    if isinstance(value, nodes.Definition):
        return value.start, value.end, _plain(value.head), _plain(value.body)
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _known(tree: Nnef1SyntaxTree) -> Any:
    return tree.text, _plain(tree.document.items), tree.comments, tree.problems


@pytest.mark.parametrize("seed", range(4))
def test_edits_give_the_tree_of_a_fresh_start(seed: int):
    chance = random.Random(seed)
    tree = parse_file(TEXT)
    for _ in range(tries(400, 4000)):
        text = tree.text
        if chance.random() < 0.1 or not text:
            text = TEXT
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(PIECES) + text[at + chance.choice((0, 0, 1, 4)) :]
        tree = parse_file(text, tree)
        assert _known(tree) == _known(parse_file(text)), text


def test_an_edit_reads_its_statement_alone():
    before = parse_file(TEXT)
    after = parse_file(TEXT.replace("add(d, e)", "add(d, d)"), before)
    one, other = (each.document.items[-1] for each in (before, after))
    assert isinstance(one, nodes.Definition)
    assert isinstance(other, nodes.Definition)
    assert one.body
    assert other.body
    assert [first is second for first, second in zip(one.body, other.body, strict=True)] == [True] * 6 + [False]
