"""Invocations like one before get the results that typing them by themselves would give."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from snd_analysis.skriptnd.types import Context
from snd_analysis.skriptnd.types.compose.invocation import invocations
from snd_analysis.workspace import Workspace
from support.memory import MemoryReader

ALIKE = """import math, nn, layout;

operator alike {
    @input { x: real[s..(d)]; y: real[m,n]; w: real[n,n]; }
    @output { z: real[s..]; }
    @compose {
        sum1 = math.add(x, y);
        sum2 = math.add(x, y);
        top1 = nn.relu(sum1);
        top2 = nn.relu(sum2);
        turned1 = layout.transpose{perm=[1, 0]}(y);
        turned2 = layout.transpose{perm=[1, 0]}(w);
        same1 = layout.transpose{perm=[0, 1]}(y);
        same2 = layout.transpose{perm=[0, 1]}(w);
        z = math.add(top1, top2);
    }
}
"""
"""Results of math.add with unknown rank: it depends on how attributes that are null align the inputs."""


def typing(text: str) -> tuple[Context, dict[str, object]]:
    """Return the types in the definition of a file, and the ranks of its tensors."""
    snapshot = Workspace(MemoryReader({"main.sknd": text})).snapshot()
    ((_, definition),) = snapshot.tree("main.sknd").definitions
    context = snapshot.typing("main.sknd", definition)
    types = {symbol.name: typed.type for symbol, typed in context.symbols.items()}
    return context, {name: type_.shape.rank for name, type_ in types.items() if type_ is not None and type_.shape}


def shown(context: Context) -> Iterator[tuple[object, ...]]:
    """All that is known and said, as text."""
    yield from ((each.rule.name, each.span, each.message) for each in context.problems)
    for symbol, typed in context.symbols.items():
        extents = context.extents.get(symbol)
        yield symbol.name, str(typed.type), str(typed.value), None if extents is None else [*map(str, extents)]


def test_unknown_ranks_are_those_of_the_arguments_at_hand() -> None:
    context, ranks = typing(ALIKE)
    assert not context.problems
    assert ranks["top1"] == ranks["sum1"]
    assert ranks["top2"] == ranks["sum2"]
    assert ranks["sum1"] != ranks["sum2"]


@pytest.mark.parametrize("mistake", ["", "nn.relu(top1, top2)", "nn.relu{slope=1}(top1)", "nn.relu(true)"])
def test_same_as_one_by_one(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    again = f"one = {mistake}; other = {mistake}; z =" if mistake else "z ="
    text = ALIKE.replace("z =", again)
    together = [*shown(typing(text)[0])]
    monkeypatch.setattr(invocations, "likeness", lambda *_: None)
    assert together == [*shown(typing(text)[0])]
