"""Assertions about symbols: how they are read, and what follows from them together."""

from __future__ import annotations

import pytest

from snd_analysis.nnef1.assertions import assertions_of, facts_by_symbol, first_contradictions
from snd_analysis.nnef1.syntax import parse_file, split
from snd_analysis.symbolic.integers import EqualityVerdict, asserted_unknown, compare, decide_equal
from support.memory import fixed, snapshot_of


def _text(*lines: str) -> str:
    return "version 1.0;\n" + "".join(f"extension tract_assert {line};\n" for line in lines)


def _symbols(*lines: str):
    known = facts_by_symbol(assertions_of(parse_file(_text(*lines)).document.items))
    return {name: asserted_unknown(name, each.low, each.high, each.facts) for name, each in known.items()}


@pytest.mark.parametrize(
    ("lines", "equal"),
    [
        (["S == P + T"], lambda s: (s["S"], s["P"] + s["T"])),
        (["S == P + T", "P == 2 * Q"], lambda s: (2 * s["S"], 4 * s["Q"] + 2 * s["T"])),
        (["H * D == E"], lambda s: (s["H"] * s["D"] * 8, s["E"] * 8)),
        (["S >= P", "S <= P"], lambda s: (s["S"], s["P"])),
        (["S < 5", "S > 3"], lambda s: (s["S"], 4)),
    ],
)
def test_extents_are_equal_by_assertions(lines, equal):
    assert decide_equal(*equal(_symbols(*lines))) is EqualityVerdict.EQUAL


def test_extents_differ_by_assertions():
    symbols = _symbols("S >= P + 1", "P >= T")
    assert decide_equal(symbols["S"], symbols["T"]) is EqualityVerdict.DIFFERENT
    assert str(compare("<", symbols["T"], symbols["S"])) == "true"
    assert decide_equal(symbols["P"], symbols["T"]) is EqualityVerdict.UNKNOWN


def test_bounds_follow_from_each_other():
    known = facts_by_symbol(assertions_of(parse_file(_text("S + P < 4096", "P >= 96", "T <= S")).document.items))
    assert (known["S"].low, known["S"].high) == (0, 3999)
    assert (known["T"].low, known["T"].high) == (0, 3999)


def test_extents_are_shown_in_the_shortest_words():
    symbols = _symbols("S == P + T")
    assert str(2 * symbols["P"] + 2 * symbols["T"] + 1) == "2 * S + 1"
    assert str(symbols["P"]) == "P"


def test_scenarios_are_no_facts():
    assert _symbols("tg: S == 1", "pp: P == 0") == {}


@pytest.mark.parametrize(
    "text", ["S", "S = 4", "S == (4", "S ! 4", "min() == 1", "S == 4 4", "f(S) == 1", "S / 0 == 1"]
)
def test_what_tract_does_not_read(text):
    (found,) = assertions_of(parse_file(_text(text)).document.items)
    assert found.condition is None


@pytest.mark.parametrize(
    "lines",
    [["S < 0"], ["S > P", "P > S"], ["2 * S == 3"], ["S == P + T", "S < P"], ["S >= 8", "S < 8"], ["S == 3", "S == 4"]],
)
def test_contradictions(lines):
    found = assertions_of(parse_file(_text(*lines)).document.items)
    assert [each.text for each, _ in first_contradictions(found)] == lines[-1:]


def test_the_suggested_assertion_is_what_was_missing():
    text = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol S;
extension tract_symbol P;
graph net(x, past) -> (y)
{
    x = tract_core_external(datum_type = 'f32', shape = [S, 2]);
    past = tract_core_external(datum_type = 'f32', shape = [P, 2]);
    y = add(x, past);
}
"""
    (found,) = snapshot_of({"net.nnef": text}).diagnostics("net.nnef")
    repaired = fixed({"net.nnef": text}, found)
    assert "extension tract_symbol P;\nextension tract_assert P == S;\ngraph" in repaired["net.nnef"]
    assert snapshot_of(repaired).diagnostics("net.nnef") == ()


def test_a_number_sign_in_an_assertion_broadcasts():
    text = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol S; # no; assertion
extension tract_symbol T;
extension tract_assert S # T <= 10; # S # T
extension tract_assert S >= 1 # a comment
;
graph net(x) -> (y) { x = tract_core_external(shape = [S, T], datum_type = 'f32'); y = relu(x); }
"""
    snapshot = snapshot_of({"net.nnef": text})
    assert not snapshot.diagnostics("net.nnef")
    assert [text[start:end] for start, end in split(text).comments] == ["# no; assertion", "# S # T", "# a comment"]


@pytest.mark.parametrize(
    ("shape", "rules"),
    [
        ("[B * 2, 96]", []),
        ("[B * 2, 95]", ["assertion-fails"]),
        ("[B + 1, 192]", ["assertion-fails"]),
        ("[B * B, 192]", ["assertion-fails"]),
        ("[S, 192]", ["assertion-fails"]),
        ("[S + B, 192]", ["assertion-fails"]),
    ],
)
def test_shapes_that_differ_for_all_sizes_are_wrong(shape: str, rules: list[str]):
    text = f"""version 1.0;
extension tract_registry tract_core;
extension tract_symbol B;
extension tract_symbol S;

graph g(x, z) -> (y, w)
{{
    x = tract_core_external(shape = [B, 3, 8, 8], datum_type = 'f32');
    z = tract_core_external(shape = [S], datum_type = 'f32');
    y = reshape(x, shape = {shape});
    w = relu(z);
}}
"""
    found = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
    assert [each.rule.name for each in found] == rules
    assert all("0 == 1" not in each.message for each in found)


@pytest.mark.parametrize(("shape", "count"), [("[S, 3, 8]", 0), ("[2, S, 8]", 1)])
def test_tract_pools_over_a_known_number_of_channels(shape: str, count: int):
    text = f"""version 1.0;
extension tract_registry tract_core;
extension tract_symbol S;

graph g(x) -> (y)
{{
    x = tract_core_external(shape = {shape}, datum_type = 'f32');
    y = max_pool(x, size = [1, 1, 2], border = 'ignore');
}}
"""
    found = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
    assert [each.rule.name for each in found] == ["assertion-fails"] * count


@pytest.mark.parametrize(
    ("written", "better"),
    [
        ("S == 2 * (S / 2)", "2 * (S / 2) == S"),
        ("pp: S == P + S / 2", "pp: P + S / 2 == S"),
        ("2 * (S / 2) == S", None),
        ("S == P + SP", None),
        ("S <= 2 * (S / 2)", None),
    ],
)
def test_tract_replaces_a_symbol_without_end_if_its_value_has_it(written: str, better: str | None):
    def text(assertion: str) -> str:
        symbols = "".join(f"extension tract_symbol {each};\n" for each in ("S", "P", "SP"))
        graph = "x = tract_core_external(shape = [S, P, SP], datum_type = 'f32'); y = relu(x);"
        head = f"version 1.0;\nextension tract_registry tract_core;\n{symbols}"
        return f"{head}extension tract_assert {assertion};\ngraph g(x) -> (y)\n{{\n{graph}\n}}\n"

    files = {"graph.nnef": text(written)}
    found = snapshot_of(files).diagnostics("graph.nnef")
    assert [each.rule.name for each in found] == ([] if better is None else ["invalid-assertion"])
    assert [fixed(files, each)["graph.nnef"] for each in found] == ([] if better is None else [text(better)])
