"""Frozen classes are what the standard library would make of them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pytest

from snd_analysis.base.frozen import frozen

ROOT = Path(__file__).parents[2]


def point(decorate: Callable[[type], type]) -> Any:
    class Point:
        """A place."""

        x: int
        y: int = 2
        names: list[str] = field(default_factory=list)
        hint: str = field(default="?", compare=False, repr=False)
        length: int = field(init=False, compare=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", self.x + self.y)

    return decorate(Point)


class Version:
    """What is declared for both: ``__eq__`` is its own, and so there is no hash of fields."""

    number: int

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __repr__(self) -> str:
        return "some version"


STANDARD = dataclass(frozen=True, slots=True)
both = pytest.mark.parametrize("decorate", [frozen, STANDARD], ids=["frozen", "dataclass"])


@frozen
class Leaf:
    text: str
    items: tuple[Any, ...] = ()


@frozen
class Branch(Leaf):
    count: int = 1


@frozen(order=True)
class Release:
    year: int
    month: int


@frozen(eq=False)
class Node:
    start: int


@both
def test_fields_defaults_and_what_follows_from_them(decorate: Callable[[type], type]):
    made = point(decorate)
    one, other = made(1, names=["a"]), made(x=1, y=2, names=["a"], hint="!")
    assert one == other
    assert (one.x, one.y, one.names, one.hint, one.length) == (1, 2, ["a"], "?", 3)
    assert repr(one).endswith("Point(x=1, y=2, names=['a'], length=3)")
    assert made(1).names is not made(1).names
    assert one != made(2, names=["a"])
    assert one != "Point"
    assert made.__doc__ == "A place."
    assert made.__match_args__ == ("x", "y", "names", "hint")
    assert [each.name for each in fields(one)] == ["x", "y", "names", "hint", "length"]
    assert replace(one, x=5).length == 7


@both
def test_nothing_can_be_added(decorate: Callable[[type], type]):
    one = point(decorate)(1)
    with pytest.raises((AttributeError, TypeError)):
        one.other = 2
    assert not hasattr(one, "__dict__")


def test_the_type_checker_forbids_to_set_a_field(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(
        "from snd_analysis.base.frozen import frozen\n\n\n@frozen\nclass Leaf:\n    text: str\n\n"
        "Leaf('a').text = 'b'\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", str(tmp_path), str(program)]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "analysis")}
    found = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert 'Property "text" defined in "Leaf" is read-only' in found.stdout


@both
def test_arguments_are_checked(decorate: Callable[[type], type]):
    made = point(decorate)
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        made()
    with pytest.raises(TypeError, match="unexpected keyword argument 'length'"):
        made(1, length=2)


@both
def test_own_methods_stay(decorate: Callable[[type], type]):
    made: Any = decorate(type("Version", (), dict(Version.__dict__)))
    assert made(1) == made(2)
    assert repr(made(1)) == "some version"
    assert hash(made(1)) == hash(made(1))


def test_equal_ones_have_equal_hashes():
    assert {Leaf("a", (1,)), Leaf("a", (1,)), Leaf("b")} == {Leaf("b"), Leaf("a", (1,))}
    with pytest.raises(TypeError, match="unhashable"):
        hash(Leaf("a", ([],)))


def test_fields_are_inherited():
    branch = Branch("a", count=3)
    assert (branch.text, branch.items, branch.count) == ("a", (), 3)
    assert branch != Leaf("a")
    assert repr(branch) == "Branch(text='a', items=(), count=3)"
    assert [each.name for each in fields(Branch)] == ["text", "items", "count"]


def test_order_is_that_of_the_fields():
    releases = [Release(2026, 1), Release(2025, 12), Release(2025, 2)]
    assert sorted(releases) == [Release(2025, 2), Release(2025, 12), Release(2026, 1)]
    assert Release(2025, 2) <= Release(2025, 2) >= Release(2025, 2)
    assert not Release(2025, 2) > Release(2025, 2)
    with pytest.raises(TypeError):
        assert Leaf("a") < Leaf("b")  # type: ignore[operator]


def test_without_eq_each_is_equal_to_itself_alone():
    node = Node(1)
    assert node == node
    assert node != Node(1)
    assert len({Node(1), Node(1)}) == 2


def test_what_holds_itself_can_be_shown():
    items: list[Any] = []
    leaf = Leaf("a", (items,))
    items.append(leaf)
    assert repr(leaf) == "Leaf(text='a', items=([...],))"


@pytest.mark.parametrize("value", [Leaf("a", (1, "b")), Branch("a", (), 3), Release(1, 2)])
def test_they_can_be_pickled(value: object):
    assert pickle.loads(pickle.dumps(value)) == value
