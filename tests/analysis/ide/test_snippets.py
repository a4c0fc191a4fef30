"""Snippets are offered where they can stand; their text has no mistake of syntax and is formatted."""

from __future__ import annotations

import textwrap

import pytest

from snd_analysis.ide.completion import CompletionKind, completions
from snd_analysis.ide.completion.item import Completion
from snd_analysis.ide.completion.snippets import snippets
from snd_analysis.skriptnd.format import format_text
from snd_analysis.skriptnd.syntax import parse_file
from support.analysis.snippet_text import expanded
from support.memory import check, shown, snapshot_of


# A line of its own in each place where snippets are offered; "│" is the cursor.
def _program(text: str) -> str:
    return textwrap.dedent(text).removeprefix("\n")


PLACES = {
    "document": "import layer, nn;\n\n│\n",
    "comment": _program("""
        # │
        operator f {
            @input {
                x: real[n];
            }
            @output {
                y: real[n];
            }
            @lower {
                y[i,] = x[i,],
                        i < n;
            }
        }
    """),
    "assert": _program("""
        operator f {
            @attrib {
                stride: int;
            }
            @assert {
                │
            }
        }
    """),
    "lower": _program("""
        operator f {
            @input {
                x: real[n, s..];
                w: real[n, s..];
            }
            @output {
                y: real[n, s..];
            }
            @lower {
                │
            }
        }
    """),
    "compose": _program("""
        graph f {
            @input {
                x: real[4];
                xs: real[4]..(3);
            }
            @output {
                y: real[4];
            }
            @compose {
                h = nn.relu(x);
                │
            }
        }
    """),
    "quantize": _program("""
        graph f {
            @input {
                x: real[4];
            }
            @quantize {
                │
            }
        }
    """),
}
ALL = [(place, each.label) for place, entries in snippets().items() for each in entries]


def offered(program: str) -> dict[str, Completion]:
    """The snippets that are offered at the mark."""
    found = completions(snapshot_of({"main.sknd": program.replace("│", "")}), "main.sknd", program.index("│"), True)
    return {each.label: each for each in found.items if each.kind is CompletionKind.SNIPPET}


def accepted(program: str, item: Completion) -> str:
    """The program after an item is accepted: as an editor does, further lines begin as the first."""
    before = program[: program.index("│")].rpartition("\n")[2]
    blank = before[: len(before) - len(before.lstrip(" "))]
    return program.replace("│", textwrap.indent(expanded(item.text), blank).removeprefix(blank))


@pytest.mark.parametrize("place", PLACES)
def test_those_of_the_place_are_offered_and_no_others(place: str):
    assert set(offered(PLACES[place])) == {each.label for each in snippets()[place]}


@pytest.mark.parametrize(("place", "label"), ALL)
def test_it_has_no_mistake_of_syntax_and_is_laid_out_as_by_the_formatter(place: str, label: str):
    program = accepted(PLACES[place], offered(PLACES[place])[label])
    assert not [*parse_file(program).problems], program
    assert format_text(program) == program


@pytest.mark.parametrize(
    ("place", "label"), [*(each for each in ALL if each[0] == "document"), ("lower", "formula"), ("comment", "sample")]
)
def test_it_has_no_mistake_at_all(place: str, label: str):
    files = {"net.sknd": accepted(PLACES[place], offered(PLACES[place])[label])}
    wrong = {
        path: [each for each in found if each.rule.name not in ("unused-import", "unused-symbol")]
        for path, found in check(files).items()
    }
    assert not any(wrong.values()), shown(wrong, files)


@pytest.mark.parametrize(
    ("line", "label", "text"),
    [
        ("w", "with … do..(n)", "y = with state = h do..(n) f(state);"),
        ("for", "for … do", "y = for each : xs do f(each);"),
        ("z = if", "if … then … else", "z = if condition then f(h) else g(h);"),
    ],
)
def test_names_in_scope_are_filled_in(line: str, label: str, text: str):
    program = PLACES["compose"].replace("│", f"{line}│")
    begun = line[: len(line) - len(line.split()[-1])]
    assert begun + expanded(offered(program)[label].text) == text


def test_a_formula_has_an_index_and_a_bound_for_each_extent():
    text = expanded(offered(PLACES["lower"])["formula"].text)
    assert text == "y[i, j..] = x[i, j..],\n        i < n, j < s;"


@pytest.mark.parametrize(
    "program",
    [
        "operator f { @input { w│ } }",
        "operator f { @input { image: re│ } }",
        "operator f { @attrib { │ } }",
        "graph f { @compose { y = nn.relu(│ } }",
        "graph f { @compose { y = nn.│ } }",
        "graph f { @compose { y = nn.relu{│ } }",
        "operator f { @lower { y[i] = │ } }",
        "operator f { │ }",
        "import │",
    ],
)
def test_none_is_offered_elsewhere(program: str):
    assert not offered(f"import nn;\n{program}\n")


def test_one_index_has_its_comma():
    program = PLACES["comment"].replace("│", "").replace("y[i,] = x[i,],\n                i < n;", "│")
    assert expanded(offered(program)["formula"].text) == "y[i,] = x[i,],\n        i < n;"


# ---- invocations ----------------------------------------------------------------------------------------------------
def _invoked(line: str) -> str:
    """The line of a graph after its first completion is accepted; "│" is the cursor."""
    program = "import nn, layer;\n" + PLACES["compose"].replace("│", line)
    text, offset = program.replace("│", ""), program.index("│")
    found = completions(snapshot_of({"main.sknd": text}), "main.sknd", offset, True)
    item = found.items[0]
    edits = [(found.insert.start, found.insert.end, expanded(item.inserted))]
    edits += [(each.location.span.start, each.location.span.end, each.text) for each in item.edits]
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return next(row.strip() for row in text.splitlines() if line.split("=")[0].strip() + " =" in row)


@pytest.mark.parametrize(
    ("line", "accepted"),
    [
        ("z = nn.rel│", "z = nn.relu(h);"),
        ("z = layer.lin│", "z = layer.linear{channels=}(h);"),
        ("z = nn.rel│(x);", "z = nn.relu(x);"),
        ("z = h.rel│", "z = nn.relu(h);"),
        ("z = x.transp│", "z = layout.transpose(x);"),
    ],
)
def test_an_operator_takes_the_nearest_tensor_and_ends_its_statement(line: str, accepted: str):
    assert _invoked(line) == accepted


def test_the_only_tensor_that_fits_is_no_tab_stop():
    program = PLACES["compose"].replace("        h = nn.relu(x);\n", "").replace("│", "z = nn.rel│")
    found = completions(snapshot_of({"main.sknd": program.replace("│", "")}), "main.sknd", program.index("│"), True)
    assert found.items[0].text == "relu(x);$0"


def test_places_are_expanded():
    assert expanded("${1:a} $1 ${2|x,y|} ${3:f(${1:b})}\\} \\$ $0") == "a a x f(a)} $ "
