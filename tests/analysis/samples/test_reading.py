"""Contents and places of samples: in comments above, inside and between definitions, with any line endings."""

from __future__ import annotations

import pytest

from snd_analysis.base import Span
from snd_analysis.skriptnd.names import AttributeName, ModuleName, OperatorName, Symbol, Use
from snd_analysis.skriptnd.samples import Sample
from snd_analysis.workspace import Snapshot
from support.memory import check, shown, snapshot_of

SCALE = """\
operator scale {
    @attrib { factor: real = 2.0; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = factor * x[i,], i < n; }
}
"""
PROGRAM = f"""\
import math; # 𝔘 >>> no line of its own

# >>> math.add([1.0], 2.0)
# z: real[1] = [3.0]

\t# 𝔘𝔘 before it
\t#\t>>>\tscale{{factor=3.0}}([1.0,
\t# ... 2.0])
\t# y: real[2] = [3.0, 6.0]
{SCALE}
operator twice {{
    @input {{ x: real[n]; }}
    @output {{ y: real[n]; }}
    # >>> twice([1.0])
    @compose {{ y = scale(x); }}
}}
# >>> twice(~)
# error: not optional
"""


def samples_of(text: str) -> list[Sample]:
    return [placed.sample for placed in snapshot_of({"a.sknd": text}).samples("a.sknd")]


def _uses(snapshot: Snapshot, path: str) -> list[tuple[Span, Use]]:
    return [
        (use.span.shifted(placed.start), use)
        for placed, checked in snapshot.checked_samples(path)
        for use in snapshot.sample_uses(checked)
    ]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_places_are_those_in_the_file(line_break: str):
    text = PROGRAM.replace("\n", line_break)
    snapshot = snapshot_of({"a.sknd": text})
    found = snapshot.samples("a.sknd")
    assert len(found) == 4
    for placed in found:
        whole = placed.sample.span.shifted(placed.start)
        assert text[whole.start] == "#"
        assert text[whole.end : whole.end + 1] in ("\r", "\n", "")
        call = placed.sample.invocation
        assert call is not None
        function = call.function.span.shifted(placed.start)
        assert text[function.start : function.end] == call.function.text
        for recorded in placed.sample.results:
            name = recorded.name_span.shifted(placed.start)
            assert text[name.start : name.end] == recorded.name


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_every_name_in_a_sample_leads_to_its_use(line_break: str):
    text = PROGRAM.replace("\n", line_break)
    spelled = [
        (text[span.start : span.end], type(use.target)) for span, use in _uses(snapshot_of({"a.sknd": text}), "a.sknd")
    ]
    assert spelled == [
        ("math", ModuleName),
        ("add", OperatorName),
        ("z", Symbol),
        ("scale", OperatorName),
        ("factor", AttributeName),
        ("y", Symbol),
        ("twice", OperatorName),
        ("twice", OperatorName),
    ]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_a_mistake_behind_continued_lines_is_marked_where_it_stands(line_break: str):
    text = PROGRAM.replace("... 2.0", "... 2").replace("\n", line_break)
    files = {"a.sknd": text}
    (found,) = check(files)["a.sknd"]
    span = found.location.span
    assert (found.rule.name, text[span.start : span.end]) == ("type-mismatch", "2"), shown(check(files), files)
    assert text[span.start - 6 : span.start] == "# ... "


def test_a_program_with_samples_is_clean():
    files = {"a.sknd": PROGRAM}
    assert not any(check(files).values()), shown(check(files), files)


@pytest.mark.parametrize(
    ("lines", "tolerance"),
    [
        ("# >>> scale([1.0])\n# y: real[1] = [2.0]\n", 1e-5),
        ("# >>> scale([1.0])\n# y: real[1] = [2.0]\n# ~1e-3\n", 1e-3),
        ("# >>> scale([1.0]) # ~0.5\n# y: real[1] = [2.0]\n", 0.5),
        ("# >>> scale([1.0])\n# ~2.5E-2\n# y: real[1] = [2.0]\n", 0.025),
    ],
)
def test_tolerance(lines: str, tolerance: float):
    (sample,) = samples_of(lines + SCALE)
    assert sample.tolerance == tolerance
    assert sample.results[0].value == (2.0,)


def test_results_end_where_another_comment_begins():
    (sample,) = samples_of(f"# >>> scale([1.0])\n# y: real[1] = [2.0]\n#\n# z: real[1] = [2.0]\n{SCALE}")
    assert [recorded.name for recorded in sample.results] == ["y"]


def test_recorded_values():
    lines = """\
# >>> f()
# a: real[2,2] = [[1.0, nan], [-inf, -0.0]]
# b: int[0] = []
# c: str[2] = ['a # b', "c\\n"]
# d: bool[] = true
# e: real[..[1, 2],3]..(2)
# f: null
# g: real[1000] n=1000 x∈[0, 1] μ=0.5 σ=0.1 nan=0
# h: int[3] = [1, 2, 3] # ~1e-2
"""
    (sample,) = samples_of(lines)
    a, b, c, d, e, f, g, h = sample.results
    assert repr(a.value) == "((1.0, nan), (-inf, -0.0))"
    assert (b.shape, b.value) == ((0,), ())
    assert c.value == ("a # b", "c\n")
    assert d.value is True
    assert (e.shape, e.length, e.value) == (((1, 2), 3), 2, None)
    assert f.dtype is None
    assert g.summary == "n=1000 x∈[0, 1] μ=0.5 σ=0.1 nan=0"
    assert (h.value, h.tolerance) == ((1, 2, 3), 1e-2)
    assert not sample.problems


@pytest.mark.parametrize(
    "text",
    [
        "# >>> f(" + "[" * 3000,
        "# >>> f(" + "-" * 3000 + "1)",
        "# >>> f()\n# y: real[1] = " + "[" * 3000,
        "# >>>",
        "# >>> f(\ufffd\x00)",
    ],
)
def test_no_comment_brings_it_down(text: str):
    (sample,) = samples_of(text)
    assert sample.problems
