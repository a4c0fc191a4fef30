"""Each partial operation is a condition wherever it stands, and none where a known condition keeps it away."""

from __future__ import annotations

import time
from itertools import product

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.proofs import Verdict, proofs_of_operator
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of
from support.sampling import sample

OPERATIONS = {
    "6 / q": ("no divisor is zero", "q != 0"),
    "6 \\ q": ("no divisor is zero", "q != 0"),
    "q % q": ("no divisor is zero", "q > 0"),
    "0 * (3 / q)": ("no divisor is zero", "q < 0 || q > 2"),
    "2 ** q": ("no exponent is negative", "q >= 0"),
    "p[n]": ("each item is in its pack", "n < r"),
    "p[n] - p[n]": ("each item is in its pack", "n < r"),
    "s[n]": ("each item is in its pack", "n < d"),
    "(p[0:n] + ..)": ("each item is in its pack", "n <= r"),
    "([0:n] >? ..)": ("no minimum or maximum is that of an empty pack", "n > 0"),
    "(([0:9:q]) + ..)": ("no step is zero", "q != 0"),
    "int(floor(real(n) / real(q)))": ("each real has an int value", "q != 0"),
}
"""Ints that some sizes lack, each with its condition and a sufficient assertion."""
PLACES = {
    "helper": ("", "h = {};", "m", "x[i,]", "i < m"),
    "assertion": ("{} >= -99;", "", "m", "x[i,]", "i < m"),
    "extent": ("", "", "m + abs({})", "1.0", "i < m + abs({})"),
    "bound": ("", "", "m", "x[0,]", "i < m <? ({}), j < 0"),
    "value": ("m > 0;", "", "m", "x[i,] * real({})", "i < m"),
    "index": ("m > 0;", "", "m", "x[|{}|,]", "i < m"),
    "condition": ("m > 0;", "", "m", "1.0", "i < m | {} == 0"),
    "loop": ("", "", "m", "x[i,]", "i < m"),
    "constant": ("", "", "m", "x[i,]", "i < m"),
    "value of a constant": ("m > 0;", "", "m", "x[i,]", "i < m"),
    "branch of an index": ("m > 2;", "", "m", "i > 1 ? real({}) : 0.0", "i < m"),
}
"""Places of an int: assertions, helper symbols, the output, and the value and bounds of the formula."""


def verdicts(operation: str, place: str, assertion: str = "") -> list[tuple[str, Verdict, str]]:
    asserted, helper, extent, value, bounds = (each.replace("{}", f"({operation})") for each in PLACES[place])
    constants = {
        "constant": f"c: real[3] = real(({operation}));",
        "value of a constant": f"c: real[m] = real(j) * real(({operation})), j < m;",
    }
    loop = f"unroll..(0 * abs(({operation}))) " if place == "loop" else ""
    text = (
        "operator o {\n"
        "    @attrib { q: int; p: int..(r); }\n"
        "    @input { x: real[m]; v: real[n]; t: real[s..(d)]; }\n"
        f"    @output {{ y: real[{extent}]; }}\n"
        + (f"    @using {{ {helper} }}\n" if helper else "")
        + (f"    @assert {{ {assertion}; {asserted} }}\n" if assertion else f"    @assert {{ {asserted} }}\n")
        + (f"    @constant {{ {constants.get(place, '')} }}\n" if place in constants else "")
        + f"    @lower {{ {loop}y[i,] += {value}, {bounds}; }}\n"
        "}\n"
    )
    snapshot = snapshot_of({"m.sknd": text})
    found = proofs_of_operator(snapshot, OperatorName("m.sknd", "o"), time.thread_time)
    return [(each.condition, each.verdict, each.reason) for each in found]


# 25 pairs have each operation and each place.
@pytest.mark.parametrize(("operation", "place"), sample(product(OPERATIONS, PLACES), 25))
def test_every_partial_operation_is_a_condition(operation, place):
    condition, enough = OPERATIONS[operation]
    without = [verdict for text, verdict, _ in verdicts(operation, place) if text == condition]
    assert without
    assert Verdict.PROVED not in without or len(set(without)) > 1
    with_assertion = verdicts(operation, place, enough)
    assert {verdict for text, verdict, _ in with_assertion if text == condition} <= {Verdict.PROVED}


@pytest.mark.parametrize(("operation", "place"), sample(product(["6 / q", "2 ** q", "p[n]"], PLACES), 11))
def test_a_condition_on_sizes_protects(operation, place):
    condition, enough = OPERATIONS[operation]
    found = verdicts(f"{enough} ? {operation} : 1", place)
    assert {verdict for text, verdict, _ in found if text == condition} <= {Verdict.PROVED}
