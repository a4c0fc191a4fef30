"""No text raises or hangs, however long or strange, and no tree is too deep to be walked by recursion (invariant 2)."""

from __future__ import annotations

import pytest

from snd_analysis import rules
from snd_analysis.base import checked_by
from snd_analysis.skriptnd.syntax import parse_file
from support.analysis.tree_checks import check
from support.analysis.trees import placed_nodes
from support.memory import snapshot_of
from support.sampling import tries

DEEPEST = 700
MANY = tries(1_500, 10_000)
LINES = tries(20_000, 100_000)


def using(expression: str) -> str:
    return f"operator f {{\n    @using {{\n        a = {expression};\n        b = 1;\n    }}\n}}\noperator g {{ }}\n"


HOSTILE = {
    "nothing": "",
    "blanks": " \t\r\n\f\v" * 1000,
    "open brackets": using("(" * MANY),
    "nested parentheses": using("(" * MANY + "1" + ")" * MANY),
    "nested lists": using("[" * MANY + "1" + "]" * MANY),
    "nested attributes": using("f{a=" * MANY + "1" + "}()" * MANY),
    "nested regions": "graph g { @compose { a = " + "{ b = " * MANY + "c" + "; yield b; }" * MANY + "; } }",
    "closing brackets": using(")" * MANY),
    "opening braces": "{" * MANY,
    "closing braces": "}" * MANY,
    "mixed brackets": using("([{" * MANY),
    "subscripts": using("a" + "[0]" * MANY),
    "long sum": using("+".join("a" * MANY)),
    "sums in first operands": using("(" * 250 + ("+".join("a" * 200) + ")+") * 250 + "a"),
    "signs": using("-" * MANY + "a"),
    "folds": using("a" + " + .." * MANY),
    "selections": using("a ? " * MANY + "b"),
    "nested selections": using("a ? b : " * MANY + "c"),
    "fallbacks": using("a ?? " * MANY + "b"),
    "substitutions": using("a[0] <- " * MANY + "b"),
    "dots": using("a" + ".b" * MANY),
    "long list": using("[" + "1, " * MANY + "1]"),
    "commas": using("[" + "," * MANY + "]"),
    "semicolons": using(";" * MANY),
    "deep string": using('"{' + "(" * MANY + "1" + ")" * MANY + '}"'),
    "sum in a string": using('"{' + "(" * 200 + ("+".join("a" * 200) + ")+") * 200 + 'a}"'),
    "fields": using('"' + "{a}" * MANY + '"'),
    "open fields": using('"' + "{" * MANY + '"'),
    "quotes": '"' * MANY,
    "odd quotes": "'\n" * MANY,
    "adjacent strings": using('"a" ' * MANY),
    "large integer": using("9" * 100_000),
    "large real": using("9" * 100_000 + "." + "9" * 100_000 + "e999999999"),
    "large exponent": using("1e" + "9" * 100_000),
    "foreign digits": using("٣ + 1٣ + ²"),
    "long name": using("a" * 1_000_000),
    "long comment": "#" * 1_000_000,
    "lines": "\n" * LINES + "operator f { }\n" + "x = 1;\n" * LINES,
    "garbage lines": "what is ( this\n" * MANY,
    "comments above": "# c\n" * LINES + "operator f { }\n",
    "headers": "operator f {\n" * MANY,
    "headers on one line": "operator f {" * MANY,
    "public": "public " * MANY,
    "blocks": "operator f {" + "@input {" * MANY,
    "unknown blocks": "operator f {" + "@x " * MANY,
    "imports": "import " * MANY,
    "if": "graph g { @compose { a = " + "if b then " * MANY,
    "loops": "graph g { @compose { a = " + "with x = y while z do " * MANY,
    "at": "@" * MANY,
    "illegal": "$%&" * MANY,
    "NUL": "\x00" * MANY + "operator f\x00 { }",
    "NUL in code": using("1 \x00 + \x002"),
    "BOM": "\ufeffoperator f { }",
    "BOM in code": using("\ufeff1"),
    "form feeds": "\foperator f {\f@using {\fa = 1;\f}\f}",
    "line separators": "operator f {\u2028 @using {\u2029 a\x85= 1; }\u00a0}",
    "lone surrogates": using("\ud800 + '\udfff' # \ud800"),
    "carriage returns": "operator f {\r@using {\ra = 1;\r}\r}\r",
    "far planes": using("\U0001f600 + '\U0010ffff'"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str) -> None:
    text = HOSTILE[name]
    tree = check(text)
    for placed in tree.chunks:
        deepest = max(node.depth for node in placed_nodes(placed.chunk.document, len(placed.chunk.text)))
        assert deepest <= DEEPEST


@pytest.mark.parametrize("name", HOSTILE)
def test_edit_of_hostile(name: str) -> None:
    text = HOSTILE[name]
    tree = parse_file(text)
    middle = len(text) // 2
    changed = parse_file(text[:middle] + "x;" + text[middle:], tree)
    assert "".join(placed.chunk.text for placed in changed.chunks) == changed.text


@pytest.mark.parametrize("name", [name for name, text in HOSTILE.items() if text.endswith("operator g { }\n")])
def test_the_next_definition_is_kept(name: str) -> None:
    assert [definition.name.text for _, definition in parse_file(HOSTILE[name]).definitions][-1] == "g"


@pytest.mark.parametrize("name", ["nested parentheses", "subscripts", "long sum", "sums in first operands", "signs"])
def test_depth_is_reported_once(name: str) -> None:
    problems = list(parse_file(HOSTILE[name]).problems)
    assert [problem.rule.name for problem in problems] == ["nesting-too-deep"]


def test_depth_that_is_allowed() -> None:
    for expression in ("(" * 250 + "1" + ")" * 250, "a" + "[0]" * 250, "+".join("a" * 250), "-" * 250 + "a"):
        assert list(parse_file(using(expression)).problems) == []


LARGE = {
    "extents": f"graph g {{ @input {{ x: real[{', '.join(['2'] * 30_000)}]; }} "
    "@output { y: real[2]; } @compose { y = x; } }\n",
    "arguments": using("f(" + ", ".join(["1"] * 30_000) + ")"),
    "items": using("[" + ", ".join(["1"] * 30_000) + "]"),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_too_large_is_one_error(name: str) -> None:
    """Names that it declares are no second mistake."""
    snapshot = snapshot_of({"a.sknd": LARGE[name]})
    errors = [each for each in snapshot.diagnostics("a.sknd") if each.rule == rules.VALUE_TOO_LARGE]
    assert len(errors) == 1
    assert "tokens, more than the 50,000 that snd can handle, is not checked" in errors[0].message


def test_a_text_with_too_many_expressions_is_one_error() -> None:
    problems = [*parse_file('operator f { @assert { a > 0: "' + "{a}" * 20_000 + '"; } }').problems]
    assert [(each.rule, each.message) for each in problems] == [
        (rules.VALUE_TOO_LARGE, "this text has more than the 1,000 expressions and parts that snd can handle")
    ]


@pytest.mark.parametrize("text", ["[" * 100_000, "a " * 100_000, *LARGE.values()])
def test_reading_can_be_ended_at_any_time(text: str) -> None:
    """Between two checkpoints lies work of some milliseconds."""
    count = 0

    def reached() -> None:
        nonlocal count
        count += 1

    with checked_by(reached):
        sum(1 for _ in parse_file(text).problems)
    assert count >= len(text) // 20_000
