"""Every program in tests/mdtest gets exactly the diagnostics that it announces (invariants 6 and 7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from snd_analysis import rules
from support.annotations import parse_annotations
from support.mdtest import Program, Section, rewrite, sections

ROOT = Path(__file__).parents[1] / "mdtest"
SECTIONS = [(path, section) for path in sorted(ROOT.rglob("*.md")) for section in sections(path)]


@pytest.mark.parametrize(
    ("path", "section"), SECTIONS, ids=[f"{path.relative_to(ROOT)}: {each.title}" for path, each in SECTIONS]
)
def test_section(path: Path, section: Section, request: pytest.FixtureRequest):
    wrong = [(each, corrected) for each in section.programs if (corrected := each.corrected()) is not None]
    if wrong and request.config.getoption("--update-goldens"):
        rewrite(path, section.title)
    elif wrong:
        shown = "\n\n".join(f"{path}:{_line(*each)}:\n{each[1]}" for each in wrong)
        pytest.fail(f"this should be (pytest --update-goldens writes it):\n\n{shown}", pytrace=False)


def _line(program: Program, corrected: str) -> int:
    """The line of the Markdown file where an annotation is missing or wrong, counted from 1."""
    pairs = zip(program.text.splitlines(), [*corrected.splitlines(), ""], strict=False)
    same = next((at for at, (written, right) in enumerate(pairs) if written != right), 0)
    return program.line + same + 1


def test_every_rule_about_declarations_is_broken():
    broken = {
        rules.TENSOR_ATTRIBUTE.name,
        rules.ILLEGAL_RANK_CAPTURE.name,
        rules.CAPTURED_RANKS_DIFFER.name,
        rules.ILLEGAL_OPTIONAL.name,
        rules.MISSING_SHAPE.name,
    }
    programs = [
        program.text for path, section in SECTIONS if path.parent.name == "declarations" for program in section.programs
    ]
    assert broken <= {expected.rule for text in programs for expected in parse_annotations(text)[1]}


EXAMPLE = """\
# Index bounds

```sknd
operator f { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,], i < n; } }
# file: other.sknd
operator g { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[n,], i < n; } }
#                                                                              ^ error[access-out-of-range]: outside
```

## Framed

```sknd frame
operator f {
    @input { x: real[n]; } @output { y: real[n]; }
    @lower {
…
    }
}
```

```sknd lines
y[i,] = x[i,], i < n;
y[i,] = x[n,], i < n;
#         ^ error[access-out-of-range]
```
"""


def _wrong(path: Path) -> list[tuple[str, int]]:
    """Titles of sections and numbers of lines where an annotation is missing or wrong."""
    return [
        (section.title, _line(program, corrected))
        for section in sections(path)
        for program in section.programs
        if (corrected := program.corrected()) is not None
    ]


@pytest.mark.parametrize(
    ("before", "after", "title", "line"),
    [
        ("y[i,] = x[i,], i < n; }", "y[i,] = x[n,], i < n; }", "Index bounds", 5),
        (": outside", ": something else", "Index bounds", 7),
        ("y[i,] = x[i,], i < n;\n", "y[i,] = x[n,], i < n;\n", "Index bounds > Framed", 22),
        ("#         ^ error", "#        ^ error", "Index bounds > Framed", 24),
        ("#         ^ error[access-out-of-range]\n", "", "Index bounds > Framed", 23),
    ],
)
def test_mistakes_in_markdown_are_found_and_corrected(tmp_path: Path, before: str, after: str, title: str, line: int):
    path = tmp_path / "example.md"
    path.write_text(EXAMPLE, encoding="utf-8")
    assert _wrong(path) == []
    assert before in EXAMPLE
    path.write_text(EXAMPLE.replace(before, after, 1), encoding="utf-8")
    assert _wrong(path) == [(title, line)]
    rewrite(path, title)
    assert _wrong(path) == []


def test_hints_count_where_one_is_announced(tmp_path: Path):
    text = "operator f { @input { x: real[n]; } @using { a = 1; b = 2; } @output { y: real[n]; } }\n"
    path = tmp_path / "example.md"
    for annotation, wrong in (("", []), ("#   1+1 hint[unused-symbol]\n", [("Hints", 5)])):
        path.write_text(f"# Hints\n\n```sknd\n{text}{annotation}```\n", encoding="utf-8")
        assert _wrong(path) == wrong


def test_facts_are_told_of_what_is_composed(tmp_path: Path):
    text = """\
graph net {
    @input { x: real[s|4]; }
    @output { y: real[4]; }
    @compose { y = x; }
    # shape of y: [s|4]
    # checks: s == 4
    # multiply-adds: 0
}
"""
    path = tmp_path / "example.md"
    for right, wrong, line in ((" y: [s|4]", " y: [4]", 8), ("s == 4", "none", 9), ("-adds: 0", "-adds: 1", 10)):
        path.write_text(f"# Facts\n\n```sknd\n{text.replace(right, wrong)}```\n", encoding="utf-8")
        assert _wrong(path) == [("Facts", line)]
        rewrite(path, "Facts")
        assert _wrong(path) == []
        assert text in path.read_text(encoding="utf-8")
