"""Signatures of invocations that are being written."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from snd_analysis.ide import SignatureHelp
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.signature_help import signature_help
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from support.memory import read_program, snapshot_of

ROOT = Path(__file__).parents[3]
PROGRAM = """import math, nn;

# Adds up.
#
# - `by`: a number.
operator shift {
    @dtype { T: num = real; }
    @attrib { by: int; pad: T = T(0); }
    @input { x: T[b, n]; w: T[n]; }
    @output { y: T[b, n]; }
    @lower { y[i, j] = T(@LOWER@), i < b, j < n; }
}

graph main {
    @input { a: real[4]; }
    @output { r: real[4]; }
    @compose {
        first = math.neg(a);
        @HERE@
        last = math.neg(a);
    }
}
"""


def _is_call(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Call)


def _help(statement: str, place: str = "@HERE@") -> SignatureHelp | None:
    """Return the signature help at the bar in a statement."""
    text = PROGRAM.replace(place, statement).replace("@HERE@", "").replace("@LOWER@", "0")
    offset = text.index("¦")
    return signature_help(snapshot_of({"main.sknd": text.replace("¦", "")}), "main.sknd", offset)


def _active(found: SignatureHelp) -> str | None:
    if found.active is None:
        return None
    span = found.parameters[found.active].span
    return found.label[span.start : span.end]


@pytest.mark.parametrize(
    ("statement", "active"),
    [
        ("r = shift<¦", "T: num = real"),
        ("r = shift<real¦>{by=1}(a, a);", "T: num = real"),
        ("r = shift{¦", "by: int"),
        ("r = shift{¦}(a, a);", "by: int"),
        ("r = shift{pad=1.0, ¦", "by: int"),
        ("r = shift{by=1, ¦", "pad: T = T(0)"),
        ("r = shift{by=1, p¦", "pad: T = T(0)"),
        ("r = shift{by=¦", "by: int"),
        ("r = shift{by=[1, 2, ¦", "by: int"),
        ("r = shift{by=(1 + ¦", "by: int"),
        ("r = shift{by=1, pad=\"{b¦", "pad: T = T(0)"),
        ("r = shift<real>{by=1}(¦", "x: T[b, n]"),
        ("r = shift{by=1}(a, ¦", "w: T[n]"),
        ("r = shift{by=1}([a, a], ¦a);", "w: T[n]"),
        ("r = shift{by=1}(a, # the weights, next\n ¦", "w: T[n]"),
        ("r = if c then shift(a, ¦a) else a;", "w: T[n]"),
        ("r = if c then { q = shift(¦a); yield q; } else a;", "x: T[b, n]"),
        ("r = label: shift(a, ¦a);", "w: T[n]"),
        ("r = with s = a do..(3) shift(¦s, a);", "x: T[b, n]"),
        ("r = oops(shift{by=¦", "by: int"),
        ("r = shift(a, a, ¦", None),
        ("r = shift{oops=¦", None),
    ],
)  # fmt: skip
def test_the_active_parameter_is_marked(statement: str, active: str | None):
    found = _help(statement)
    assert found is not None
    assert found.label == "shift<T: num = real>{by: int, pad: T = T(0)}(x: T[b, n], w: T[n]) → y: T[b, n]"
    assert found.documentation == "Adds up."
    assert _active(found) == active
    assert [each.documentation for each in found.parameters if each.name == "by"] == ["a number."]


@pytest.mark.parametrize(
    ("statement", "label", "active"),
    [
        ("r = nn.conv{stride=¦", "nn.conv{stride: int", "stride: int..(d) = 1"),
        ("r = layout.concat{¦", "layout.concat<T: type>{axis: int", "axis: int"),
        ("r = shift{by=abs(¦", "abs(x: int or real)", "x: int or real"),
        ("r = math.add(nn.relu(¦", "nn.relu", "x: real[s..]"),
    ],
)
def test_of_other_modules_and_built_in_functions(statement: str, label: str, active: str):
    found = _help(statement)
    assert found is not None
    assert found.label.startswith(label)
    assert _active(found) == active


def test_in_formulas():
    found = _help("sqrt(¦", "@LOWER@")
    assert found is not None
    assert (found.label, _active(found)) == ("sqrt(x: real)", "x: real")


@pytest.mark.parametrize(
    "statement",
    ["¦", "r = ¦", "r = shift{by=1}(a, a)¦;", "r = a < b(¦", "r = [a, ¦", "# shift(¦", "r = (a, ¦", "r = unknown(¦"],
)
def test_nothing_where_nothing_is_invoked(statement: str):
    assert _help(statement) is None


def test_the_head_of_a_definition_is_no_invocation():
    text = "operator f {¦\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n}\n"
    snapshot = snapshot_of({"a.sknd": text.replace("¦", "")})
    assert signature_help(snapshot, "a.sknd", text.index("¦")) is None


@pytest.mark.parametrize("program", ["lenet", "lstm", "detection", "transformer"])
def test_every_argument_and_attribute_of_the_examples(program: str):
    """The active parameter agrees with the tree, also if the text ends behind it."""
    files = read_program(ROOT / "examples" / program)
    snapshot = snapshot_of(files)
    chance = random.Random(program)
    for path, text in files.items():
        calls = []
        for start, definition in snapshot.tree(path).definitions:
            knowledge = Knowledge(snapshot, path, start, definition)
            for block in definition.blocks:
                for entry in getattr(block, "entries", ()):
                    for call in filter(_is_call, nodes.descendants(entry)):
                        target = knowledge.resolution.targets.get(call.function)
                        if isinstance(target, OperatorName):
                            calls.append((start + entry.start, call, target))
        for base, call, target in chance.sample(calls, min(10, len(calls))):
            definition = snapshot.definition(target)
            assert definition is not None
            for item in call.attributes.items if call.attributes else ():
                place = base + item.value.start
                for shown in (snapshot, snapshot_of({**files, path: text[:place]})):
                    found = signature_help(shown, path, place)
                    assert found is not None
                    assert found.active is not None
                    assert found.parameters[found.active].name == item.name.text
            for argument in call.arguments:
                found = signature_help(snapshot, path, base + argument.start)
                assert found is not None
                assert found.active is not None
                assert found.label.startswith(call.function.text)
