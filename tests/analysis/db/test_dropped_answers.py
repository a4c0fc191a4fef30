"""An answer that was dropped is another object once it is worked out again, and so is all that is made of it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.db import Database, Input, query, storage


class _Node:
    """Compared by identity, as nodes of trees are."""


text = Input(lambda source, name: "")


@query
def tree(db: Database, name: str) -> list[_Node]:
    return [_Node() for _ in text(db, name)]


@query
def first(db: Database, name: str) -> _Node | None:
    found = tree(db, name)
    return found[0] if found else None


def test_what_is_made_of_a_dropped_answer_is_made_again():
    db = Database()
    asked = db.changed({text.at("a"): "x"})
    assert first(asked, "a") is tree(asked, "a")[0]
    for other in "xx", "xxx", "xxxx", "xxxxx":  # more than are kept, and the first is not asked for
        tree(db := asked.changed({text.at("a"): other}), "a")
    again = db.changed({text.at("a"): "x"})
    assert first(again, "a") is tree(again, "a")[0]


@query(is_firewall=True)
def last(db: Database, name: str) -> _Node | None:
    found = tree(db, name)
    return found[-1] if found else None


@query
def ends(db: Database, name: str) -> tuple[_Node | None, _Node | None]:
    return first(db, name), last(db, name)


@query
def ends_of_all(db: Database) -> tuple[tuple[_Node | None, _Node | None], ...]:
    return ends(db, "a"), ends(db, "b")


@pytest.mark.parametrize("patience", [1, 64])
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_all_that_is_made_of_an_answer_is_made_of_the_same_one(patience: int, seed: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "_PATIENCE", patience)
        _compare_identities(random.Random(seed))


def _compare_identities(random_: random.Random) -> None:
    lines = [Database()]
    for _ in range(40):
        db = random_.choice(lines[-3:])
        if random_.random() < 0.7:
            db = db.changed({text.at(random_.choice("ab")): "x" * random_.randrange(6)})
            lines.append(db)
        match random_.randrange(4):
            case 0:
                tree(db, random_.choice("ab"))
            case 1:
                ends(db, random_.choice("ab"))
            case _:
                for name, found in zip("ab", ends_of_all(db), strict=True):
                    nodes = tree(db, name) or [None]
                    assert found[0] is nodes[0]
                    assert found[1] is nodes[-1]
