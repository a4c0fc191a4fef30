"""Changes of a signature: parameters come, go, move and get other names, and every invocation follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from snd_analysis.base import Span
from snd_analysis.ide.actions import REFACTOR, actions
from snd_analysis.ide.refactoring import (
    MAKE_ATTRIBUTE,
    MOVE_PARAMETER,
    REMOVE_PARAMETER,
    SIGNATURE,
    edited_files,
)
from snd_runtime.limits import Limits
from snd_runtime.samples import RefactoringAnswer, RefactoringRequest, SampleRequest
from snd_runtime.samples.refactoring import refactor
from support.memory import snapshot_of, split_files

PATH = "m.sknd"
FILES = split_files("""# file: m.sknd
import nn, math;

# >>> scaled{k=2}([1.0, 2.0], [3.0, 4.0])
# >>> scaled{k=2, unused=1}([1.0, 2.0],
# ...     [3.0, 4.0])
operator scaled {
    @dtype { T: num = real; }
    @attrib {
        k: int = 1;  # the factor
        # not used
        unused: int = 0;
    }
    @input { x: T[n]; z: T[n]; w: optional T[n]; }
    @output { y: T[n]; }
    @lower { y[i,] = x[i,] * T(k) - z[i,], i < n; }
}

operator user {
    @input { x: real[n]; z: real[n]; }
    @output { y: real[n]; }
    @compose {
        a = scaled<real>{k=2}(x, z);
        b = first: scaled{unused=3, k=3}(
            a,  # here
            z
        );
        y = if n > 1 then scaled(b, x, z) else scaled(x, b, ~);
    }
}
# file: main.sknd
import m;

graph G {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose { y = m.scaled{unused=1}(x, x); }
}
""")


def done(
    kind: str, marked: str, length: int = 0, files: Mapping[str, str] = FILES, **options: Any
) -> RefactoringAnswer:
    """Return the answer of the worker about a place of ``m.sknd``."""
    around = SampleRequest(PATH, files, limits=Limits(seconds=None))
    at = files[PATH].index(marked)
    return refactor(snapshot_of(files), RefactoringRequest(around, kind, Span(at, at + length), tuple(files), options))


def after(kind: str, marked: str, length: int = 0, **options: Any) -> dict[str, str]:
    """Return the files after a refactoring that adds no error and is equal on evaluations."""
    answer = done(kind, marked, length, **options)
    assert answer.refactored is not None, answer.message
    assert ": equal on " in answer.message
    new = {**FILES, **edited_files(snapshot_of(FILES), answer.refactored.edits)}
    found = [each for path in FILES for each in snapshot_of(new).diagnostics(path)]
    assert not [each.message for each in found if each.severity == "error"]
    return new


def was(*names: str) -> list[dict[str, str]]:
    return [{"was": each} for each in names]


def test_inputs_change_their_places():
    new = after(SIGNATURE, "scaled {", inputs=was("z", "w", "x"))
    assert "@input { z: T[n]; w: optional T[n]; x: T[n]; }" in new[PATH]
    assert "# >>> scaled{k=2}([3.0, 4.0], ~, [1.0, 2.0])" in new[PATH]
    assert "# >>> scaled{k=2, unused=1}([3.0, 4.0],\n# ...     ~, [1.0, 2.0])" in new[PATH]
    assert "a = scaled<real>{k=2}(z, ~, x);" in new[PATH]
    assert "            z,  # here\n            ~, a\n        );" in new[PATH]
    assert "then scaled(x, z, b) else scaled(b, ~, x);" in new[PATH]
    assert "m.scaled{unused=1}(x, ~, x)" in new["main.sknd"]


def test_unused_parameters_go_with_their_arguments():
    new = after(SIGNATURE, "scaled {", inputs=was("x", "z"), attributes=was("k"))
    assert "@attrib {\n        k: int = 1;  # the factor\n    }\n    @input { x: T[n]; z: T[n]; }" in new[PATH]
    assert "# >>> scaled{k=2}([1.0, 2.0],\n# ...     [3.0, 4.0])" in new[PATH]
    assert "first: scaled{k=3}(" in new[PATH]
    assert "then scaled(b, x) else scaled(x, b);" in new[PATH]
    assert "m.scaled(x, x)" in new["main.sknd"]


def test_parameters_get_other_names_and_may_swap_them():
    new = after(SIGNATURE, "scaled {", inputs=[{"was": "x", "name": "z"}, {"was": "z", "name": "x"}, {"was": "w"}])
    assert "@input { z: T[n]; x: T[n]; w: optional T[n]; }" in new[PATH]
    assert "y[i,] = z[i,] * T(k) - x[i,], i < n;" in new[PATH]
    new = after(SIGNATURE, "scaled {", attributes=[{"was": "unused"}, {"was": "k", "name": "factor"}])
    assert "        # not used\n        unused: int = 0;\n        factor: int = 1;  # the factor\n    }" in new[PATH]
    assert "scaled{factor=2}([1.0, 2.0], [3.0, 4.0])" in new[PATH]
    assert "first: scaled{unused=3, factor=3}(" in new[PATH]


def test_parameters_are_added():
    more = {"name": "more", "type": "real[]..", "argument": "[]"}
    new = after(
        SIGNATURE,
        "scaled {",
        attributes=[*was("k", "unused"), {"name": "bias", "type": "real", "default": "0.5"}],
        inputs=[*was("x", "z"), {"name": "v", "type": "optional real[]"}, *was("w")],
    )
    assert "        unused: int = 0;\n        bias: real = 0.5;\n    }" in new[PATH]
    assert "@input { x: T[n]; z: T[n]; v: optional real[]; w: optional T[n]; }" in new[PATH]
    assert "then scaled(b, x, ~, z) else scaled(x, b, ~, ~);" in new[PATH]
    assert "a = scaled<real>{k=2}(x, z);" in new[PATH]
    given = {"name": "bias", "type": "real", "argument": "0.5"}
    new = after(SIGNATURE, "scaled {", attributes=[*was("k", "unused"), given])
    assert "# >>> scaled{k=2, bias=0.5}([1.0, 2.0], [3.0, 4.0])" in new[PATH]
    assert "then scaled{bias=0.5}(b, x, z) else scaled{bias=0.5}(x, b, ~);" in new[PATH]
    assert "m.scaled{unused=1, bias=0.5}(x, x)" in new["main.sknd"]
    assert "has no name" not in done(SIGNATURE, "scaled {", inputs=[*was("x", "z", "w"), more]).message


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"inputs": was("x", "w")}, "'z' is used in 'scaled'"),
        ({"attributes": was("unused")}, "'k' is used in 'scaled'"),
        ({"inputs": was("x", "x", "z", "w")}, "'x' is no input of 'scaled', or stands twice"),
        ({"attributes": was("x")}, "'x' is no attribute of 'scaled'"),
        ({"attributes": [*was("k", "unused"), {"name": "v"}]}, "a new attribute has a name and a type"),
        ({"attributes": [{"was": "k", "type": "real"}, *was("unused")]}, "'k' keeps its type and its default"),
        ({"attributes": [{"was": "k", "name": "n"}, *was("unused")]}, "the name would clash with another"),
        ({"attributes": [{"was": "k", "name": "if"}, *was("unused")]}, "'if' is a keyword"),
        ({"inputs": was("x", "z", "w")}, "'scaled' has this signature already"),
        ({"inputs": "x"}, "the signature can't be read: Expected `array | null`, got `str` - at `$.inputs`"),
        ({"inputs": [*was("x", "z", "w"), {"name": "v", "type": "real[]"}]}, "the program would not be right"),
    ],
)
def test_a_change_is_refused_with_the_reason(options: dict[str, Any], reason: str):
    answer = done(SIGNATURE, "scaled {", **options)
    assert answer.refactored is None
    assert reason in answer.message


def test_a_comment_between_removed_arguments_is_not_lost():
    files = {
        PATH: FILES[PATH].replace("            z\n        );", "            z,  # second\n            z\n        );")
    }
    answer = done(SIGNATURE, "scaled {", files=files, inputs=was("x", "z"))
    assert answer.message == "a comment between the items of a list would be lost"


def test_an_unused_parameter_is_removed_at_its_declaration():
    assert "m.scaled(x, x)" in after(REMOVE_PARAMETER, "unused: int")["main.sknd"]
    answer = done(REMOVE_PARAMETER, "z: T[n]")
    assert answer.message == "'z' is used in 'scaled'"


def test_a_parameter_trades_places_with_its_neighbour():
    new = after(MOVE_PARAMETER, "z: T[n]", to="left")
    assert "@input { z: T[n]; x: T[n]; w: optional T[n]; }" in new[PATH]
    assert done(MOVE_PARAMETER, "x: T[n]", to="left").message == "'x' has no place to move to"
    assert "m.scaled{unused=1}(x, ~, x)" in after(MOVE_PARAMETER, "z: T[n]", to="right")["main.sknd"]


VALUES = {
    PATH: """import nn;

operator pooled {
    @input { x: real[b,c,h,w]; }
    @output { y: real[b,c,h / size,w / size]; }
    @using { size = 2; }
    @compose { y = nn.max_pool{size=size, stride=[2, 2]}(x); }
}

operator leaky {
    @attrib { k: int; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = (x[i,] > 0.0 ? x[i,] : 0.1 * x[i,]) * real(k + 3), i < n; }
}
"""
}


@pytest.mark.parametrize(
    ("marked", "length", "options", "expected"),
    [
        ("size = 2;", 0, {}, "operator pooled {\n    @attrib { size: int = 2; }\n    @input"),
        ("[2, 2]", 6, {}, "@attrib { value: int.. = [2, 2]; }"),
        ("0.1", 3, {"name": "slope"}, "@attrib { k: int; slope: real = 0.1; }"),
        ("0.1", 3, {"name": "slope"}, "x[i,] : slope * x[i,]"),
        ("k + 3", 5, {}, "@attrib { k: int; value: int = k + 3; }"),
    ],
)
def test_a_value_becomes_an_attribute_with_a_default(marked: str, length: int, options: dict[str, Any], expected: str):
    answer = done(MAKE_ATTRIBUTE, marked, length, VALUES, **options)
    assert answer.refactored is not None, answer.message
    assert ": equal on " in answer.message
    new = edited_files(snapshot_of(VALUES), answer.refactored.edits)
    assert expected in new[PATH]
    assert not [each.message for each in snapshot_of(new).diagnostics(PATH)]


@pytest.mark.parametrize(("marked", "length"), [("x[i,] > 0.0", 11), ("i < n", 5), ("k: int", 0)])
def test_other_values_do_not(marked: str, length: int):
    assert done(MAKE_ATTRIBUTE, marked, length, VALUES).refactored is None


@pytest.mark.parametrize(
    ("files", "marked", "length", "titles"),
    [
        (FILES, "unused: int", 0, ["remove the attribute 'unused'", "move the attribute 'unused' before 'k'"]),
        (FILES, "z: T[n]", 0, ["move the input 'z' before 'x'", "move the input 'z' behind 'w'"]),
        (VALUES, "size = 2", 0, ["inline 'size'", "turn 'size' into an attribute with its value as the default"]),
        (VALUES, "0.1", 3, ["introduce a name for this expression", "turn '0.1' into an attribute with this default"]),
        (VALUES, "x[i,] > 0.0", 11, ["introduce a name for this expression"]),
    ],
)
def test_the_changes_that_are_possible_are_offered(
    files: Mapping[str, str], marked: str, length: int, titles: list[str]
):
    at = files[PATH].index(marked)
    found = actions(
        snapshot_of(files), PATH, Span(at, at + length), ("refactor",), files=tuple(files), commands={REFACTOR}
    )
    assert [each.title for each in found if not each.title.startswith("replace")] == titles
