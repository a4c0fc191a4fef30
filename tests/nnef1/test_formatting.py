"""The one style of NNEF 1.0: what it is, and what must hold for any text."""

from __future__ import annotations

import random
import re

import pytest

from snd_analysis.base import Node, Span, content_fields
from snd_analysis.nnef1.format import format_edits, format_text, format_typed
from snd_analysis.nnef1.syntax import parse_file, split, tokenize
from snd_analysis.skriptnd.syntax.nodes import Entries
from snd_analysis.workspace import Workspace
from snd_analysis.workspace.nnef1 import elaborated
from snd_server.workspace_files.files import DiskReader
from support.nnef1.corpus import CORPUS, folder_of, models
from support.sampling import sample

WIDTH = 100
GRAPH = """version 1.0;

extension tract_registry tract_core;
extension tract_symbol B;

# Scales by rows.
fragment scaled(x: tensor<scalar>, factors: tensor<scalar> = 2.0) -> (y: tensor<scalar>)
{
    y = x * factors;
}

graph net(x) -> (y)
{
    x = tract_core_external(shape = [B, 3], datum_type = "f32");  # a row each

    # Not trained.
    w = variable<scalar>(shape = [1, 3], label = 'w');
    y = scaled(-x, 2.0 * (w + 1.0));
}
"""


def _formatted(text: str, width: int = WIDTH) -> str:
    found = format_text(text, width)
    assert _content(found) == _content(text)
    assert format_text(found, width) == found
    return found


def _content(text: str) -> tuple[list[str], list[str]]:
    return [each.text for each in tokenize(text)], [text[start:end].rstrip() for start, end in split(text).comments]


def _body(statement: str, width: int = WIDTH) -> str:
    """Return the layout of a statement in a graph."""
    text = f"version 1.0;\n\ngraph net(x) -> (y)\n{{\n{statement}\n}}\n"
    found = _formatted(text, width)
    return found[found.index("{") + 2 : found.rindex("}")]


def test_what_has_the_style_stays():
    assert _formatted(GRAPH) == GRAPH


def test_the_layout_is_made_of_the_tokens():
    squeezed = re.sub(r"(?<=[,={*+(]) (?! )| (?=[{*+(])", "", GRAPH).replace(" {2}", "")
    assert "x =tract_core_external(shape =[B," in squeezed
    lines = [line for line in _formatted(squeezed).splitlines() if line]
    assert lines == [line for line in GRAPH.splitlines() if line]


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("y=x;", "    y = x;\n"),
        ("y = f ( x,axes=[ 1 ,2 ] ) ;", "    y = f(x, axes = [1, 2]);\n"),
        ("[a,b]=split( x );", "    [a, b] = split(x);\n"),
        ("( a , b )=moments(x);", "    (a, b) = moments(x);\n"),
        ("a , b=f(x);", "    a, b = f(x);\n"),
        ("y = - x ^ -2.0;", "    y = -x ^ -2.0;\n"),
        ("y = a<b&&! c;", "    y = a < b && !c;\n"),
        ("y = (1.0- -inf)*- (x);", "    y = (1.0 - -inf) * -(x);\n"),
        ("y = a [ 0 ] [1 : 2];", "    y = a[0][1:2];\n"),
        ("y = f < integer > (x);", "    y = f<integer>(x);\n"),
        ("y = f<?>(x);", "    y = f<?>(x);\n"),
        ("y = [for i in a , j in b if i<j yield i*j];", "    y = [for i in a, j in b if i < j yield i * j];\n"),
        ("y = x if c else - x;", "    y = x if c else -x;\n"),
        ("y = x in [1,2];", "    y = x in [1, 2];\n"),
        ("i'a b' = i\"c\";", "    i'a b' = i\"c\";\n"),
        ("y = f([(0,1),(2 , 3)]);", "    y = f([(0, 1), (2, 3)]);\n"),
        ("y = f();", "    y = f();\n"),
    ],
)
def test_statements(written: str, wanted: str):
    assert _body(written) == wanted


def test_arguments_that_do_not_fit_go_to_lines_of_their_own():
    assert _body("y = conv(input, filter, bias, padding = [(1, 1)]);", 40) == (
        "    y = conv(\n        input,\n        filter,\n        bias,\n        padding = [(1, 1)]\n    );\n"
    )
    assert _body("y = conv(input, filter, padding = []);", 40) == (
        "    y = conv(\n        input, filter, padding = []\n    );\n"
    )


def test_numbers_fill_lines():
    assert _body("y = [1.0, 2.0, -3.0, 4.0, 5.0, 6.0, 7.0];", 30) == (
        "    y = [\n        1.0, 2.0, -3.0, 4.0,\n        5.0, 6.0, 7.0\n    ];\n"
    )


def test_long_expressions_are_broken_before_operators():
    assert _body("y = first_summand + second_summand * third;", 30) == (
        "    y = first_summand\n        + second_summand\n        * third;\n"
    )


def test_comments_stay_where_they_are():
    text = """version 1.0;  # the only one

# What follows is a graph.

# Its head.
graph net(x) -> (y)  # behind
{
    # first
    x = external(shape = [2]);  # an input
    y = add(
        x,  # one
        # two
        1.0
    );

    # last
}
# end
"""
    assert _formatted(text) == text


def test_blank_lines_are_kept_one_at_a_time():
    text = "version 1.0;\ngraph net(x)->(y){\n\n\n  x = external(shape=[1]);\n\n\n\n  y = copy(x);\n\n}\n\n\n"
    assert _formatted(text) == (
        "version 1.0;\n\ngraph net(x) -> (y)\n{\n    x = external(shape = [1]);\n\n    y = copy(x);\n}\n"
    )


def test_broken_statements_stay_as_they_are():
    text = "version 1.0;\ngraph net(x)->(y)\n{\nx = external(shape=[1]);\n  y = = (x ;\n  y=copy( x );\n}\n"
    found = _formatted(text)
    assert "    y = = (x ;" in found or "    y = = (x;" in found
    assert "    y = copy(x);" in found
    unclosed = "version 1.0;\ngraph net(x)->(y)\n{\nx = external(shape=[1]);\n"
    assert format_text(unclosed, WIDTH) == unclosed


def test_payloads_of_extensions_are_data():
    text = "version 1.0;\nextension   tract_assert  B>=1 ;\nextension tract_symbol B;\n"
    assert "extension tract_assert B>=1;\nextension tract_symbol B;\n" in _formatted(text)


def test_line_breaks_and_marks_are_kept():
    text = "\ufeff" + GRAPH.replace("\n", "\r\n")
    assert format_text(text, WIDTH) == text


def test_edits_change_lines_that_differ():
    tree = parse_file(GRAPH.replace("y = x * factors", "y=x*factors").replace("y = scaled", "y=scaled"))
    edits = format_edits(tree, WIDTH)
    assert [edit.text for edit in edits] == ["    y = x * factors;\n", "    y = scaled(-x, 2.0 * (w + 1.0));\n"]
    at = tree.text.index("factors;") + len("factors;")
    assert format_typed(tree, at, WIDTH) == edits[:1]
    assert format_edits(tree, WIDTH, Span(len(GRAPH) - 10, len(GRAPH) - 10)) == edits[1:]


def _disturbed(text: str, chance: random.Random) -> str:
    """White space put in, comments added, characters lost."""
    out = []
    for part in re.split(r"(\s+)", text):
        if part.isspace() and "\n" not in part and chance.random() < 0.1:
            out.append(chance.choice(["  ", "\t", "\n", "\n\n\n", " # why\n", "\n# own line\n"]))
        elif not part.isspace() and chance.random() < 0.02:
            out.append(part[: chance.randrange(len(part) + 1)])
        else:
            out.append(part)
    return "".join(out)


@pytest.mark.parametrize("seed", range(60))
def test_disturbed_texts_keep_what_they_say(seed: int):
    chance = random.Random(seed)
    _formatted(_disturbed(GRAPH, chance), chance.choice([20, 40, 100]))


# ---- the corpus -----------------------------------------------------------------------------------------------
FILES = sorted(CORPUS.rglob("*.nnef"))
VALID = [folder_of(name) / "graph.nnef" for name in models()]


def test_the_corpus_keeps_its_tokens_and_comments():
    for path in sample(FILES, 8):
        text = path.read_bytes().decode(errors="replace")
        _formatted(text)
        _formatted(_disturbed(text[:6000], random.Random(path.parent.name)))


def test_models_come_to_the_same_before_and_after():
    for path in VALID[::5]:
        reader = DiskReader()
        reader.provide(str(path), format_text(path.read_text(encoding="utf-8"), WIDTH).encode())
        before = elaborated(Workspace(DiskReader()).snapshot().db, str(path)).definition
        after = elaborated(Workspace(reader).snapshot().db, str(path)).definition
        assert _said(before) == _said(after), path


def _said(value: object) -> object:
    """A tree without its places."""
    if isinstance(value, Node):
        return type(value).__name__, *(_said(getattr(value, name)) for name in content_fields(type(value)))
    return (
        tuple(map(_said, value))
        if isinstance(value, tuple | Entries)
        else None
        if isinstance(value, Span)
        else str(value)
    )
