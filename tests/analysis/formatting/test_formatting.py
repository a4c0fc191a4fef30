"""The one style: what it is for single statements, and what must hold for any file (invariant 18)."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from snd_analysis.base import Span
from snd_analysis.skriptnd.format import format_edits, format_text, format_typed
from snd_analysis.skriptnd.syntax import parse_file, tokenize
from support.effort import growth_of
from support.memory import snapshot_of
from support.sampling import sample

ROOT = Path(__file__).parents[3]
LIBRARY = sorted((ROOT / "analysis" / "snd_analysis" / "libraries" / "std").glob("*.sknd"))
EXAMPLES = [path for path in sorted((ROOT / "examples").rglob("*.sknd")) if "broken" not in path.parts]
FIXTURES = sorted((ROOT / "tests" / "fixtures").rglob("*.sknd"))


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")


def _pieces(text: str) -> tuple[list[str], list[str]]:
    tokens = tokenize(text)
    return (
        [token.spelling(text) for token in tokens.tokens],
        [text[comment.start : comment.end].rstrip() for comment in tokens.comments],
    )


@pytest.mark.parametrize("path", [*LIBRARY, *EXAMPLES], ids=lambda path: "/".join(path.parts[-2:]))
def test_library_and_examples_are_formatted(path: Path):
    text = _text(path)
    assert format_text(text) == text


@pytest.mark.parametrize("path", sample(FIXTURES, 150), ids=lambda path: "/".join(path.parts[-3:]))
def test_fixtures_keep_their_tokens_and_comments(path: Path):
    text = _text(path)
    formatted = format_text(text)
    assert _pieces(formatted) == _pieces(text)
    assert format_text(formatted) == formatted


def _disturbed(text: str, chance: random.Random) -> str:
    """White space put in, taken out, made blank lines; comments added; characters lost."""
    out = []
    for token in re.split(r"(\s+)", text):
        if token.isspace() and "\n" not in token and chance.random() < 0.1:
            out.append(chance.choice(["  ", "\t", "\n", "\n\n\n", " # why\n", "\n# own line\n"]))
        elif token.isspace() and chance.random() < 0.05 and "#" not in "".join(out[-12:]):
            out.append(" ")
        else:
            out.append(token)
    return "".join(out)


@pytest.mark.parametrize("path", [*LIBRARY, *EXAMPLES], ids=lambda path: "/".join(path.parts[-2:]))
def test_disturbed_files_keep_what_they_say(path: Path):
    chance = random.Random(path.name)
    text = _text(path)
    for _ in range(3):
        at = chance.randrange(max(1, len(text) - 4000))
        disturbed = _disturbed(text[at : at + 4000], chance)
        formatted = format_text(disturbed)
        assert _pieces(formatted) == _pieces(disturbed)
        assert format_text(formatted) == formatted


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: "/".join(path.parts[-2:]))
def test_what_was_on_one_line_is_laid_out(path: Path):
    """The layout is made of the tokens, not of the line breaks that were there."""
    text = _text(path)
    if "#" in text.partition("{")[2]:
        pytest.skip("comments end their lines")
    head, brace, body = text.partition("{")
    lines = " ".join(body.replace("operator", "\n\noperator").replace("graph", "\n\ngraph").split(" "))
    joined = re.sub(r"\n\s*(?!operator|graph|\s)", " ", lines)
    assert format_text(head + brace + joined).split() == text.split()


def test_line_breaks_are_those_of_the_file():
    text = _text(EXAMPLES[0])
    for line_break in ("\r\n", "\r"):
        assert format_text(text.replace("\n", line_break)) == text.replace("\n", line_break)


def test_of_several_line_breaks_the_first_that_is_kept_counts():
    broken = "op {\n    @input { x }\n}"
    assert format_text(f"\r\n {broken}\r\n") == f"{broken}\n"
    assert format_text("\r\n\n# note\r\rimport math;\n") == "# note\r\rimport math;\r"


def test_a_comment_behind_a_byte_order_mark_stays_with_its_definition():
    text = "# note\ngraph g {\n}\n"
    for marked in (f"\ufeff{text}", f"\ufeff\n\n{text}"):
        assert format_text(marked) == f"\ufeff{text}"


def test_marks_and_empty_files():
    assert format_text("") == ""
    assert format_text("\n\n \n") == ""
    assert format_text("# only a comment") == "# only a comment\n"
    assert format_text("\ufeffimport math;").startswith("\ufeff")


def _statement(block: str, text: str, width: int = 100) -> str:
    source = f"operator f {{ @{block} {{ {text} }} }}"
    lines = format_text(source, width).splitlines()
    return "\n".join(line.removeprefix(" " * 8) for line in lines[2:-2])


@pytest.mark.parametrize(
    ("block", "text", "expected"),
    [
        ("attrib", "a:int..(n)=1;", "a: int..(n) = 1;"),
        ("input", "x:optional real^(r)[n|9,static m,k..]..(p);", "x: optional real^(r)[n|9, static m, k..]..(p);"),
        ("using", "a=b?c:d;", "a = b ? c : d;"),
        ("using", "z=[1 .. (n),-a[0:2],!b,x.. ];", "z = [1 ..(n), -a[0:2], !b, x..];"),
        ("using", "m=a+..;n=(a*b)*..*c;", "m = a + ..;\nn = (a * b) * .. * c;"),
        ("assert", "a>0:'positive',a;", "a > 0: 'positive', a;"),
        ("lower", "y[i,]=x[i,],i<n;", "y[i,] = x[i,],\n        i < n;"),
        ("lower", "y[i..]+=x[|i-1<>0:n-1|..],i<n|c[i..];", "y[i..] += x[|i - 1 <> 0 : n - 1|..],\n\t\ti < n | c[i..];"),
        (
            "lower",
            "with t=a[i],u=b[i]:y[i,]=t*u,i<n;",
            "with\n    t = a[i],\n    u = b[i]:\n    y[i,] = t * u,\n            i < n;",
        ),
        ("compose", "y=if a then f(x)else g(x);", "y = if a then f(x) else g(x);"),
        ("compose", "y=l:f<int>{a=1,b=[2,3]}(x,~);", "y = l: f<int>{a=1, b=[2, 3]}(x, ~);"),
        (
            "compose",
            "y=with a=x for z:zs do..(i->n){b=f(a,z);yield b;};",
            "y = with a = x for z : zs do..(i -> n) {\n    b = f(a, z);\n    yield b;\n};",
        ),
        ("quantize", "x:quant.linear{bits=8};", "x: quant.linear{bits=8};"),
    ],
)  # fmt: skip
def test_statements(block: str, text: str, expected: str):
    assert _statement(block, text) == expected.replace("\t", "    ")


def test_what_does_not_fit_is_broken():
    call = "y = nn.conv{stride=[1, 1], padding=[0, 0, 0, 0]}(input, filter, bias);"
    assert _statement("compose", call, 60) == (
        "y = nn.conv{stride=[1, 1],\n        padding=[0, 0, 0, 0]}(input, filter, bias);"
    )
    select = "a = first == 'ONE' ? [b, n, x..] : first == 'TWO' ? [b, x.., n] : first == 'THREE' ? [x] : [x.., n, b];"
    assert _statement("using", select) == (
        "a = first == 'ONE' ? [b, n, x..] :\n"
        "        first == 'TWO' ? [b, x.., n] :\n"
        "        first == 'THREE' ? [x] :\n"
        "        [x.., n, b];"
    )


def test_comments_stay_beside_what_they_are_about():
    text = """operator f {
    # the input
    @input { x: real[n]; # data

        # weights,
        w: real[n, # rows
            m]; }
    # nothing follows
}
# the end
"""
    assert (
        format_text(text)
        == """operator f {
    # the input
    @input {
        x: real[n];  # data

        # weights,
        w: real[n,  # rows
                m];
    }
    # nothing follows
}
# the end
"""
    )


def test_broken_statements_stay_as_they_are():
    text = "operator f {\n  @attrib { a:int=1;\n  b: int = = 2;\n c:int=3; }\n}\n"
    formatted = format_text(text)
    assert "b: int = = 2;" in formatted
    assert "        a: int = 1;\n" in formatted
    assert "        c: int = 3;\n" in formatted


def test_edits_of_a_range_leave_the_rest():
    text = "operator f {\n    @attrib {\n        a:int;\n        b:int;\n        c:int;\n    }\n}\n"
    at = text.index("b:")
    (edit,) = format_edits(parse_file(text), span=Span(at, at + 1))
    assert edit.apply(text) == text.replace("b:int", "b: int")


def test_edits_together_are_the_formatted_text():
    for path in FIXTURES[::20]:
        text = _text(path)
        changed = text
        for edit in reversed(format_edits(parse_file(text))):
            changed = edit.apply(changed)
        assert changed == format_text(text)


def test_a_statement_is_formatted_when_its_semicolon_is_typed():
    text = "operator f {\n    @attrib {\n        a:int;\n        b:int;\n    }\n}\n"
    offset = text.index(";") + 1
    (edit,) = format_typed(parse_file(text), offset)
    assert edit.apply(text) == text.replace("a:int", "a: int")


@pytest.mark.parametrize("behind", ["\n\noperator f {\n    @input{ x :", "  # Why.\nimport  nn;\n", "import nn;\n"])
def test_an_import_is_formatted_when_its_semicolon_is_typed(behind: str):
    text = f"# A module.\nimport   math ,layer;{behind}"
    (edit,) = format_typed(parse_file(text), text.index(";") + 1)
    behind = behind if behind.startswith((" ", "\n")) else f"\n{behind}"
    assert edit.apply(text) == f"# A module.\nimport math, layer;{behind}"


def test_formatting_adds_no_diagnostics():
    for path in EXAMPLES[:6]:
        text = format_text(_text(path), 60)
        before = snapshot_of({"main.sknd": _text(path)}).diagnostics("main.sknd")
        after = snapshot_of({"main.sknd": text}).diagnostics("main.sknd")
        assert [found.rule.name for found in before] == [found.rule.name for found in after]


@pytest.mark.parametrize("typed", ["b=a+1.0;", "b  =  a ;"])
def test_statements_are_formatted_while_the_file_is_being_written(typed: str):
    text = f"graph g {{\n    @input {{ a: real[2]; }}\n    @compose {{\n   {typed}"
    (edit,) = format_typed(parse_file(text), len(text))
    expected = "        b = a + 1.0;" if "+" in typed else "        b = a;"
    assert edit.apply(text).endswith(f"@compose {{\n{expected}")


def test_a_broken_statement_is_not_split_at_its_semicolon():
    for name in ("semicolon_in_a_declaration", "semicolon_for_a_bracket"):
        path = ROOT / "tests" / "fixtures" / "rules" / "syntax-error" / f"{name}.sknd"
        text = _text(path)
        before = [found.rule.name for found in snapshot_of({"main.sknd": text}).diagnostics("main.sknd")]
        after = [found.rule.name for found in snapshot_of({"main.sknd": format_text(text)}).diagnostics("main.sknd")]
        assert before == after


@pytest.mark.parametrize("where", [0, 1500, 2999])
def test_one_line_among_many_that_are_alike(where: int):
    lines = ["        y[] = 0;\n"] * 3000
    head, foot = "operator f {\n    @output {\n        y: int[];\n    }\n    @lower {\n", "    }\n}\n"
    lines[where] = "        y[]=0;\n"
    text = head + "".join(lines) + foot
    at = len(head) + where * len("        y[] = 0;\n")
    assert [(each.span.start, each.text) for each in format_edits(parse_file(text))] == [(at, "        y[] = 0;\n")]


@pytest.mark.parametrize(
    ("text", "item", "between"),
    [
        ("operator f { @using { z = [{}]; } @output { y: int[]; } @lower { y[] = 0; } }", "1", ","),
        ("operator f { @using { z = [{}]; } @output { y: int[]; } @lower { y[] = 0; } }", "a > 1 ? [2] : f(3)", ","),
        ("operator f { @using { z = {}; } @output { y: int[]; } @lower { y[] = 0; } }", "'a'", " "),
        ("operator f { @input { x: real[{}]; } @output { y: int[]; } @lower { y[] = 0; } }", "n + 1", ","),
        ("graph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = f{{}}(x); } }", "a=1", ","),
        ("graph g { @input { x: real[2]; } @output { y: real[2]; } @compose { {} = f(x); } }", "~", ","),
        ("graph g { @input { x: real[2]; } @output { y: real[2]; } @compose { {} y = f(x); } }", "z = f(x);", " "),
        ("operator f { @output { y: int[]; } @lower { y[] = 1, {}; } }", "i < 3", ","),
        ("operator f { @dtype { {} } @output { y: int[]; } @lower { y[] = 0; } }", "T;", "\n"),
        ("operator f { @dtype { {} } @output { y: int[]; } @lower { y[] = 0; } }", "T x;", " "),
        ("{}", "# a", "\n"),
    ],
)
@pytest.mark.exhaustive
def test_twice_as_much_takes_twice_as_long(text: str, item: str, between: str):
    def format_many(count: int) -> None:
        before, after = text.split("{}")
        formatted = format_text(before + between.join([item] * count) + after)
        assert formatted.count(item) == count

    assert growth_of(format_many, 400) < 6
