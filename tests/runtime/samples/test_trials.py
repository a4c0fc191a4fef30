"""Inputs on which two versions of a definition are compared: no two sizes in them are equal by accident."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.samples import SampleRequest
from snd_runtime.samples.equivalence import Comparison, Equivalence
from snd_runtime.samples.trials import Trials, trials_of
from support.memory import snapshot_of

PATH = "m.sknd"
CONVOLVED = """import nn;

operator f {
    @attrib { s: int; }
    @input { x: real[b,c,h,w]; f: real[n,c,p,q]; }
    @output { y: real[b,n,(h - p) / s + 1,(w - q) / s + 1]; }
    @assert { s > 0; h >= p; w >= q; }
    @lower { y[o,t,i,j] += x[o,r,s * i + u,s * j + v] * f[t,r,u,v],
        o < b, t < n, i < (h - p) / s + 1, j < (w - q) / s + 1, r < c, u < p, v < q; }
}
"""
PLAIN = """operator f {
    @input { x: real[b,c,h,w]; f: real[n,c,p,q]; }
    @output { y: real[b,n,h - p + 1,w - q + 1]; }
    @lower { y[o,t,i,j] += x[o,r,i + u,j + v] * f[t,r,u,v],
        o < b, t < n, i < h - p + 1, j < w - q + 1, r < c, u < p, v < q; }
}
"""
GROUPED = """operator f {
    @attrib { g: int; }
    @input { x: real[b,c]; }
    @output { y: real[b,g,c / g]; }
    @assert { g > 0; c % g == 0; }
    @lower { y[i,j,k] = x[i,j * (c / g) + k], i < b, j < g, k < c / g; }
}
"""
PACKED = """operator f {
    @input { x: real[s..]; z: real[n,t..]; }
    @output { y: real[s..]; w: real[n,t..]; }
    @lower { y[i..] = x[i..], i < s; w[k,i..] = z[k,i..], k < n, i < t; }
}
"""
SQUARE = """operator f {
    @input { x: real[n,m]; }
    @output { y: real[n,m]; }
    @assert { n == m; }
    @lower { y[i,j] = x[j,i], i < n, j < m; }
}
"""
FLAGS = """operator f {
    @attrib { mode: str = 'a'; twice: bool = false; }
    @input { x: real[n]; b: optional real[n]; }
    @output { y: real[n]; }
    @assert { mode == 'a' || mode == 'b'; }
    @lower { y[i,] = (twice ? 2.0 : 1.0) * x[i,] + (b[i,] ?? 0.0) + (mode == 'a' ? 1.0 : 0.0), i < n; }
}
"""


def trials(text: str) -> Trials:
    snapshot = snapshot_of({PATH: text})
    template = snapshot.template(OperatorName(PATH, "f"))
    assert template is not None
    assert not template.errors
    return trials_of(snapshot.session(), template, SampleRequest(PATH, {PATH: text}))


@pytest.mark.parametrize("text", [CONVOLVED, PLAIN, GROUPED, PACKED], ids=["strided", "plain", "grouped", "packed"])
def test_sizes_differ_from_each_other_and_from_attributes(text: str):
    found = trials(text)
    assert not found.equal
    sized = [each for each in found.found if each.sizes]
    assert len(sized) >= 3
    for each in sized:
        numbers = [*each.sizes.values(), *(value for value in each.attributes.values() if value != 1)]
        assert len(numbers) == len(set(numbers))
        assert min(each.sizes.values()) > 1


def test_several_ranks_are_tried():
    ranks = {tuple(each.ndim for each in trial.bound.arguments) for trial in trials(PACKED).found}
    assert len(ranks) >= 3
    assert any(x != z for x, z in ranks)


def test_sizes_that_must_be_equal_are_no_accident():
    found = trials(SQUARE)
    assert not found.equal
    assert all(each.sizes["n"] == each.sizes["m"] for each in found.found if each.sizes)


RARELY = (
    SQUARE.replace("n == m", "(n - m) * (k - 2000000) == 0")
    .replace("x: real[n,m];", "x: real[n,m]; z: real[k];")
    .replace("x[j,i]", "x[i,j]")
)


def test_sizes_that_nothing_told_apart_are_named():
    """Only a 'k' of 2,000,000, which is not tried, lets 'n' and 'm' differ."""
    assert ("n", "m") in trials(RARELY).equal


def test_each_value_of_an_attribute_and_each_choice_of_optional_inputs_is_tried():
    found = trials(FLAGS).found
    modes = {each.attributes.get("mode") for each in found}
    assert {"a", "b"} <= modes
    assert {True, False} <= {each.attributes.get("twice") for each in found}
    assert {True, False} <= {each.bound.arguments[1] is None for each in found}


def compared(before: str, after: str, *, strict: bool = False) -> Equivalence:
    assert before != after
    snapshot = snapshot_of({PATH: before})
    around = SampleRequest(PATH, {PATH: before})
    comparison = Comparison(snapshot, OperatorName(PATH, "f"), around, None, strict=strict)
    return comparison.with_edit(snapshot.changed({PATH: after}))


# Confusions: two extents, an extent and an attribute, an extent and 1, an attribute and its default, null.
CONFUSED = (
    (PLAIN, "x[o,r,i + u,j + v]", "x[o,r,c * i + u,c * j + v]"),
    (PLAIN, "f[t,r,u,v]", "f[t,r,v % p,u % q]"),
    (CONVOLVED, "s * i + u", "(s == b ? b : s) * i + u % q"),
    (GROUPED, "j * (c / g) + k", "j * g % c + k"),
    (FLAGS, "mode == 'a' ? 1.0", "1 == 1 ? 1.0"),
    (FLAGS, "twice ? 2.0", "!twice && twice ? 2.0"),
    (FLAGS, "b[i,] ?? 0.0", "0.0 * b[i,] ?? 0.0"),
    (FLAGS, "b[i,] ?? 0.0", "b[i,] ?? 1.0"),
)


@pytest.mark.parametrize(("text", "old", "new"), CONFUSED)
def test_what_is_confused_is_found(text: str, old: str, new: str):
    found = compared(text, text.replace(old, new))
    assert found.difference is not None, found


def test_a_convolution_of_one_channel_does_not_pass_for_a_stride():
    after = (
        f"import nn;\n{PLAIN[: PLAIN.index('@lower')]}@compose {{ y = nn.conv{{stride=c, padding=0}}(x, f); }}\n}}\n"
    )
    assert not compared(PLAIN, after).is_equal
    found = compared(PLAIN, after.replace("stride=c, ", ""))
    assert found.is_equal
    assert found.cases[0].startswith("x[")
    assert found.compared.startswith(", such as x[")


def test_edits_that_were_found_by_trying_need_sizes_that_differ():
    after = RARELY.replace("x[i,j]", "x[i % m,j]")
    assert compared(RARELY, after).is_equal
    assert compared(RARELY, after, strict=True).reason == "no inputs were found for which 'n' and 'm' differ"


def test_results_without_elements_prove_nothing():
    text = PLAIN.replace("real[b,n,h - p + 1,w - q + 1]", "real[0 * b,n,h - p + 1,w - q + 1]").replace(
        "o < b", "o < 0 * b"
    )
    found = compared(text, text.replace("i + u", "u"))
    assert not found.is_equal
    assert found.reason == "its results are empty"
