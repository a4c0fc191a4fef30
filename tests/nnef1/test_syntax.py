"""The parser of NNEF 1.0 never fails, its tree covers the text, and reading again gives what reading afresh gives."""

from __future__ import annotations

import random

import pytest

from generators.nnef1_texts import TEXTS
from snd_analysis.base import Node, children, descendants
from snd_analysis.nnef1.syntax import Nnef1SyntaxTree, nodes, parse_file
from snd_analysis.nnef1.syntax.pieces import PieceKind, split
from support.memory import snapshot_of
from support.nnef1.running import PATH

RANDOM = random.Random(15)


def _said(node: object) -> object:
    """Return the contents of a node, without its identity."""
    if isinstance(node, Node):
        fields = [getattr(node, name) for name in type(node).__struct_fields__]
        return type(node).__name__, *map(_said, fields)
    if isinstance(node, tuple):
        return tuple(map(_said, node))
    if isinstance(node, nodes.Definition | nodes.Entry | nodes.Placed | nodes.Document):
        return tuple(_said(getattr(node, name)) for name in type(node).__struct_fields__)
    return node


def _everything(tree: Nnef1SyntaxTree) -> object:
    return _said(tree.document), tree.comments, tree.problems


def _damaged(text: str) -> list[str]:
    """Texts with a piece left out, doubled, or replaced."""
    found = []
    for _ in range(60):
        at = RANDOM.randrange(len(text))
        end = min(len(text), at + RANDOM.choice([1, 1, 2, 5, 30]))
        instead = RANDOM.choice(["", "", text[at:end] * 2, *"(){}[];,=\"'#<>?.-", "for", "graph", "é", "\r\n"])
        found.append(text[:at] + instead + text[end:])
    return found


ALL = [*TEXTS, *(damaged for text in TEXTS for damaged in _damaged(text))]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_have_no_problems(text: str):
    assert parse_file(text).problems == ()


@pytest.mark.parametrize("at", range(len(TEXTS)))
def test_every_character_belongs_to_a_piece_a_comment_or_space(at: int):
    for text in [TEXTS[at], *_damaged(TEXTS[at])]:
        found = split(text)
        covered = bytearray(len(text))
        for start, end in found.comments:
            covered[start:end] = b"\1" * (end - start)
        last = 0
        for piece in found.pieces:
            assert last <= piece.start <= piece.end
            last = piece.start
            covered[piece.start : piece.end] = b"\1" * (piece.end - piece.start)
        rest = [character for character, known in zip(text, covered, strict=True) if not known]
        assert {*rest} <= {*" \t\r\n;{}"}
        kinds = [piece.kind for piece in found.pieces]
        assert kinds.count(PieceKind.HEAD) == kinds.count(PieceKind.BODY_END)


@pytest.mark.parametrize("at", range(len(TEXTS)))
def test_spans_lie_inside_of_those_around(at: int):
    for text in [TEXTS[at], *_damaged(TEXTS[at])]:
        tree = parse_file(text)
        for problem in tree.problems:
            assert 0 <= problem.span.start <= problem.span.end <= len(text)
        for item in tree.document.items:
            entries = item.body or () if isinstance(item, nodes.Definition) else ()
            for entry in entries:
                for statement in entry.statements:
                    assert entry.start + statement.end <= len(text)
                    for node in descendants(statement):
                        assert all(node.start <= each.start <= each.end <= node.end for each in children(node))


def test_names_are_spelled_as_they_stand():
    for text in TEXTS:
        for item in parse_file(text).document.items:
            for entry in item.body or () if isinstance(item, nodes.Definition) else ():
                for statement in entry.statements:
                    for node in descendants(statement):
                        if isinstance(node, nodes.Identifier) and not node.extended:
                            assert text[entry.start + node.start : entry.start + node.end] == node.text


def test_reading_again_gives_what_reading_afresh_gives():
    for text in TEXTS:
        tree = parse_file(text)
        for damaged in _damaged(text):
            tree = parse_file(damaged, tree)
            assert _everything(tree) == _everything(parse_file(damaged))


def test_statements_that_only_moved_are_the_same_nodes():
    before = parse_file(TEXTS[0])
    after = parse_file(f"# a comment\n{TEXTS[0]}", before)
    moved = [each for each in after.document.items if isinstance(each, nodes.Definition)]
    for one, other in zip(
        [each for each in before.document.items if isinstance(each, nodes.Definition)], moved, strict=True
    ):
        assert one.head is other.head
        for entry, same in zip(one.body or (), other.body or (), strict=True):
            assert same.start == entry.start + len("# a comment\n")
            assert same.statements is entry.statements


def test_a_broken_statement_costs_that_statement_only():
    text = TEXTS[0].replace("b = ", "b = = ", 1)
    (definition,) = [each for each in parse_file(text).document.items if isinstance(each, nodes.Definition)]
    kinds = [type(each).__name__ for entry in definition.body or () for each in entry.statements]
    assert kinds.count("ErrorStatement") == 1
    assert kinds.count("Assignment") == len(kinds) - 1


@pytest.mark.parametrize("at", range(len(TEXTS)))
def test_damaged_texts_are_analysed(at: int):
    """Whatever is wrong with a text, it gets diagnostics whose spans lie inside of it."""
    for text in _damaged(TEXTS[at]):
        for item in snapshot_of({PATH: text}).diagnostics(PATH):
            assert item.rule.name != "internal-error"
            assert 0 <= item.location.span.start <= item.location.span.end <= len(text)


@pytest.mark.parametrize(
    "expression", ["(" * 5000, "[" * 5000, "-" * 5000, "a(" * 5000, "1 + (" * 3000, "a[" * 3000, "1 if " * 3000]
)
def test_deep_nesting_ends_with_a_message(expression: str):
    text = f"version 1.0;\ngraph g(x) -> (y)\n{{\n    x = external(shape = [1]);\n    y = {expression};\n}}\n"
    assert snapshot_of({PATH: text}).diagnostics(PATH)


def test_recursion_without_end_ends_with_a_message():
    text = """version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;
fragment f( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> )
{
    y = f([for i in [x] yield relu(i) * 2.0][0], n = n + 1) if n >= 0 else x;
}
graph g(x) -> (y)
{
    x = external(shape = [1]);
    y = f(x, n = 0);
}
"""
    (found,) = snapshot_of({PATH: text}).diagnostics(PATH)
    assert found.rule.name == "recursive-operator"
