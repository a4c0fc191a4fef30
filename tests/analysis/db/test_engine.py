"""Answers of a database are recorded, and recomputed only if one of their dependencies has changed."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.base import checked_by
from snd_analysis.db import CycleError, Database, Input, incremental, query, storage

Texts = dict[str, str]


@Input
def text(source: Texts, name: str) -> str:
    return source.get(name, "")


@query
def words(db: Database, name: str) -> tuple[str, ...]:
    return tuple(text(db, name).split())


@query
def first(db: Database, name: str) -> str:
    """Return the word at the end of a chain: a word that is the name of a text leads to its first word."""
    found = words(db, name)[:1]
    return first(db, found[0]) if found and text(db, found[0]) else "".join(found)


@query
def length(db: Database, name: str) -> int:
    return len(first(db, name))


@query
def letter(db: Database, name: str, at: int) -> str:
    return text(db, name)[at % 1]


@query(is_constant=True)
def of_the_library(db: Database, name: str) -> str:
    return f"library {name}"


@query
def loud(db: Database, name: str) -> str:
    return of_the_library(db, name).upper()


@query
def both(db: Database, name: str) -> str:
    return loud(db, name) + text(db, name)


@incremental
def seen(db: Database, before: tuple[str, ...] | None, name: str) -> tuple[str, ...]:
    return (*(before or ()), text(db, name))


@query(is_firewall=True)
def initial(db: Database, name: str) -> str:
    return words(db, name)[0]


@query
def louder(db: Database, name: str) -> str:
    return initial(db, name).upper()


@query
def loudest(db: Database, *names: str) -> str:
    return "".join(louder(db, name) for name in names)


class Counted:
    """A database and what it has worked out."""

    def __init__(self, **texts: str) -> None:
        self.counts: Counter[str] = Counter()
        self.db = Database(texts, lambda asked, key: self.counts.update([asked.__name__]))

    def set(self, **texts: str) -> Database:
        self.db = self.db.changed({text.at(name): value for name, value in texts.items()})
        self.counts.clear()
        return self.db


def test_an_answer_is_worked_out_once():
    counted = Counted(a="one two")
    assert [words(counted.db, "a"), words(counted.db, "a")] == [("one", "two")] * 2
    assert counted.counts == {"words": 1}


def test_an_input_that_nothing_depends_on_changes_nothing():
    counted = Counted(a="one", b="two")
    length(counted.db, "a")
    assert length(counted.set(b="three"), "a") == 3
    assert not counted.counts


def test_an_equal_answer_stops_the_change():
    counted = Counted(a="one")
    length(counted.db, "a")
    assert length(counted.set(a="  one "), "a") == 3
    assert counted.counts == {"words": 1}


def test_a_text_that_was_there_before_costs_nothing():
    counted = Counted(a="one")
    length(counted.db, "a")
    length(counted.set(a="three"), "a")
    assert length(counted.set(a="".join(["o", "ne"])), "a") == 3
    assert not counted.counts


def test_a_dependency_that_is_no_longer_asked_for_is_none():
    counted = Counted(a="b", b="two", c="four")
    assert first(counted.db, "a") == "two"
    assert first(counted.set(a="c"), "a") == "four"
    assert first(counted.set(b="three"), "a") == "four"
    assert not counted.counts


def test_an_old_revision_goes_on_to_give_its_answers():
    counted = Counted(a="one")
    before = counted.db
    text(before, "a")
    after = counted.set(a="three")
    assert (length(after, "a"), length(before, "a"), length(after, "a")) == (5, 3, 5)


def test_what_was_read_is_read_again_when_it_is_to_be_forgotten():
    source = {"a": "one"}
    db = Database(source)
    assert length(db, "a") == 3
    source["a"] = "three"
    assert length(db.changed(), "a") == 3
    assert length(db.changed(forget=[text.at("a")]), "a") == 5


def test_two_lines_can_begin_at_one_revision():
    db = Database({"a": "one"})
    length(db, "a")
    one, other = db.changed({text.at("a"): "three"}), db.changed(source={"b": "other"})
    assert (length(one, "a"), length(other, "a"), length(other, "b"), length(one, "b")) == (5, 3, 5, 0)


def test_a_cycle_is_an_error_until_it_is_mended():
    counted = Counted(a="b", b="a")
    with pytest.raises(CycleError, match="depends on itself"):
        first(counted.db, "a")
    assert first(counted.set(b="end"), "a") == "end"
    with pytest.raises(CycleError):
        first(counted.set(b="a"), "a")


def test_a_question_ends_at_a_checkpoint_and_keeps_what_is_known():
    class Stopped(Exception):  # noqa: N818
        pass

    counted = Counted(a="b", b="two")

    def stop() -> None:
        if counted.counts["words"]:
            raise Stopped

    with pytest.raises(Stopped), checked_by(stop):
        first(counted.db, "a")
    counted.counts.clear()
    assert first(counted.db, "a") == "two"
    assert counted.counts == {"first": 2, "words": 1}


def test_constants_are_worked_out_once_for_all_databases():
    of_one, of_other = Counted(x="1"), Counted(x="2")
    assert [both(each.db, "x") for each in (of_one, of_other)] == ["LIBRARY X1", "LIBRARY X2"]
    assert of_one.counts == {"of_the_library": 1, "loud": 1, "both": 1}
    assert of_other.counts == {"both": 1}


def test_the_last_answer_can_be_built_on():
    db = Database({"a": "one"})
    assert seen(db, "a") == ("one",)
    assert seen(db.changed({text.at("a"): "two"}), "a") == ("one", "two")


def test_what_stands_behind_a_firewall_is_not_looked_at():
    counted = Counted(a="one two", b="three")
    assert loudest(counted.db, "a", "b") == "ONETHREE"
    assert loudest(counted.set(a="one four"), "a", "b") == "ONETHREE"
    assert counted.counts == {"words": 1, "initial": 1}
    assert loudest(counted.set(a="two"), "a", "b") == "TWOTHREE"
    assert counted.counts == {"words": 1, "initial": 1, "louder": 1, "loudest": 1}


def test_recorded_dependencies_are_told():
    db = Database({"a": "b", "b": "two", "c": "three"})
    assert db.leaves(length, "a") == {text.at("a"): "b", text.at("b"): "two", text.at("two"): ""}


def test_memory_is_bounded():
    db = Database({})
    for state in range(2000):
        db = db.changed({text.at("a"): f"word{state}"})
        assert letter(db, "a", state) == "w"
        assert words(db, "a") == (f"word{state}",)
    assert sum(map(len, db.storage.tables.values())) < 200


@query
def of_version(db: Database, name: str, version: str) -> str:
    return f"{name} {version}"


@query(is_root=True)
def kept(db: Database, name: str) -> str:
    return of_version(db, name, text(db, name))


def test_what_belongs_to_a_text_that_is_gone_is_forgotten_and_what_a_root_depends_on_is_kept():
    counted = Counted(b="other")
    kept(counted.db, "b")
    for state in range(200):
        counted.set(a=f"text {state}")
        assert kept(counted.db, "a") == f"a text {state}"
    assert len(counted.db.storage.tables[of_version]) < 8
    counted.counts.clear()
    assert kept(counted.db, "b") == "b other"
    assert not counted.counts


def test_what_was_found_out_by_a_question_that_was_ended_is_there_for_the_next_one():
    counted = Counted(a="one", b="two")

    def end() -> None:
        if counted.counts["words"]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), checked_by(end):
        loudest(counted.db, "a", "b")
    counted.counts.clear()
    loudest(counted.set(c="another"), "a", "b")
    assert counted.counts["words"] == 1, "those of 'a' are known"
    assert counted.counts["louder"] == 1


# ---- against working everything out ----------------------------------------------------------------------------------
@Input
def number(source: dict[int, int], at: int) -> int:
    return source[at]


@query(same=lambda one, other: one == other)
def computed(db: Database, at: int) -> int:
    """Return something that depends on earlier ones, on which of them again on inputs."""
    return _computed(at, lambda key: number(db, key), lambda key: FIREWALLS.get(key, computed)(db, key))


@query(is_firewall=True)
def walled(db: Database, at: int) -> int:
    return computed(db, at)


FIREWALLS = {1: walled, 3: walled, 4: walled}


def _computed(at: int, given: Any, known: Any) -> int:
    if at == 0:
        return int(given(0))
    chosen = given(at % 4)
    total = int(known(at - 1)) // 2
    if chosen % 3 == 0:
        total += known(at // 2)
    elif chosen % 3 == 1:
        total += given((at + 1) % 4)
    return total % 7


def _fresh(inputs: dict[int, int], at: int) -> int:
    return _computed(at, inputs.__getitem__, lambda key: _fresh(inputs, key))


@pytest.mark.parametrize("bits", [1, 64])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_every_answer_is_that_of_working_everything_out(bits: int, seed: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "_FIREWALL_BITS", bits)
        patch.setattr(storage, "_PATIENCE", bits)
        _compare_with_working_everything_out(random.Random(seed))


def _compare_with_working_everything_out(random_: random.Random) -> None:
    inputs = {at: random_.randrange(4) for at in range(4)}
    lines = [(Database(dict(inputs)), inputs)]
    for _ in range(40):
        db, inputs = random_.choice(lines)
        if random_.random() < 0.6:
            changes = {random_.randrange(4): random_.randrange(4) for _ in range(random_.choice([1, 1, 2]))}
            inputs = {**inputs, **changes}
            db = db.changed({number.at(at): value for at, value in changes.items()})
            lines.append((db, inputs))
        at = random_.randrange(10)
        assert computed(db, at) == _fresh(inputs, at)
