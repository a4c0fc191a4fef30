"""An answer that was dropped is another object once it is worked out again, and so is all that is made of it."""

from __future__ import annotations

from snd_analysis.db import Database, Input, query


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
    for other in "xx", "xxx", "xxxx", "xxxxx":  # more than are kept, of which the first is not asked for
        tree(db := asked.changed({text.at("a"): other}), "a")
    again = db.changed({text.at("a"): "x"})
    assert first(again, "a") is tree(again, "a")[0]
