"""After any edits, the analysis of a graph in NNEF 1.0 equals that of a fresh start (invariant 5)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from snd_analysis.base import Node, content_fields
from snd_analysis.ide import front_end
from snd_analysis.ide.inlay_hints import ALL_KINDS
from snd_analysis.skriptnd.syntax.nodes import Entries
from snd_analysis.workspace import Snapshot, Workspace, elaborated
from support.memory import MemoryReader
from support.sampling import tries

PATH = "graph.nnef"
KHRONOS = """version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;

fragment scaled(x: tensor<scalar>, by: scalar = 2.0) -> (y: tensor<scalar>)
{
    t = mul(x, by);
    y = relu(t);
}

graph net(x, z) -> (y, q)
{
    x = external(shape = [2, 3, 8, 8]);
    z = external(shape = [2, 3]);
    w = variable(shape = [4, 3, 3, 3], label = 'conv/w');
    v = variable(shape = [3, 5], label = 'm');
    c = conv(x, w, stride = [2, 2]);
    r = scaled(c, by = 3.0);
    s = scaled(r);
    [a, b] = split(s, axis = 1, ratios = [1, 1]);
    y = a + b * 2.0;
    q = matmul(z, v);
}
"""
TRACT = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol S;

fragment half(x: tensor<scalar>) -> (y: tensor<scalar>)
{
    shape = tract_core_shape_of(x);
    n = slice(shape, axes = [0], begin = [0], end = [1]);
    y = reshape(x, shape = [n, 2, -1]);
}

graph net(x) -> (y)
{
    x = tract_core_external(datum_type = 'f32', shape = [S, 4]);
    shape = tract_core_shape_of(x);
    n = slice(shape, axes = [0], begin = [0], end = [1]);
    shape = concat([n, [2, 2]], axis = 0);
    h = reshape(x, shape = shape);
    g = half(x);
    one = [1.0, 2.0];
    k = h * g;
    m = mul(k, one);
    y = softmax(k, axes = [2]);
}
"""
FILES = {"conv/w.dat": "real [4,3,3,3]", "m.dat": "real [3,5]"}
SPELLINGS = (
    *("x", "y", "shape", "scaled", "1", "2.0", "[", ")", ";", ",", "relu(c)", "S", "= "),
    *("\n", " ", "# c\n", "'m'", "}", "{", '"', "\nfragment f("),
)


def _edited(chance: random.Random, text: str) -> str:
    match chance.randrange(5):
        case 0:
            at = chance.randrange(len(text))
            return text[:at] + chance.choice(SPELLINGS) + text[at:]
        case 1:
            at = chance.randrange(len(text))
            return text[:at] + text[at + chance.randrange(1, 4) :]
        case 2:  # a line away
            lines = text.split("\n")
            del lines[chance.randrange(len(lines))]
            return "\n".join(lines)
        case 3:  # a line twice, or elsewhere
            lines = text.split("\n")
            lines.insert(chance.randrange(len(lines)), chance.choice(lines))
            return "\n".join(lines)
        case _:
            lines = text.split("\n")
            at = chance.randrange(len(lines) - 1)
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
            return "\n".join(lines)


def _plain(value: Any) -> Any:
    """A tree as data that can be compared."""
    if isinstance(value, Node):
        kind = type(value)
        return kind.__name__, value.start, value.end, *(_plain(getattr(value, name)) for name in content_fields(kind))
    if isinstance(value, tuple | Entries):
        return tuple(map(_plain, value))
    return repr(value)


def _known(snapshot: Snapshot) -> Any:
    found = elaborated(snapshot.db, PATH)
    hints = [(hint.offset, hint.text) for hint in front_end(PATH).inlay_hints(snapshot, PATH, None, ALL_KINDS)]
    chains = sorted((_plain(node), chain) for node, chain in found.chains.items())
    return {
        "graph": _plain(found.definition),
        "problems": found.problems,
        "variables": found.variables,
        "chains": chains,
        "hints": hints,
        "diagnostics": snapshot.diagnostics(PATH),
    }


@pytest.mark.parametrize("text", [KHRONOS, TRACT], ids=["khronos", "tract"])
def test_after_edits_everything_is_as_if_it_were_fresh(text: str):
    chance = random.Random(7)
    workspace = Workspace(MemoryReader({**FILES, PATH: text}))
    _known(workspace.snapshot())
    for number in range(tries(60, 600)):
        now = text
        for _ in range(chance.randrange(1, 3)):
            now = _edited(chance, now)
        if number % 3 == 0:
            now = text  # back again
        workspace.open(PATH, now)
        fresh = Workspace(MemoryReader({**FILES, PATH: now})).snapshot()
        expected, found = _known(fresh), _known(workspace.snapshot())
        for key, value in expected.items():
            assert found[key] == value, (key, now)


def test_a_file_that_changes_is_looked_at_again():
    reader = MemoryReader({**FILES, PATH: KHRONOS})
    workspace = Workspace(reader)
    assert workspace.snapshot().diagnostics(PATH) == ()
    reader.files["m.dat"] = "real [3,6]"
    workspace.refresh("m.dat")
    (found,) = workspace.snapshot().diagnostics(PATH)
    assert found.rule.name == "invalid-tensor-file"


def test_an_edit_elaborates_the_edited_entry_alone():
    workspace = Workspace(MemoryReader({**FILES, PATH: KHRONOS}))
    before = elaborated(workspace.snapshot().db, PATH)
    workspace.open(PATH, KHRONOS.replace("stride = [2, 2]", "stride = [2,2]"))
    after = elaborated(workspace.snapshot().db, PATH)
    same = [one.record is other.record for one, other in zip(before.steps, after.steps, strict=True)]
    assert same.count(False) == 2, "the entry, and the head of the graph"
