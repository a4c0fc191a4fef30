"""Programs of hostile sizes: each ends soon, and without an exception."""

from __future__ import annotations

import time

import pytest

from snd_analysis.compose import MOST_OPERATIONS, decompose, flat_size
from snd_analysis.compose.limits import MOST_LEVELS
from snd_analysis.workspace import Workspace
from support.analysis.composing import composed
from support.memory import MemoryReader, snapshot_of
from support.sampling import sample

# Far above what any of these takes, and far below what any of them took without limits.
_SECONDS = 60.0

_LEAF = "operator o0 { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,], i < n; } }\n"
_GRAPH = "graph net { @input { x: real[4]; } @output { y: real[4]; } @compose { y = o%d(x); } }\n"


def _level(at: int, statements: str) -> str:
    return f"operator o{at} {{ @input {{ x: real[n]; }} @output {{ y: real[n]; }} @compose {{ {statements} }} }}\n"


def _chain(depth: int) -> str:
    return _LEAF + "".join(_level(at, f"y = o{at - 1}(x);") for at in range(1, depth + 1)) + _GRAPH % depth


def _doubling(depth: int) -> str:
    levels = (_level(at, f"t = o{at - 1}(x); y = o{at - 1}(t);") for at in range(1, depth + 1))
    return _LEAF + "".join(levels) + _GRAPH % depth


def _using(statements: str, inputs: str = "x: real[m];", given: str = "x: real[q|9];") -> str:
    return (
        "operator k { @attrib { n: int; } "
        f"@input {{ {inputs} }} @output {{ y: real[]; }} @using {{ {statements} }} }}\n"
        f"graph main {{ @input {{ {given} }} @output {{ y: real[]; }} @compose {{ y = k{{n=10 ** 12}}(x); }} }}\n"
    )


def _steps(first: str, step: str, count: int = 60) -> str:
    return f"a0 = {first}; " + " ".join(f"a{at} = {step.replace('@', f'a{at - 1}')};" for at in range(1, count))


def _selections(operator: str, count: int) -> str:
    return operator.join(f"(m % {at} == 0 ? m : {at})" for at in range(2, count + 2))


HOSTILE = {
    "pack of inputs": "graph main { @input { x: real[3]..(10 ** 9); } @output { y: real[3]; } @compose { y = x[0]; } }",
    "rank of an input": (
        "graph main { @input { x: real[2 ..(10 ** 20)]; } @output { y: real[]; } @compose { y = 1.0; } }"
    ),
    "shape from a range": (
        "import layout; graph main { @input { x: real[3]; } @output { y: real[3]; }\n"
        "@compose { y = x; ~ = layout.reshape{shape=[0:10 ** 12]}(x); } }"
    ),
    "ranges": _using("a = [0:n]; b = a + ..; c = a * a + ..; d = a[::-1]; e = [(a, d)..]; f = e + ...; g = a ** a;"),
    "repetitions": _using("a = [m ..(n)]; b = a + 1; c = b * a + ..; d = [a.., a.., 3]; e = d[1:]; f = a + ...;"),
    "squares": _using(_steps("n", "@ * @")),
    "squares of an extent": _using(_steps("m", "@ * (@ + 1)")),
    "powers": _using("a = 2 ** (2 ** n); b = 2 ** (2 ** [0:60]); c = b * ..;"),
    "strings": _using(_steps("'ab'", "'{@}{@}'")),
    "packs": _using(_steps("[m, 2]", "[@.., @..]")),
    "packs of open extents": _using(_steps("s", "[@.., @..]"), "x: real[s..(d)];", "x: real[q|9,r|9];"),
    "zips": _using(_steps("[m, 2]", "[(@, @)..]")),
    "minima": _using(_steps("m", "(@ <? (n + 1)) + (@ >? (m * 3))")),
    "selections": _using(_steps("m", "@ > 3 ? @ + m : @ * m")),
    "selections of products": _using(_steps("m", "@ > 3 ? @ * @ : @ - m")),
    "selections in quotients": _using(_steps("m", "(@ == m ? @ + 1 : @ * m) % 7 + @")),
    "independent selections": _using(f"a = {_selections(' + ', 60)}; b = a * a; c = b > a ? b * a : a + b;"),
    "products of selections": _using(f"a = {_selections(' * ', 30)}; b = a > 3 ? a : m;"),
    "exclusive conditions": _using(
        "b0 = m > 3; " + " ".join(f"b{at} = b{at - 1} ^ (m % {at} == 1);" for at in range(1, 60)) + " c = b59 ? m : 1;"
    ),
    "casts": _using("a = int(1e308); b = a * a; c = real(b * b); d = int(c);"),
}


@pytest.mark.parametrize("name", sample(HOSTILE, 4))
def test_ends(name: str) -> None:
    start = time.process_time()
    snapshot_of({"main.sknd": HOSTILE[name]}).diagnostics("main.sknd")
    assert time.process_time() - start < _SECONDS


@pytest.mark.exhaustive
def test_many_operators_that_invoke_one_another(recursion: None) -> None:
    start = time.process_time()
    assert not snapshot_of({"main.sknd": _chain(MOST_LEVELS - 2)}).diagnostics("main.sknd")
    assert time.process_time() - start < _SECONDS


@pytest.mark.exhaustive
def test_far_too_many_levels_of_operators(recursion: None) -> None:
    start = time.process_time()
    text = _chain(3000)
    snapshot = snapshot_of({"main.sknd": text})
    (found,) = snapshot.diagnostics("main.sknd")
    assert found.rule.name == "nesting-too-deep"
    assert text[found.location.span.start : found.location.span.end] == f"o{MOST_LEVELS}"
    assert time.process_time() - start < _SECONDS


def test_mending_what_has_too_many_levels(recursion: None) -> None:
    text = _chain(MOST_LEVELS + 5)
    workspace = Workspace(MemoryReader({"main.sknd": text}))
    (found,) = workspace.snapshot().diagnostics("main.sknd")
    assert found.rule.name == "nesting-too-deep"
    assert text[found.location.span.start : found.location.span.end] == f"o{MOST_LEVELS}"
    workspace.open("main.sknd", text.replace("{ y = o9(x); }", "{ y = o0(x); }"))
    assert not workspace.snapshot().diagnostics("main.sknd")


def _squares(times: int, given: str) -> str:
    statements = "".join(f"t{at} = square(t{at - 1}); " for at in range(1, times + 1))
    return (
        "operator square { @input { x: real[n]; } @output { y: real[n * n + 1]; } "
        "@lower { y[i,] = x[0,], i < n * n + 1; } }\n"
        f"graph net {{ @input {{ x: {given}; }} @output {{ y: real[1]; }} @compose {{ t0 = x; {statements} "
        "y = x[0:1]; } }\n"
    )


@pytest.mark.parametrize("given", ["real[s|4]", "real[s]"])
@pytest.mark.parametrize("times", sample([12, 25, 200], 1))
def test_bounds_have_a_limit(times: int, given: str) -> None:
    start = time.process_time()
    snapshot_of({"main.sknd": _squares(times, given)}).diagnostics("main.sknd")
    assert time.process_time() - start < _SECONDS


def _dynamic(depth: int, assertion: str = "") -> str:
    """Each level twice the one below it, the extents known by the run only; ``assertion`` is the leaf's."""
    leaf = (
        "operator o0 { @input { x: real[n]; } @output { y: real[k|n]; } "
        f"@assert {{ {assertion} }} @lower {{ y[k,] = x[i,], i < n; }} }}\n"
    )
    levels = "".join(
        _level(at, f"t = o{at - 1}(x); y = o{at - 1}(t);").replace("y: real[n]", "y: real[~|n]")
        for at in range(1, depth + 1)
    )
    graph = (
        f"graph net {{ @input {{ x: real[s|64]; }} @output {{ y: real[~|64]; }} @compose {{ y = o{depth}(x); }} }}\n"
    )
    return (leaf if assertion else leaf.replace("@assert {  } ", "")) + levels + graph


@pytest.mark.parametrize("depth", sample([8, 14, 30], 1))
def test_dynamic_extents_do_not_double(depth: int) -> None:
    start = time.process_time()
    assert not snapshot_of({"main.sknd": _dynamic(depth)}).diagnostics("main.sknd")
    assert time.process_time() - start < _SECONDS


def test_a_dynamic_extent_stays_that_of_its_invocation() -> None:
    times = 90
    statements = "".join(f"t{at} = o0(t{at - 1}); " for at in range(1, times + 1))
    text = _dynamic(0, "n >= 0 && n != 7: 'odd';").split("graph")[0] + (
        "graph net { @input { x: real[s|64]; } @output { y: real[~|64]; } "
        f"@compose {{ t0 = x; {statements} y = o0(t{times}); }} }}\n"
    )
    composition = composed(text)
    assert not composition.failures
    assert composition.graph is not None
    operations = composition.graph.operations
    assert len({operation.callee for operation in operations}) < times
    extents = [operation.outputs[0].shape[0] for operation in operations]
    assert len(set(extents)) == len(extents) == times + 1
    for operation in operations:
        (given,) = operation.inputs
        (check,) = operation.checks
        assert check.condition.leaves == given.shape[0].leaves


def test_what_is_too_large_is_told_once() -> None:
    leaf = _LEAF.replace("y: real[n]", "y: real[n * 2 ** 64]")
    levels = "".join(
        _level(at, f"t = o{at - 1}(x); y = o{at - 1}(t);").replace("y: real[n]", f"y: real[n * 2 ** (64 * 2 ** {at})]")
        for at in range(1, 61)
    )
    text = leaf + levels + (_GRAPH % 60).replace("y: real[4]", "y: real[4 * 2 ** (64 * 2 ** 60)]")
    start = time.process_time()
    (found,) = snapshot_of({"main.sknd": text.replace("o6(", "o3(")}).diagnostics("main.sknd")
    assert found.rule.name == "value-too-large"
    assert "2 ** (64 * 2 ** 7)" in text[: found.location.span.end]
    assert time.process_time() - start < _SECONDS


@pytest.mark.parametrize("body", sample(["neg(v)", "{ w = neg(v); yield w; }", "{ yield v; }", "many(v)"], 1))
def test_loops_in_loops(body: str) -> None:
    text = (
        "operator neg { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = -x[i,], i < n; } }\n"
        "operator many { @input { x: real[n]; } @output { y: real[n]; } "
        "@compose { y = with v = x unroll..(4096) neg(v); } }\n"
        "graph main { @input { x: real[4]; } @output { y: real[4]; z: real[4]; }\n@compose {\n"
        f"y = with t = x unroll..(4096) {{ u = with v = t unroll..(4096) {body}; yield u; }};\n"
        "z = with v = x unroll..(4096) neg(v); } }\n"
    )
    start = time.process_time()
    (found,) = snapshot_of({"main.sknd": text}).diagnostics("main.sknd")
    assert found.rule.name == "value-too-large"
    assert text[found.location.span.start :].startswith("unroll")
    assert time.process_time() - start < _SECONDS


def test_a_flat_graph_has_a_limit() -> None:
    graph = composed(_doubling(40)).graph
    assert graph is not None
    assert flat_size(graph, lambda name: True) == 2**40
    flat = decompose(graph, lambda name: True, "main.sknd")
    assert MOST_OPERATIONS / 2 < len(flat.operations) <= MOST_OPERATIONS + 1


def test_a_graph_below_the_limit_is_flat() -> None:
    graph = composed(_doubling(8)).graph
    assert graph is not None
    assert len(decompose(graph, lambda name: True, "main.sknd").operations) == 2**8


@pytest.fixture
def recursion() -> object:
    """As deep as the command may recurse."""
    import sys

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    yield None
    sys.setrecursionlimit(before)
