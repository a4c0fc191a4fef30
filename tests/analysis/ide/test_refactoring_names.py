"""Refactorings of names: an expression gets one or stands in its place, and a definition that nothing names goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from snd_analysis.base import Span
from snd_analysis.ide.actions import REFACTOR, actions
from snd_analysis.ide.limits import MOST_TRIED_CHARACTERS
from snd_analysis.ide.refactoring import DELETE, INLINE_NAME, INTRODUCE, edited_files
from snd_runtime.limits import Limits
from snd_runtime.samples import RefactoringAnswer, RefactoringRequest, SampleRequest
from snd_runtime.samples.refactoring import refactor
from support.memory import snapshot_of

PATH = "m.sknd"
TEXT = """import nn;

operator pooled {
    @attrib { k: int = 2; }
    @input { x: real[b,c,h,w]; }
    @output { y: real[b,c,h / k,w / k]; }
    @using { size = k * 1; both = [size, size]; }
    @compose {
        y = nn.max_pool{size=both, stride=[k * 1, k * 1]}(x);
    }
}

operator turned {
    @attrib { k: int; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower {
        with scale = 2.0 * x[0,], more = scale + 1.0: y[i,] = x[(i + k) % n,] * more + scale, i < n;
    }
}

operator plain {
    @input { x: real[n,m]; }
    @output { y: real[n,m]; }
    @lower { y[i,j] = x[n - 1 - i,j] * exp(x[0,j]), i < n, j < m; }
}
"""


def done(
    kind: str, texts: Mapping[str, str], span: Span, files: tuple[str, ...] = (), **options: Any
) -> RefactoringAnswer:
    """Return what the worker of the language server answers."""
    around = SampleRequest(PATH, texts, limits=Limits(seconds=None))
    return refactor(snapshot_of(texts), RefactoringRequest(around, kind, span, files, options))


def after(kind: str, text: str, selected: str, at: str | None = None, **options: Any) -> str:
    """Return the text after a refactoring of the first ``selected`` behind ``at``."""
    start = text.index(selected, text.index(at) if at else 0)
    answer = done(kind, {PATH: text}, Span(start, start + len(selected)), **options)
    assert answer.refactored is not None, answer.message
    assert ": equal on " in answer.message
    return edited_files(snapshot_of({PATH: text}), answer.refactored.edits)[PATH]


# The selected expression, and a part of the text afterwards.
INTRODUCED = (
    (
        "h / k",
        None,
        "@output { y: real[b,c,value,w / k]; }\n    @using { size = k * 1; both = [size, size]; value = h / k; }",
    ),
    ("[size, size]", None, "size = k * 1; value = [size, size]; both = value;"),
    ("[k * 1, k * 1]", None, "stride=value}(x);"),
    ("(i + k) % n", None, "more = scale + 1.0, value = (i + k) % n: y[i,] = x[value,] * more"),
    ("2.0 * x[0,]", None, "with value = 2.0 * x[0,], scale = value, more"),
    ("n - 1 - i", None, "with value = n - 1 - i: y[i,j] = x[value,j]"),
    ("exp(x[0,j])", None, "with value = exp(x[0,j]): y[i,j] = x[n - 1 - i,j] * value"),
    ("n - 1", "n - 1 - i", "@input { x: real[n,m]; }\n    @using {\n        value = n - 1;\n    }"),
)


@pytest.mark.parametrize(("selected", "at", "expected"), INTRODUCED, ids=lambda each: each and each[:12])
def test_an_expression_gets_a_name(selected: str, at: str | None, expected: str):
    new = after(INTRODUCE, TEXT, selected, at)
    assert expected in new
    assert not snapshot_of({PATH: new}).diagnostics(PATH)


EQUAL = """operator o {
    @attrib { k: int; }
    @input { x: real[n]; z: real[n + k]; }
    @output { y: real[n * k + 1]; w: real[n]; }
    @using { a = n * k; b = n * k + 2; }
    @lower {
        y[i,] = real(n * k + i), i < n * k + 1;
        with p = 2.0 * x[i,], q = x[i,] + p: w[i,] = x[i,] * (x[i,] + p) - q, i < n;
    }
}
"""


@pytest.mark.parametrize(
    ("selected", "at", "expected"),
    [
        ("n * k", "a = ", ["real[value + 1]", "value = n * k; a = value; b = value + 2;", "(value + i), i < value"]),
        ("n * k", "b = ", ["a = n * k; value = n * k; b = value + 2;", "real[value + 1]"]),
        ("n * k", "y[i", ["a = n * k; b = n * k + 2; value = n * k;", "real[value + 1]", "(value + i), i < value"]),
        ("x[i,]", "p = ", ["with value = x[i,], p = 2.0 * value, q = value + p: w[i,] = value * (value + p) - q"]),
        ("x[i,] + p", "q = ", ["with p = 2.0 * x[i,], value = x[i,] + p, q = value: w[i,] = x[i,] * (value) - q"]),
        ("x[i,] + p", "(x", ["q = x[i,] + p, value = x[i,] + p: w[i,] = x[i,] * (value) - q"]),
    ],
)  # fmt: skip
def test_equal_expressions_get_one_name(selected: str, at: str, expected: list[str]):
    new = after(INTRODUCE, EQUAL, selected, at, places="all")
    assert [each for each in expected if each not in new] == []
    assert not [each for each in snapshot_of({PATH: new}).diagnostics(PATH) if each.severity == "error"]


def test_the_name_may_be_given():
    assert "with last = n - 1 - i: y[i,j] = x[last,j]" in after(INTRODUCE, TEXT, "n - 1 - i", name="last")
    for name in ("k", "if", "2", "x"):
        start = TEXT.index("(i + k) % n")
        answer = done(INTRODUCE, {PATH: TEXT}, Span(start, start + len("(i + k) % n")), name=name)
        assert answer.message == f"'{name}' is no name that is free here"


@pytest.mark.parametrize("selected", ["- 1 - i", "1 - i", "real[n,m]", "y[i,j] = x", "nn.max_pool"])
def test_a_part_of_an_expression_gets_no_name(selected: str):
    start = TEXT.index(selected)
    answer = done(INTRODUCE, {PATH: TEXT}, Span(start, start + len(selected)))
    assert answer.refactored is None


def test_a_guarded_access_is_not_done_earlier():
    """The local value would be computed for all indices, also for those for which it is out of bounds."""
    text = """operator shifted {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = i > 0 ? x[i - 1,] : 0.0, i < n; }
}
"""
    start = text.index("x[i - 1,]")
    answer = done(INTRODUCE, {PATH: text}, Span(start, start + len("x[i - 1,]")))
    assert answer.refactored is None


# The name, and a part of the text afterwards.
INLINED = (
    ("size = k", None, "@using { both = [(k * 1), (k * 1)]; }"),
    ("both = ", None, "nn.max_pool{size=[size, size], stride"),
    ("scale + 1.0", None, "with more = (2.0 * x[0,]) + 1.0: y[i,] = x[(i + k) % n,] * more + (2.0 * x[0,]), i < n;"),
    ("more + scale", None, "with scale = 2.0 * x[0,]: y[i,] = x[(i + k) % n,] * (scale + 1.0) + scale, i < n;"),
)


@pytest.mark.parametrize(("selected", "at", "expected"), INLINED, ids=lambda each: each and each[:12])
def test_an_expression_stands_in_place_of_its_name(selected: str, at: str | None, expected: str):
    assert expected in after(INLINE_NAME, TEXT, selected, at)


@pytest.mark.parametrize("selected", [each[0] for each in INTRODUCED if each[1] is None])
def test_a_name_that_was_introduced_can_be_inlined(selected: str):
    new = after(INTRODUCE, TEXT, selected)
    back = after(INLINE_NAME, new, "value")
    assert back.replace("(", "").replace(")", "").split() == TEXT.replace("(", "").replace(")", "").split()


@pytest.mark.parametrize("selected", ["k: int = 2", "x: real[n]", "i < n", "y = nn"])
def test_other_names_are_not_inlined(selected: str):
    start = TEXT.index(selected)
    assert done(INLINE_NAME, {PATH: TEXT}, Span(start, start)).message.startswith("choose a helper symbol")


USED = """import m;

graph G {
    @input { x: real[2,2,4,4]; }
    @output { y: real[2,2,2,2]; }
    @compose { y = m.pooled(x); }
}
"""


def test_a_definition_that_nothing_names_is_deleted_with_its_samples():
    text = f"""{TEXT}
# Unused.
# >>> lonely([1.0])
operator lonely {{
    @input {{ x: real[n]; }}
    @output {{ y: real[n]; }}
    @compose {{ y = nn.relu(x); }}
}}
"""
    start = text.index("operator lonely") + len("operator ")
    answer = done(DELETE, {PATH: text, "main.sknd": USED}, Span(start, start), ("main.sknd",))
    assert answer.message == "deleted 'lonely', which nothing names"
    assert answer.refactored is not None
    assert edited_files(snapshot_of({PATH: text}), answer.refactored.edits)[PATH] == TEXT


def test_a_definition_that_is_used_is_not_deleted():
    start = TEXT.index("operator pooled") + len("operator ")
    answer = done(DELETE, {PATH: TEXT, "main.sknd": USED}, Span(start, start), ("main.sknd",))
    assert answer.message == "'pooled' is used in main.sknd, line 6"


def test_in_large_files_too_only_unused_operators_may_be_deleted():
    text = f"{TEXT}\n{'# long' * MOST_TRIED_CHARACTERS}\n"
    files = {PATH: text, "main.sknd": USED}
    for name, is_offered in (("pooled", False), ("turned", True)):
        at = text.index(f"operator {name}") + len("operator ")
        found = actions(snapshot_of(files), PATH, Span(at, at), files=[*files], commands={REFACTOR})
        assert any(each.title.startswith("delete") for each in found) == is_offered
