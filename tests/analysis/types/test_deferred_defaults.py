"""Attributes whose defaults name one another: in any order, in circles, and many of them."""

from __future__ import annotations

import pytest

from support.memory import snapshot_of

MANY = 3_000
SHELL = """operator f {{
    @attrib {{ {} }}
    @input {{ x: real[n]; }}
    @output {{ y: real[n]; }}
    @lower {{ y[i,] = x[i,], i < n; }}
}}
"""


def messages(attributes: str) -> list[str]:
    found = snapshot_of({"a.sknd": SHELL.format(attributes)}).diagnostics("a.sknd")
    return [each.message for each in found if each.severity.name == "ERROR"]


@pytest.mark.parametrize("step", [1, -1])
def test_a_long_chain_is_known_in_either_order(step: int):
    chain = ["a0: int = 1;", *(f"a{at}: int = a{at - 1} + 1;" for at in range(1, MANY))]
    assert messages(" ".join(chain[::step])) == []


def test_a_long_circle_is_one_error():
    circle = [f"a{at}: int = a{(at + 1) % MANY} + 1;" for at in range(MANY)]
    chain = [f"b{at}: int = {f'b{at - 1}' if at else 'a0'};" for at in range(MANY)]
    found = messages(" ".join([*circle, *chain]))
    assert len(found) == 1


def test_two_circles_are_two_errors():
    found = messages("a: int = b; b: int = a; c: int = d + a; d: int = c; e: int = d;")
    assert len(found) == 2
