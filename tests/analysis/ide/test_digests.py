"""A value depends on the meaning of its definitions, not on their layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from snd_analysis.ide.evaluation import graphs_in
from snd_analysis.skriptnd.format import format_text
from support.memory import read_program, snapshot_of

ROOT = Path(__file__).parents[3]
EXAMPLES = ("lenet", "lstm", "detection", "transformer")
NET = """import math;

graph net {
    @input { x: real[n]; k: real[n]; }
    @output { y: bool[n]; }
    @compose {
        a = math.add(x, 1.0);
        y = math.lt(a, k);
    }
}
"""


def digests(files: dict[str, str]) -> list[str]:
    snapshot = snapshot_of(files)
    return [each.digest for path in sorted(files) for each in graphs_in(snapshot, path)]


@pytest.mark.parametrize("example", EXAMPLES)
def test_formatting_blanks_and_comments_change_nothing(example: str):
    files = read_program(ROOT / "examples" / example)
    before = digests(files)
    assert before
    for change in (
        lambda text: format_text(text, 60),
        lambda text: text.replace(";\n", "   ;  # a remark\n\n"),
        lambda text: text.replace("\n", "\r\n").replace("    ", "\t"),
        lambda text: text.replace("graph", "# Above.\n\ngraph"),
    ):
        assert digests({path: change(text) for path, text in files.items()}) == before


@pytest.mark.parametrize(
    ("before", "now"),
    [("1.0", "1.00"), ("(a, k)", "(k, a)"), ("add", "sub"), ("a = math", "b = math"), ("y: bool[n]", "y: bool[..]")],
)
def test_what_is_said_counts(before: str, now: str):
    assert digests({"main.sknd": NET.replace(before, now)}) != digests({"main.sknd": NET})


def test_blanks_count_where_they_part_symbols_or_stand_in_strings():
    formula = (
        "operator op { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,] < -1.0 ? 0.0 : 1.0; } }"
    )
    one = NET.replace("math.add(x, 1.0)", "op(x)") + formula
    assert digests({"main.sknd": one}) != digests({"main.sknd": one.replace("< -", "<-")})
    text = NET.replace("@compose", "@assert { n > 0: 'too few'; }\n    @compose")
    assert digests({"main.sknd": text}) != digests({"main.sknd": text.replace("too few", "too  few")})
