"""Operators that invoke others twice double with every level: composing has a limit, which no cache can move."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from snd_analysis.base import Severity, checked_by
from snd_analysis.compose import budget
from snd_analysis.compose.specialization import Specialization
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot, Workspace
from support.memory import MemoryReader, snapshot_of
from support.sampling import sample, tries

_LOW = 3_000
_LEAF = (
    "operator f0 { @attrib { k: int = 0; } @input { x: real[n]; } @output { y: real[n]; } "
    "@lower { y[i,] = x[i,] * real(k), i < n; } }\n"
)


def _chain(depth: int, body: str = "a = @{k=2*k}(x); y = @{k=2*k+1}(a);", leaf: str = _LEAF) -> str:
    declared = leaf[leaf.index("{") : leaf.index("@lower")]
    levels = (
        f"operator f{at} {declared}@compose {{ {body.replace('@', f'f{at - 1}')} }} }}\n" for at in range(1, depth + 1)
    )
    graph = f"graph main {{ @input {{ x: real[4]; }} @output {{ y: real[4]; }} @compose {{ y = f{depth}(x); }} }}\n"
    return leaf + "".join(levels) + graph


_STRINGS = _LEAF.replace("k: int = 0", "k: str = 'q'").replace("real(k)", "2.0")
_PACKS = _LEAF.replace("k: int = 0", "k: int.. = [1]").replace("real(k)", "2.0")
ATTACKS = {
    "doubling": _chain(20),
    "deeper": _chain(40),
    "branches": _chain(20, "y = if k > 3 then @{k=2*k}(x) else @{k=2*k+1}(x);"),
    "loops": _chain(20, "a = with v = x unroll..(3) @{k=2*k}(v); y = with v = a do..(3) @{k=2*k+1}(v);"),
    "iterations": _chain(20, "y = with v = x unroll..(3) { a = @{k=2*k}(v); b = @{k=2*k+1}(a); yield b; };"),
    "strings": _chain(20, "a = @{k='{k}{k}a'}(x); y = @{k='{k}{k}b'}(a);", _STRINGS),
    "packs": _chain(20, "a = @{k=[k.., k..]}(x); y = @{k=[k.., k.., 1]}(a);", _PACKS),
    "squares": _chain(20, "a = @{k=k*(k+1)}(x); y = @{k=k*k-1}(a);"),
}


@pytest.fixture
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_STEPS", _LOW)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Specialization]:
    """Every specialization that is composed while the test runs."""
    found: list[Specialization] = []

    def note(self: budget.StepBudget, specialization: Specialization) -> None:
        found.append(specialization)
        original(self, specialization)

    original = budget.StepBudget.note
    monkeypatch.setattr(budget.StepBudget, "note", note)
    return found


def _errors(text: str) -> list[str]:
    found = snapshot_of({"main.sknd": text}).diagnostics("main.sknd")
    return [each.rule.name for each in found if each.severity is Severity.ERROR]


def _found(snapshot: Snapshot) -> list[tuple[str, str, list[str]]]:
    return [
        (each.rule.name, str(each.location), [str(other.location) for other in each.related])
        for each in snapshot.diagnostics("main.sknd")
    ]


@pytest.mark.parametrize("name", ATTACKS)
def test_composing_ends(name: str, low_limit: None, made: list[Specialization]) -> None:
    assert _errors(ATTACKS[name]) == ["value-too-large"]
    # Each level up to the first that is too large, once more for it, and nothing for those above it.
    assert len(made) < 4 * _LOW / 10


@pytest.mark.exhaustive
@pytest.mark.parametrize("depth", [12, 16, 20, 40])
def test_the_limit_itself(depth: int) -> None:
    assert _errors(_chain(depth)) == ["value-too-large"]


def test_the_limit_itself_is_far() -> None:
    assert not _errors(_chain(8))


def test_the_blame_is_on_the_invocation_that_doubles_too_often(low_limit: None) -> None:
    text = _chain(20)
    (found,) = snapshot_of({"main.sknd": text}).diagnostics("main.sknd")
    span = found.location.span
    line = text[: span.start].count("\n")
    assert text.splitlines()[line].startswith(f"operator f{line} ")
    assert text[span.start : span.end] == f"f{line - 1}"
    # Its callers stand beside it, and are not reported.
    assert [text[each.location.span.start :][:3] for each in found.related][:2] == [
        f"f{line}{{"[:3],
        f"f{line + 1}{{"[:3],
    ]


_QUESTIONS: dict[str, Callable[[Snapshot], object]] = {
    "nothing": lambda snapshot: None,
    "one below": lambda snapshot: snapshot.specialization(OperatorName("main.sknd", "f6")),
    "those below, from above": lambda snapshot: [
        snapshot.specialization(OperatorName("main.sknd", f"f{at}")) for at in range(9, 0, -1)
    ],
    "the last": lambda snapshot: snapshot.specialization(OperatorName("main.sknd", "f20")),
    "the graph": lambda snapshot: snapshot.compose(OperatorName("main.sknd", "main"), {}, {}, {}),
}


@pytest.mark.parametrize("asked", _QUESTIONS)
def test_the_report_does_not_depend_on_what_is_known(asked: str, low_limit: None) -> None:
    expected = _found(snapshot_of({"main.sknd": _chain(20)}))
    snapshot = snapshot_of({"main.sknd": _chain(20)})
    _QUESTIONS[asked](snapshot)
    assert _found(snapshot) == expected


@pytest.mark.parametrize("depth", [6, 7, 8])
def test_the_limit_counts_the_same_after_edits(depth: int, low_limit: None) -> None:
    # Just below the limit, at it, and just above: by statements of a graph that is long enough for reuse.
    many = "".join(f"t{at + 1} = f{depth}{{k={at % 3}}}(t{at}); " for at in range(60))
    graph = (
        f"graph main {{ @input {{ x: real[4]; }} @output {{ y: real[4]; }} @compose {{ t0 = x; {many}y = t60; }} }}\n"
    )
    text = _chain(depth)[: _chain(depth).index("graph main")] + graph
    workspace = Workspace(MemoryReader({"main.sknd": text}))
    _found(workspace.snapshot())
    for before, after in (("k=2}(t5)", "k=7}(t5)"), ("k=2}(t8)", "k=9}(t8)"), ("k=9}(t8)", "k=2}(t8)")):
        text = text.replace(before, after)
        workspace.open("main.sknd", text)
        assert _found(workspace.snapshot()) == _found(snapshot_of({"main.sknd": text}))


_MANY = 60
_BELOW = _chain(5).replace("f5(x)", "f0(x)")
"""An operator that is composed in less than the limit, whatever it is given."""


def _many_graphs() -> str:
    return _BELOW + "".join(
        f"graph main{at} {{ @input {{ x: real[4]; }} @output {{ y: real[4]; }} @compose {{ y = f5{{k={at}}}(x); }} }}\n"
        for at in range(_MANY)
    )


def _many_operators() -> str:
    return _BELOW + "".join(
        f"operator o{at} {{ @input {{ x: real[n]; }} @output {{ y: real[n]; }} @compose {{ y = f5{{k={at}}}(x); }} }}\n"
        for at in range(_MANY)
    )


def _many_samples() -> str:
    lines = "".join(f"# >>> f5{{k={at}}}(zeros[2])\n" for at in range(_MANY))
    return _BELOW.replace("operator f5 ", f"{lines}operator f5 ")


@pytest.mark.parametrize("many", sample([_many_graphs, _many_operators, _many_samples], 1))
def test_many_just_below_the_limit_add_up(many: Callable[[], str], low_limit: None, made: list[Specialization]) -> None:
    text = many()
    assert not _errors(text)
    once = len(made)
    made.clear()
    limits = pytest.MonkeyPatch()
    with limits.context() as patched:
        patched.setattr(budget, "MOST_STEPS_OF_FILE", _LOW)
        assert _errors(text) == ["value-too-large"]
    assert len(made) < once / 2


def test_one_operator_invoked_twice_counts_once(low_limit: None) -> None:
    assert not _errors(_chain(40, "a = @{k=k}(x); y = @{k=k}(a);"))


def test_a_long_graph_is_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    length = tries(600, _LOW)
    monkeypatch.setattr(budget, "MOST_STEPS", length)
    statements = "".join(f"t{at + 1} = f0{{k={at}}}(t{at}); " for at in range(length))
    text = _LEAF + (
        "graph main { @input { x: real[4]; } @output { y: real[4]; } "
        f"@compose {{ t0 = x; {statements}y = t{length}; }} }}\n"
    )
    assert not _errors(text)


@pytest.mark.parametrize("attack", sample([*ATTACKS], 3))
def test_a_question_can_be_ended_within_composing(attack: str) -> None:
    class EndError(Exception):
        pass

    class Count:
        left = 100

        def __call__(self) -> None:
            self.left -= 1
            if self.left < 0:
                raise EndError

    checkpoint = Count()
    snapshot = Workspace(MemoryReader({"main.sknd": ATTACKS[attack]})).snapshot()
    with pytest.raises(EndError), checked_by(checkpoint):
        snapshot.compose(OperatorName("main.sknd", "main"), {}, {}, {})
    assert checkpoint.left == -1


def test_names_of_variables_do_not_double() -> None:
    leaf = "graph f0 { @input { x: real[4]; } @variable { w: real[4]; } @output { y: real[4]; } @compose { y = x; } }\n"
    levels = "".join(
        f"graph f{at} {{ @input {{ x: real[4]; }} @output {{ y: real[4]; }} "
        f"@compose {{ a = with v = x do..(3) f{at - 1}(v); y = with v = a do..(3) f{at - 1}(v); }} }}\n"
        for at in range(1, 30)
    )
    assert not _errors(leaf + levels)
