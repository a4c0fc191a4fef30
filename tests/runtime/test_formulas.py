"""Statements of the draft about formulas (2.12), example by example, and the element-by-element oracle beside it."""

from __future__ import annotations

import numpy as np
import pytest

from support.runtime.formulas import check, operator
from support.runtime.operators import compiled, run

R = np.array


def test_explicit_and_implicit_initial_values():
    text = operator(
        "A: real[m, k]; B: real[k, n]; Z: optional real[m, n];", "C: real[m, n];",
        "C[i, j] = Z[i, j] ?? 0.0, i < m, j < n; C[i, j] += A[i, l] * B[l, j], i < m, l < k, j < n;",
    )  # fmt: skip
    a, b, z = R([[1.0, 2.0]]), R([[3.0], [4.0]]), R([[5.0]])
    assert check(text, a, b, z) == 16.0
    assert check(text, a, b, None) == 11.0


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("y[] += x[i,], i < n;", 3.0),
        ("y[] *= x[i,], i < n;", -8.0),
        ("y[] <?= x[i,], i < n;", -2.0),
        ("y[] >?= x[i,], i < n;", 4.0),
        ("y[] = 7.0; y[] >?= x[i,], i < n;", 7.0),
        ("y[] = 1.0; y[] := x[i,], i < n | x[i,] < 2.0;", 1.0),
        ("y[] = 1.0; y[] := y[] + x[i,], i < n;", 4.0),
    ],
)
def test_assignments(formula: str, expected: float):
    text = operator("x: real[n];", "y: real[];", formula)
    assert check(text, R([-2.0, 1.0, 4.0])) == expected


def test_nothing_to_accumulate():
    empty = np.zeros(0)
    for sign, neutral in (("+=", 0.0), ("*=", 1.0), ("<?=", np.inf), (">?=", -np.inf)):
        assert check(operator("x: real[n];", "y: real[];", f"y[] {sign} x[i,], i < n;"), empty) == neutral
    for sign, truth in (("&=", True), ("|=", False)):
        assert check(operator("x: bool[n];", "y: bool[];", f"y[] {sign} x[i,], i < n;"), empty == 0) == truth


def test_items_of_packs_by_loop_index_by_unrolling_and_at_once():
    xs, z = [R([[1.0, 2.0]]), R([[3.0, 4.0]])], R([[10.0, 20.0]])
    head = ("xs: real[n, m]..(k); z: real[n, m];", "ys: real[n, m]..(k);")
    for lower in (
        "ys[ki][ni, mi] = xs[ki][ni, mi] + z[ni, mi], ki < k, ni < n, mi < m;",
        "unroll..(ki -> k) ys[ki][ni, mi] = xs[ki][ni, mi] + z[ni, mi], ni < n, mi < m;",
        "ys[ni, mi] = xs[ni, mi] + z[ni, mi], ni < n, mi < m;",
    ):
        first, second = check(operator(*head, lower), xs, z)
        assert first.tolist() == [[11.0, 22.0]]
        assert second.tolist() == [[13.0, 24.0]]


def test_ranges_along_a_dimension():
    head = ("x: real[n, k];", "y: real[n, k];")
    x = R([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert (check(operator(*head, "y[i, :] = x[i, :] * 2.0, i < n;"), x) == 2 * x).all()
    reversed_ = check(operator(*head, "y[i, :] = x[i, ::-1], i < n;"), x)
    assert (reversed_ == x[:, ::-1]).all()
    assert (check(operator(*head, "y[i, ki] = x[i, ki], i < n;", using="ki = [0:k];"), x) == x).all()


def test_a_packed_assignment_is_atomic():
    text = operator(
        "x: real[m, n];", "at: int[2];",
        "at[:,] = 0; at[:,] := [i, j], i < m, j < n | x[i, j] > x[at[:,]..];",
    )  # fmt: skip
    x = R([[1.0, 5.0, 2.0], [5.0, 7.0, 7.0]])
    assert check(text, x).tolist() == [1, 1]
    packed = text.replace("at: int[2];", "at: int[]..(2);").replace("at[:,]", "at[]")
    assert [int(each) for each in check(packed, x)] == [1, 1]


def test_updates_run_in_order_and_read_what_was_written():
    text = operator("x: int[n];", "y: int[n];", "y[i,] = x[i,], i < n; y[i,] := y[|i - 1|,] + y[i,], i < n;")
    x = np.arange(1, 8)
    assert check(text, x).tolist() == np.cumsum(x).tolist()
    columns = operator(
        "x: int[n, m];", "y: int[n, m];",
        "y[i, j] = x[i, j], i < n, j < m; y[i, j] := y[|i - 1|, j] + y[i, j], i < n, j < m;",
    )  # fmt: skip
    x = np.arange(12).reshape(3, 4)
    assert (check(columns, x) == np.cumsum(x, 0)).all()


def test_accumulations_read_what_is_accumulated_so_far():
    text = operator("x: real[n];", "y: real[n];", "y[i,] += x[i,] + (i > 0 ? y[i - 1,] : 0.0), i < n;")
    assert check(text, R([1.0, 2.0, 4.0])).tolist() == [1.0, 3.0, 7.0]


def test_a_name_is_hidden_by_an_index_but_not_in_its_own_bound():
    text = operator("x: real[n, m];", "y: real[n, m];", "y[n, x] = real(n * 10 + x), n < n, x < m;")
    assert check(text, np.zeros((2, 2))).tolist() == [[0.0, 1.0], [10.0, 11.0]]


def test_the_first_of_many_by_searching():
    text = operator("x: real[n];", "at: int[];", "at[] = 0; at[] := i, i < n | x[i,] > x[at[],];")
    x = np.random.default_rng(1).integers(0, 300, 3000) / 2
    assert run(text, x) == np.argmax(x)


def test_local_values_and_their_use_in_conditions():
    text = operator(
        "x: real[s..];", "y: real[s..];",
        "with z = x[i..] ** 2.0, half = z / 2.0: y[i..] = z * sin(half), i < s | z > 1.0;",
    )  # fmt: skip
    x = R([[0.5, 2.0, -3.0]])
    assert np.allclose(check(text, x), np.where(x**2 > 1, x**2 * np.sin(x**2 / 2), 0))


def test_guarded_indices_skip_the_whole_accumulation():
    text = operator("x: real[s]; f: real[w];", "y: real[s];", "y[i,] += x[|i + j - w / 2|,] * f[j,], i < s, j < w;")
    x, f = np.arange(1.0, 6.0), R([1.0, 10.0, np.inf])
    assert check(text, x, f).tolist() == [np.inf] * 4 + [4.0 + 50.0]


def test_remapped_indices():
    text = operator("x: real[s];", "y: real[s + 4];", "y[i,] = x[|i - 2 <> 0 : s - 1|,], i < s + 4;")
    assert check(text, R([1.0, 2.0, 3.0])).tolist() == [1, 1, 1, 2, 3, 3, 3]


def test_counted_extents_in_any_position():
    x = R([[0, 3], [4, 0], [5, 6]])
    text = operator(
        "x: int[n, m];", "at: int[2, k | n * m]; values: int[k]; twice: int[k, 2];",
        "at[:, k] = [i, j], i < n, j < m | x[i, j] > 0; values[k,] = x[i, j], i < n, j < m | x[i, j] > 0;"
        "twice[k, 1] = x[i, j], i < n, j < m | x[i, j] > 0;",
    )  # fmt: skip
    at, values, twice = check(text, x)
    assert at.tolist() == [[0, 1, 2, 2], [1, 0, 0, 1]]
    assert values.tolist() == [3, 4, 5, 6]
    assert twice.tolist() == [[0, 3], [0, 4], [0, 5], [0, 6]]


def test_data_dependent_accesses_on_both_sides():
    gather = operator("x: real[n]; at: int[m];", "y: real[m];", "y[i,] = x[at[i,],], i < m;")
    x, at = R([1.0, 2.0, 4.0]), R([2, 0, 2, 1])
    assert check(gather, x, at).tolist() == [4, 1, 4, 2]
    count = operator("at: int[m];", "y: int[5];", "y[at[i,],] += 1, i < m;")
    assert check(count, at).tolist() == [1, 1, 2, 0, 0]
    nested = operator("x: real[n]; at: int[m];", "y: real[m];", "y[at[at[i,],],] = x[i,], i < n;")
    check(nested, x, R([2, 0, 2, 1]))


def test_bounds_that_depend_on_earlier_indices():
    text = operator("xs: real[..s]..(n);", "y: real[n];", "y[k,] += xs[k][i,], k < n, i < s[k];")
    assert check(text, [R([1.0, 2.0]), np.zeros(0), R([5.0])]).tolist() == [3, 0, 5]
    ordered = operator(
        "xs: real[..s]..(n); z: real[m];", "y: real[m];",
        "y[j,] = z[j,], j < m; y[j,] := y[j,] * 2.0 + xs[k][i,], j < m, k < n, i < s[k];",
    )  # fmt: skip
    check(ordered, [R([1.0, 2.0]), np.zeros(0), R([5.0])], R([1.0, 3.0]))


def test_bounds_that_are_read_from_tensors():
    text = operator("x: real[n]; count: int[];", "y: real[];", "y[] += x[i,], i < count[];")
    assert run(text, R([1.0, 2.0, 4.0]), R(2)) == 3.0


def test_rank_zero_strings_and_shapes():
    text = operator(
        "x: T[]; y: T[s..];", "z: T[s..]; n: int[];", "z[i..] = x[], i < s; n[] = y.rank;", dtypes="T: type;"
    )
    z, n = check(text, R("a", dtype=object), R([["b", "c"]], dtype=object))
    assert z.tolist() == [["a", "a"]]
    assert n == 2


def test_several_outputs_may_read_each_other():
    text = operator("x: real[n];", "low: real[]; y: real[n];", "low[] <?= x[i,], i < n; y[i,] = x[i,] - low[], i < n;")
    low, y = check(text, R([3.0, 1.0]))
    assert low == 1.0
    assert y.tolist() == [2.0, 0.0]


def test_reals_are_of_32_bits_unless_asked_for():
    text = operator("x: real[n];", "y: real[n];", "y[i,] = x[i,] / 3.0, i < n;")
    x = R([1.0, 2.0])
    (y,) = compiled(text, [x]).run([x])
    assert y.dtype == np.float32  # type: ignore[union-attr]


def test_selections_look_only_at_what_is_chosen():
    text = operator("x: int[n];", "y: int[n];", "y[i,] = x[i,] == 0 ? -1 : 12 / x[i,], i < n;")
    assert check(text, R([0, 5, -5])).tolist() == [-1, 2, -3]
    text = operator("x: int[n];", "y: int[n];", "y[i,] = i < n - 1 && x[i + 1,] > 0 ? 1 : 0, i < n;")
    assert check(text, R([0, 5, -5])).tolist() == [1, 0, 0]


def test_a_condition_that_decides_for_a_pack_has_an_item_for_each_of_its_own():
    folded = "with q = i - 1, inside = {} || q >= 0: y[i..] = inside && .., i < s;"
    for decided, found in (("n != 0", [[True, True], [True, True]]), ("n == 0", [[False, False], [False, True]])):
        text = operator("x: int[s..(n)];", "y: bool[s..];", folded.format(decided))
        assert check(text, R([[1, 2], [3, 4]])).tolist() == found


def test_every_extent_is_counted_by_its_own_formulas():
    text = operator(
        "x: int[n];", "a: int[k | n]; b: int[l | n]; c: int[k];",
        "a[k,] = x[i,], i < n | x[i,] > 0; b[l,] = -x[i,], i < n | x[i,] <= 0; c[k,] = i, i < n | x[i,] > 0;",
    )  # fmt: skip
    a, b, c = check(text, R([1, 2, 0, 3]))
    assert (a.tolist(), b.tolist(), c.tolist()) == ([1, 2, 3], [0], [0, 1, 3])
    assert [each.size for each in check(text, np.zeros(0, np.int64))] == [0, 0, 0]


def test_an_unrolled_formula_counts_on():
    text = operator("x: int[n, 2];", "y: int[k | 2 * n];", "unroll..(j -> 2) y[k,] = x[i, j], i < n | x[i, j] > 0;")
    assert check(text, R([[1, 4], [0, 5], [3, 0]])).tolist() == [1, 3, 4, 5]


def test_what_a_guard_skips_is_not_counted():
    text = operator("x: int[n];", "y: int[k | n];", "y[k,] = x[|i - 1|,], i < n | x[i,] > 0;")
    assert check(text, R([1, 2, 0, 3])).tolist() == [1, 0]


def test_null():
    text = operator("x: real[n]; w: optional real[n];", "y: real[n];", "y[i,] = ?w ? x[i,] * w[i,] : x[i,], i < n;")
    assert check(text, R([1.0, 2.0]), None).tolist() == [1, 2]
    assert check(text, R([1.0, 2.0]), R([3.0, 4.0])).tolist() == [3, 8]
    text = operator("x: real[n];", "y: real[n];", "y[i,] = (x[i,] > 1.0 ? x[i,]) ?? 0.5, i < n;")
    assert check(text, R([1.0, 2.0])).tolist() == [0.5, 2]


def test_outputs_chosen_by_what_is_read():
    text = operator("x: real[n]; at: int[n];", "ys: real[n]..(3);", "ys[at[i,]][i,] = x[i,], i < n;")
    assert np.stack(check(text, R([1.0, 2.0, 3.0]), R([0, 2, 2]))).tolist() == [[1, 0, 0], [0, 0, 0], [0, 2, 3]]


def test_packs_are_accumulated_item_by_item():
    text = operator("x: real[n];", "y: real[2];", "y[:,] >?= [x[i,], -x[i,]], i < n;")
    assert check(text, R([1.0, 2.0, 3.0])).tolist() == [3, -1]
    text = operator("x: real[n];", "ys: real[]..(2);", "ys[] += [x[i,], x[i,] * x[i,]], i < n;")
    assert [float(y) for y in check(text, R([1.0, 2.0, 3.0]))] == [6, 14]


def test_diagonals():
    x = np.arange(9.0).reshape(3, 3)
    assert check(operator("x: real[n, n];", "y: real[n];", "y[i,] = x[i, i], i < n;"), x).tolist() == [0, 4, 8]
    assert check(operator("x: real[n, n];", "y: real[];", "y[] += x[i, i] * x[i, i], i < n;"), x) == 80


def test_places_of_a_substitution_may_be_read():
    text = operator("x: real[n, m]; at: int[n];", "y: real[n, m];", "y[i, j] = x[[i, j][at[i,]] <- 0..], i < n, j < m;")
    x = np.arange(6.0).reshape(2, 3)
    assert check(text, x, R([0, 1])).tolist() == [[0, 1, 2], [3, 3, 3]]


def test_what_a_branch_of_the_value_skips_is_written_nowhere():
    text = operator(
        "x: real[n]; at: int[m];", "y: real[3];", "y[|at[k,]|,] = k < 1 ? x[k,] : x[|k|,], k < 3;"
    )  # fmt: skip
    assert check(text, R([5.0]), R([2])).tolist() == [0, 0, 5]


def test_values_of_constants_depend_on_indices_in_any_way():
    text = operator("x: real[n];", "y: int[3]; t: str[2];", "y[i,] = sums[i, 1], i < 3; t[i,] = names[i,], i < 2;")
    constants = """@constant {
        names: str[2] = "row {i}", i < 2;
        sums: int[3, 2] = (([0, 10, 20])[:i] + ..) * j + ([1 ..(i)] + ..), i < 3, j < 2;
    }
    @output"""
    sums, names = run(text.replace("@output", constants), R([1.0]))
    assert sums.tolist() == [0, 1, 12]
    assert names.tolist() == ["row 0", "row 1"]


def test_unrolled_indices_are_known_when_composing():
    text = operator(
        "x: real[n];",
        "y: real[3]; t: str[3];",
        "unroll..(k -> 3) y[k,] = real([0:k] + ..); unroll..(k -> 3) t[k,] = '{k}';",
    )
    y, t = run(text, R([1.0]))
    assert (y.tolist(), t.tolist()) == ([0.0, 0.0, 1.0], ["0", "1", "2"])
