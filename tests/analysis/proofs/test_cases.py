"""Cases of proofs: a wrong case is a wrong proof, so those that were wrong once are here."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.proofs import Verdict, proofs_of_operator
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of

PROVED = {
    "each tensor of a pack up to its own end": """
        @input { xs: real[..s]..(k); }
        @output { y: real[k, s >? ..]; }
        @assert { k > 0; }
        @lower { y[j, i] += xs[j][i,], j < k, i < s[j]; }""",
    "two packs of the same extents": """
        @input { xs: real[..s]..(k); ws: real[..s]..(k); }
        @output { y: real[k]; }
        @lower { y[j,] += xs[j][i,] * ws[j][i,], j < k, i < s[j]; }""",
    "a bound that depends on another index": """
        @input { x: real[n,n]; }
        @output { y: real[n]; }
        @lower { y[i,] += x[i, i + j], i < n, j < n - i; }""",
    "three bounds that depend on one another": """
        @input { x: real[n,n,n]; }
        @output { y: real[n]; }
        @lower { y[i,] += x[i - j, j - k, k], i < n, j < i + 1, k < j + 1; }""",
    "a divisor inside of such a bound": """
        @input { x: real[n,n]; }
        @output { y: int[n]; }
        @lower { y[i,] += 6 / (i - j), i < n, j < i; }""",
    "outputs that an attribute counts": """
        @attrib { k: int; }
        @input { x: real[n]; }
        @output { ys: real[n / k]..(k); }
        @assert { k > 0; n % k == 0; }
        @lower { ys[j][i,] = x[j * (n / k) + i,], j < k, i < n / k; }""",
    "an index of no position": """
        @attrib { c: int..(k); }
        @input { x: real[n]; }
        @output { y: real[k]; }
        @assert { c >= 0; c <= n; }
        @lower { y[j,] += x[i,], j < k, i < c[j]; }""",
    "items of a pack at computed places": """
        @input { xs: real[n]..(k); }
        @output { y: real[n * k]; }
        @lower { y[i,] = xs[i % k][i / k,], i < n * k; }""",
    "a length that is a number": """
        @input { x: real[m, s..(d)]; }
        @output { y: real[m + d]; }
        @lower { y[i,] = 0.0, i < m + d; }""",
    "an unrolled write beside extents": """
        @input { xs: real[n]..(k); }
        @output { y: real[k, n + 1]; }
        @lower { unroll..(u -> k) y[u, i] = i < n ? xs[u][i,] : 0.0, i < n + 1; }""",
    "the difference of a length where it is not negative": """
        @input { xs: real[n]..(k); }
        @output { y: real[k - 3]; }
        @assert { k >= 3; }
        @lower { y[i,] = 0.0, i < k - 3; }""",
    "an index that stays positive where the bound of another index ends": """
        @input { x: real[n]; }
        @output { y: real[n]; }
        @lower { y[i,] += x[i - j - 1,], i < n, j < i; }""",
    "a quotient that is asserted and declared": """
        @attrib { size: int; step: int; }
        @input { x: real[n]; }
        @using { m = (n - size) / step + 1; }
        @output { y: real[m, size]; }
        @assert { size >= 0; step > 0; n >= size; ((n - size) / step) * step + size + 1 <= n; }
        @lower { y[i,j] = x[i * step + j + 1,], i < m, j < size; }""",
    "a position of a pack becomes an element": """
        @input { xs: real[s..]..(k); }
        @output { y: int[s..]; }
        @lower { y[i..] = 0, i < s; y[i..] := u, u < k, i < s | xs[u][i..] > 0.5; }""",
    "an average over a pack": """
        @input { xs: real[s..]..(k); }
        @output { y: real[s..]; }
        @lower { y[i..] += xs[u][i..] / real(k), u < k, i < s; }""",
    "positions in reverse along a dimension with a rank as extent": """
        @input { x: real[s..(d)]; g: real[n, d]; }
        @output { y: real[n, d]; }
        @using { back = [d - 1:-1:-1]; }
        @lower { y[i, :] = g[i, back], i < n; }""",
    "a length as extent behind dimensions of any number": """
        @input { xs: real[s..]..(k); }
        @output { y: real[s.., k]; }
        @lower { y[i.., u] = xs[u][i..], i < s, u < k; }""",
    "positions in a pack that always has as many items": """
        @input { x: real[s..(d + 2)]; f: real[t..(d + 2)]; }
        @output { y: real[s[1], s[2:].., t[-1]]; }
        @assert { s[0] > 0; s[1] > 0; t[1] > 0; t[2:] == s[2:]; t[0] == t[-1]; }
        @lower { y[i, j.., l] = x[0, i, j..] + f[l, 0, j..], i < s[1], j < s[2:], l < t[-1]; }""",
    "an extent of an input that nothing names": """
        @input { x: real[n, s..(d)]; boxes: real[n, 2 * d]; }
        @output { y: real[n, s..]; }
        @lower { y[i, j..] = x[i, j..], i < n, j < s; }""",
}
REFUTED = {
    "a condition that leaves elements out": """
        @input { x: real[m, n]; }
        @output { y: real[m, n]; }
        @lower { y[i, j] = x[i, j], i < m, j < n | j <= i; }""",
    "a condition for one element": """
        @input { x: real[n]; }
        @output { y: real[n]; }
        @lower { y[i,] = x[i,], i < n | i == 0; }""",
    "a condition for every k-th element": """
        @attrib { k: int; }
        @input { x: real[n]; }
        @output { y: real[n]; }
        @assert { k > 0; }
        @lower { y[i,] = x[i,], i < n | i % k == 0; }""",
    "a condition about sizes": """
        @input { x: real[n, m]; }
        @output { y: real[n]; }
        @lower { y[i,] = 1.0, i < n | m > 0; }""",
    "an empty pack makes an extent negative": """
        @input { xs: real[n]..(k); }
        @output { y: real[k - 1]; }
        @lower { y[i,] = 0.0, i < k - 1; }""",
    "an empty pack is divided by": """
        @input { xs: real[n]..(k); }
        @output { y: real[6 / k]; }
        @lower { y[i,] = 0.0, i < 6 / k; }""",
    "a tensor of a pack up to the end of another one": """
        @input { xs: real[..s]..(k); }
        @output { y: real[s[0]]; }
        @assert { k == 2; }
        @lower { y[i,] = xs[0][i,] + xs[1][i,], i < s[0]; }""",
    "all tensors of a pack up to the end of the first": """
        @input { xs: real[..s, m]..(k); }
        @using { o = [0, s..] + ...; }
        @output { y: real[s + .., m]; }
        @lower { y[o[j] + i, l] = xs[j][i, l], j < k, i < s[0], l < m; }""",
    "extents of which the others are not asserted": """
        @input { xs: real[..s, ..m]..(k); }
        @output { y: real[s[0]]; }
        @assert { k >= 2; s == s[0]; }
        @lower { y[i,] += xs[0][i,j] * xs[1][i,j], i < s[0], j < m[0]; }""",
    "a bound of another index that is one too great": """
        @input { x: real[n,n]; }
        @output { y: real[n]; }
        @lower { y[i,] += x[i, i + j], i < n, j < n - i + 1; }""",
    "a bound of another index up to 0": """
        @input { x: real[n,n]; }
        @output { y: int[n]; }
        @lower { y[i,] += 6 / (i - j), i < n, j < i + 1; }""",
    "outputs that an attribute counts, rounded up": """
        @attrib { k: int; }
        @input { x: real[n]; }
        @output { ys: real[n \\ k]..(k); }
        @assert { k > 0; }
        @lower { ys[j][i,] = x[j * (n \\ k) + i,], j < k, i < n \\ k; }""",
    "axes of which only neighbours differ": """
        @attrib { axes: int..(k); }
        @input { x: real[s..(d)]; }
        @output { y: real[s[axes]..]; }
        @assert { k == d; axes >= 0 && axes < d; axes[1:] != axes[:-1]; }
        @lower { y[i[axes]..] = x[i..], i < s; }""",
    "an attribute that is one of several numbers": """
        @attrib { k: int; }
        @input { x: real[n]; }
        @output { y: real[n]; }
        @assert { k in [1, 2, 5]; n >= 4; }
        @lower { y[i,] = x[4 / k - 1,], i < n; }""",
    "an attribute that is none of several numbers": """
        @attrib { k: int; }
        @input { x: real[n]; }
        @output { y: real[n]; }
        @assert { n >= 6; k >= 0; }
        @lower { y[i,] = k in [1, 2] ? x[i,] : x[k,], i < n; }""",
    "an axis that is an index, too": """
        @attrib { axis: int; }
        @input { x: real[s..(d)]; v: real[k]; }
        @output { y: real[s..]; }
        @assert { axis >= 0 && axis < d; k >= 4; }
        @lower { y[i..] = x[i..] * real(s[axis]) + v[axis,], i < s; }""",
    "an axis from the end that is an index, too": """
        @attrib { axis: int; }
        @input { x: real[s..(d)]; v: real[k]; }
        @output { y: real[s..]; }
        @assert { axis >= -d && axis < d; k >= 4; }
        @lower { y[i..] = x[i..] * real(s[axis]) + v[-axis >? 0,], i < s; }""",
    "an axis in a list that is an index, too": """
        @attrib { axis: int; }
        @input { x: real[s..(d)]; v: real[k]; }
        @using { mask = [0:d] in [axis]; }
        @output { y: real[(mask ? 1 : s)..]; }
        @assert { axis >= 0 && axis < d; k >= 5; }
        @lower { y[(mask ? 0 : i)..] += x[i..] * v[axis,], i < s; }""",
    "the last of all positions as an index": """
        @input { x: real[s..(d)]; v: real[k]; }
        @output { y: real[s..]; }
        @using { e = [0:d]; }
        @assert { k >= 5; d > 0; }
        @lower { y[i..] = x[i..] + v[e[-1],], i < s; }""",
    "one of all positions that is a number": """
        @input { x: real[s..(d)]; v: real[k]; }
        @output { y: real[s..]; }
        @using { e = [0:d]; }
        @assert { k >= 1; }
        @lower { y[i..] = x[i..] + ((5 == e) || .. ? v[k,] : 0.0), i < s; }""",
    "several items of a list": """
        @attrib { at: int..(2); }
        @input { x: real[n]; }
        @using { w = [1, 4][at]; }
        @output { y: real[n]; }
        @assert { n >= 6; at >= 0 && at < 2; }
        @lower { y[i,] = x[w[0] + w[1],], i < n; }""",
    "an axis that is one beyond the lengths that are looked at": """
        @attrib { axis: int; }
        @input { x: real[s..(d)]; v: real[k]; }
        @output { y: real[s..]; }
        @assert { axis >= -d && axis < d; k >= 1; }
        @lower { y[i..] = x[i..] * real(s[axis]) + (axis == -5 ? v[k,] : 0.0), i < s; }""",
    "axes of which an extent is made": """
        @attrib { axes: int..(m); }
        @input { x: real[s..(d)]; }
        @output { y: real[(4 - axes)..]; }
        @assert { axes >= 0 && axes < d; s[axes] > 0; }
        @lower { y[i..] = 0.0, i < 4 - axes; }""",
    "an axis of which a divisor is made": """
        @attrib { axis: int; }
        @input { x: real[s..(d)]; }
        @output { y: int[]; }
        @assert { axis >= 0 && axis < d; }
        @lower { y[] = s[axis] / (4 - axis); }""",
}
UNKNOWN = {
    "an axis of which an extent is made beside a large number": (
        "no extent of 'y' is negative",
        """
        @attrib { axis: int; }
        @input { x: real[s..(d)]; }
        @output { y: real[7 - axis]; }
        @assert { axis >= 0 && axis < d; }
        @lower { y[i,] = real(s[axis]), i < 7 - axis; }""",
    ),
    "a rank that is squared": (
        "no extent of 'y' is negative",
        """
        @input { x: real[m, s..(d)]; }
        @output { y: real[m - d * d]; }
        @assert { m >= d + d + d; }
        @lower { y[i,] = 0.0, i < m - d * d; }""",
    ),
    "a rank beside sizes with factors": (
        "no extent of 'y' is negative",
        """
        @input { x: real[m, s..(d)]; }
        @output { y: real[7 * m - 12 * d + 1]; }
        @assert { 3 * m >= 5 * d; }
        @lower { y[i,] = 0.0, i < 7 * m - 12 * d + 1; }""",
    ),
    "a length beside a size that others keep large": (
        "the index 'i' of 'x' is in bounds",
        """
        @attrib { c: int; }
        @input { xs: real[m]..(k); x: real[n]; }
        @output { y: real[k]; }
        @assert { n >= c * c; c >= 3; }
        @lower { y[i,] = x[i,], i < k; }""",
    ),
    "an item, or the number itself": (
        "the index 'c' of 'x' is in bounds",
        """
        @attrib { at: int; }
        @input { x: real[n]; }
        @using { t = [0, 1]; c = at >= 0 && at < 2 ? t[at] : at; }
        @output { y: real[n]; }
        @assert { n >= 8; c >= 0; }
        @lower { y[i,] = x[c,], i < n; }""",
    ),
    "an int divisor in a value": (
        "no divisor is zero",
        """
        @attrib { c: int; }
        @input { xs: real[m]..(k); }
        @output { y: int[m]; }
        @assert { c >= 9; }
        @lower { y[i,] = 6 / (k - c), i < m; }""",
    ),
    "a length that decides a branch of a value": (
        "the index 'i + 1' of 'x' is in bounds",
        """
        @attrib { c: int; }
        @input { xs: real[m]..(k); x: real[m]; }
        @output { y: real[m]; }
        @assert { c >= 9; }
        @lower { y[i,] = k >= c ? x[i + 1,] : 0.0, i < m; }""",
    ),
    "a range of positions along a dimension of another extent": (
        "the index 'back' of 'g' is in bounds",
        """
        @input { x: real[s..(d)]; g: real[n, m]; }
        @output { y: real[n, d]; }
        @using { back = [d - 1:-1:-1]; }
        @assert { m >= 9; }
        @lower { y[i, :] = g[i, back], i < n; }""",
    ),
}


def verdicts(body: str) -> dict[str, Verdict]:
    snapshot = snapshot_of({"m.sknd": f"operator m {{{body}\n}}\n"})
    proofs = proofs_of_operator(snapshot, OperatorName("m.sknd", "m"), time.thread_time)
    found = [each for each in proofs if not each.condition.startswith("the assertion")]
    # A condition may stand at several places: the worst verdict counts.
    worst = sorted(found, key=lambda each: (Verdict.PROVED, Verdict.UNKNOWN, Verdict.REFUTED).index(each.verdict))
    return {each.condition: each.verdict for each in worst}


@pytest.mark.parametrize("body", PROVED.values(), ids=PROVED)
def test_proved(body):
    found = verdicts(body)
    assert found
    assert {*found.values()} == {Verdict.PROVED}, found


@pytest.mark.parametrize("body", REFUTED.values(), ids=REFUTED)
def test_refuted(body):
    assert Verdict.REFUTED in verdicts(body).values()


@pytest.mark.parametrize(("broken", "body"), UNKNOWN.values(), ids=UNKNOWN)
def test_nothing_is_proved_that_larger_sizes_break(broken, body):
    found = verdicts(body)
    assert found.pop(broken) is Verdict.UNKNOWN, found


def test_an_assertion_about_reals_is_shown_to_refuse_something():
    body = """
        @attrib { low: real; high: real; bias: real; }
        @input { x: real[n]; }
        @output { y: real[n]; }
        @assert { low <= high; bias >= 0.0; }
        @lower { y[i,] = low + high + bias + x[i,], i < n; }"""
    snapshot = snapshot_of({"m.sknd": f"operator m {{{body}\n}}\n"})
    found = proofs_of_operator(snapshot, OperatorName("m.sknd", "m"), time.thread_time)
    asserted = [each.verdict for each in found if each.condition.startswith("the assertion")]
    assert asserted == [Verdict.NOT_IMPLIED] * 2


@pytest.mark.parametrize(
    ("shape", "extent", "left", "index"),
    [("m, p", "m", "i,", "o[a]"), ("m, p", "m", "i,", "[i, o[a]].."), ("s..(d), m", "s", "i..", "i.., o[a]")],
)
def test_a_condition_has_the_whole_text_of_an_index(shape: str, extent: str, left: str, index: str):
    found = verdicts(f"""
        @attrib {{ o: int..(e); a: int; }}
        @input {{ x: real[{shape}]; }}
        @output {{ y: real[{"s..(d)" if extent == "s" else extent}]; }}
        @lower {{ y[{left}] = x[{index}{", 0" if index == "o[a]" else ""}], i < {extent}; }}""")
    assert f"the index '{index}' of 'x' is in bounds" in found


def test_a_helper_symbol_without_a_value_for_some_length_is_no_obstacle():
    found = verdicts("""
        @attrib { a: bool; }
        @input { xs: real[n]..(k); }
        @output { y: real[3]; }
        @using { h = 6 / k; }
        @assert { a || h > 0; }
        @lower { y[i,] = 1.0, i < 3; }""")
    assert found["no divisor is zero"] is Verdict.REFUTED


def test_the_reason_names_what_stands_in_the_way():
    body = """
        @attrib { a: int; b: int; }
        @input { x: real[n]; }
        @output { y: real[n]; }
        @assert { a > 0; b > 0; a * a * a + b * b * b == n * n * n; }
        @lower { y[i,] = x[(a * i * i + b) % (n * n),], i < n; }"""
    snapshot = snapshot_of({"m.sknd": f"operator m {{{body}\n}}\n"})
    found = proofs_of_operator(snapshot, OperatorName("m.sknd", "m"), time.thread_time)
    reasons = [each.reason for each in found if each.verdict is Verdict.UNKNOWN]
    assert all("products and quotients with" in each and "'n'" in each for each in reasons)
    assert reasons
