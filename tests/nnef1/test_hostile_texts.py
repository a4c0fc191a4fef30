"""Texts in NNEF 1.0 that would take any time or memory: each costs a message (``value-too-large``, as in SkriptND)."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterator

import pytest

from snd_analysis.base import Severity, checked_by
from snd_analysis.workspace import Workspace
from support.confinement import TookTooLong, confined
from support.memory import MemoryReader, snapshot_of
from support.sampling import sample, tries

_HEAD = (
    "version 1.0;\nextension KHR_enable_fragment_definitions;\nextension KHR_enable_operator_expressions;\n"
    "{}graph network(x) -> (y) {{ x = external<scalar>(shape = [1, 4]); {} }}\n"
)
_FRAGMENT = (
    "fragment f{0}(x: tensor<scalar>, k: {3}) -> (y: tensor<scalar>) "
    "{{ a = f{1}(x, k = {2}); y = f{1}(a, k = {2}); }}\n"
)
_TOO_LARGE = {"value-too-large"}
_DEEP = {"nesting-too-deep"}


def _of(expression: str) -> str:
    """A text with an expression whose value nothing needs but its length."""
    fragment = f"fragment f(x: tensor<scalar>) -> (y: tensor<scalar>) {{ s = {expression}; y = relu(x); }}\n"
    return _HEAD.format(fragment, "y = f(x);")


def _levels(argument: str, type_: str, first: str, last: str = "y = relu(x);") -> str:
    """Fragments that invoke one another twice, forty levels deep."""
    lowest = f"fragment f0(x: tensor<scalar>, k: {type_}) -> (y: tensor<scalar>) {{ {last} }}\n"
    levels = "".join(_FRAGMENT.format(at, at - 1, argument, type_) for at in range(1, 41))
    return _HEAD.format(lowest + levels, f"y = f40(x, k = {first});")


def _recursion(argument: str, type_: str, first: str) -> str:
    fragment = f"fragment f(x: tensor<scalar>, k: {type_}) -> (y: tensor<scalar>) {{ y = f(x, k = {argument}); }}\n"
    return _HEAD.format(fragment, f"y = f(x, k = {first});")


def _within(depth: int, item: str) -> str:
    return item if depth == 0 else f"length_of([for i{depth} in range_of([0] * 900) yield {_within(depth - 1, item)}])"


@pytest.fixture(autouse=True)
def _depth() -> Iterator[None]:
    """As the command and the server have it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    yield
    sys.setrecursionlimit(before)


_BRANCHES = _HEAD.format(
    "fragment twice(x: tensor<scalar>, n: integer = 2) -> (y: tensor<scalar>)\n"
    "{ y = x * 2.0 if n == 0 else twice(x, n = n - 1); y = concat([twice(a), twice(b, n = 3)], axis = 1); }\n",
    "y = twice(x, n = 3);",
)
ATTACKS = {
    "a string, repeated": (_of('"abc" * 3000000000'), _TOO_LARGE),
    "repeats a string": (_of('3000000000 * "abc"'), _TOO_LARGE),
    "an array, repeated": (_of("[0] * 3000000000"), _TOO_LARGE),
    "an array, repeated twice": (_of("[0, 1] * 60000 * 60000"), _TOO_LARGE),
    "comprehensions": (_of(_within(4, "1")), _TOO_LARGE),
    "comprehensions of arrays": (_of(f"[for i in range_of([0] * 60000) yield {'[0] * 60000'}]"), _TOO_LARGE),
    "positions": (_of(f"[{', '.join(['range_of([0] * 60000)'] * 40)}]"), _TOO_LARGE),
    "digits": (_of("9" * 6_000), _TOO_LARGE),
    "digits in a string": (_of(f'integer("{"9" * 6_000}")'), _TOO_LARGE),
    "a power": (_of("2 ^ 100000000"), set()),
    "powers": (_of("3 ^ 3000 ^ 3000"), set()),
    "an array of many items": (_of(f"[{'1, ' * 70_000}1]"), _TOO_LARGE),
    "brackets": (_HEAD.format("", f"y = {'(' * 20_000}x{')' * 20_000};"), {*_DEEP, "output-not-assigned"}),
    "operators in a row": (_HEAD.format("", f"y = x{' + x' * 20_000};"), {*_DEEP, "output-not-assigned"}),
    "indices in a row": (_of(f"[0]{'[0:1]' * 20_000}"), _DEEP),
    "fragments that double": (_levels("k", "integer", "1"), _TOO_LARGE),
    "fragments that double and do nothing": (_levels("2 * k", "integer", "1", "y = x;"), _TOO_LARGE),
    "a string that doubles": (_recursion("k + k", "string", '"ab"'), {*_TOO_LARGE, "recursive-operator"}),
    "an array that doubles": (_recursion("k + k", "integer[]", "[1, 2]"), {*_TOO_LARGE, "recursive-operator"}),
    "an integer that is squared": (_recursion("k * k", "integer", "3"), {*_TOO_LARGE, "recursive-operator"}),
    "an endless recursion": (_recursion("k", "integer", "3"), {"recursive-operator"}),
}


@pytest.mark.parametrize("name", sample(ATTACKS, 14))
def test_it_costs_a_message(name: str) -> None:
    text, expected = ATTACKS[name]
    try:
        with confined():
            found = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
    except TookTooLong as error:
        pytest.fail(str(error))
    assert {each.rule.name for each in found if each.severity is Severity.ERROR} <= expected
    assert not expected or {each.rule.name for each in found} & expected


@pytest.mark.parametrize(
    "expression", ['"abc" * 30000000', "[0] * 30000000", "[for i in range_of([0] * 3000000) yield i]"]
)
def test_nothing_is_made_that_is_refused(expression: str) -> None:
    text = _of(expression)
    snapshot_of({"graph.nnef": _of("1")}).diagnostics("graph.nnef")  # loads what it takes
    tracemalloc.start()
    try:
        snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_long_graphs_and_sums_are_no_reason() -> None:
    length = tries(1_000, 3_000)
    statements = "t0 = x; " + "".join(f"t{at + 1} = relu(t{at}); " for at in range(length))
    assert not snapshot_of({"graph.nnef": _HEAD.format("", f"{statements} y = t{length};")}).diagnostics("graph.nnef")
    assert not snapshot_of({"graph.nnef": _HEAD.format("", f"y = x{' + x' * 300};")}).diagnostics("graph.nnef")


@pytest.mark.exhaustive
def test_a_branch_that_is_entered_again_and_again() -> None:
    with confined():
        found = snapshot_of({"graph.nnef": _BRANCHES}).diagnostics("graph.nnef")
    assert {each.rule.name for each in found} >= _TOO_LARGE


@pytest.mark.parametrize("text", [ATTACKS["fragments that double"][0], _BRANCHES], ids=["doubling", "branches"])
def test_a_question_can_be_ended_within_fragments(text: str) -> None:
    class EndError(Exception):
        pass

    class Count:
        left = 1_000

        def __call__(self) -> None:
            self.left -= 1
            if self.left < 0:
                raise EndError

    checkpoint = Count()
    snapshot = Workspace(MemoryReader({"graph.nnef": text})).snapshot()
    with pytest.raises(EndError), checked_by(checkpoint):
        snapshot.diagnostics("graph.nnef")
    assert checkpoint.left == -1


def test_a_long_chain_of_invocations_is_told_by_its_ends() -> None:
    found = snapshot_of({"graph.nnef": ATTACKS["an endless recursion"][0]}).diagnostics("graph.nnef")
    assert all(len(each.related) <= 10 for each in found)


def test_unknown_names_are_compared_with_all_others_a_hundred_times() -> None:
    statements = "".join(f"tensor{at} = relu(x); " for at in range(200))
    lines = "".join(f'"tonsor{at}": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n' for at in range(200))
    texts = {"graph.nnef": _HEAD.format("", f"{statements} y = tensor1;"), "graph.quant": lines}
    found = snapshot_of(texts).diagnostics("graph.quant")
    assert ["did you mean" in each.message for each in found] == [True] * 100 + [False] * 100


def test_a_long_name_does_not_fill_screens() -> None:
    text = _HEAD.format("", f"y = relu({'z' * 1_000_000});")
    (found,) = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
    assert found.rule.name == "undefined-name"
    assert len(found.message) < 5_000


def test_braces_in_a_row_that_close_nothing_are_one_mistake() -> None:
    text = _HEAD.format("", "y = relu(x);")
    (found,) = snapshot_of({"graph.nnef": f"{text}}} }}\n}}"}).diagnostics("graph.nnef")
    assert text[found.location.span.start - 2 : found.location.span.start] == "}\n"
    assert found.message == "these '}' close nothing"
