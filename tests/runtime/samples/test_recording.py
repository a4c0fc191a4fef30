"""Results as text: a recorded value reads back as it was, and compares equal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from snd_analysis.skriptnd.samples import Recorded
from snd_runtime.samples import recorded_text
from snd_runtime.samples.comparison import difference
from support.memory import snapshot_of
from support.sampling import examples

SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
TENSORS = st.one_of(
    arrays.arrays(np.float32, SHAPES),
    arrays.arrays(np.float64, SHAPES),
    arrays.arrays(np.int64, SHAPES),
    arrays.arrays(np.bool_, SHAPES),
    arrays.arrays(object, SHAPES, elements=st.text(st.characters(exclude_characters="\r"), max_size=5)),
)


def read(line: str) -> Recorded:
    """Return the result recorded by a line below a sample."""
    (placed,) = snapshot_of({"a.sknd": f"# >>> f()\n# {line}\n"}).samples("a.sknd")
    assert not placed.sample.problems, (line, placed.sample.problems)
    (recorded,) = placed.sample.results
    return recorded


@settings(max_examples=examples(150), deadline=None)
@given(TENSORS)
def test_a_recorded_tensor_compares_equal(tensor: np.ndarray):
    text = recorded_text("y", tensor)
    assert difference(read(text), tensor, 0.0) is None, text


@settings(max_examples=examples(50), deadline=None)
@given(
    st.lists(arrays.arrays(np.float32, arrays.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=3)), max_size=4)
)
def test_a_recorded_pack_compares_equal(tensors: list[np.ndarray]):
    text = recorded_text("y", tuple(tensors), "real")
    assert difference(read(text), tuple(tensors), 0.0) is None, text


@settings(max_examples=examples(50), deadline=None)
@given(arrays.arrays(np.float32, st.tuples(st.integers(101, 120))))
def test_a_recorded_summary_compares_equal(tensor: np.ndarray):
    text = recorded_text("y", tensor)
    assert " n=" in text
    assert difference(read(text), tensor, 1e-5) is None, text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32([-0.1, 2.0]), "y: real[2] = [-0.1, 2.0]"),
        (np.array(3.0, np.float32), "y: real[] = 3.0"),
        (np.int64([[1, 2], [3, 4]]), "y: int[2,2] = [[1, 2], [3, 4]]"),
        (np.array([True, False]), "y: bool[2] = [true, false]"),
        (np.array(["a'b", "{c}"], object), r"y: str[2] = ['a\'b', '\{c\}']"),
        (np.float64([np.nan, np.inf, -np.inf]), "y: real[3] = [nan, inf, -inf]"),
        (np.array(["a\rb", ""], object), "y: str[2] n=2 distinct=2"),
        (None, "y: null"),
        ((np.int64([1]), np.int64([2, 3])), "y: int[..[1, 2]]..(2) = [[1], [2, 3]]"),
        ((), "y: real[]..(0) = []"),
        (np.zeros((0, 3), np.float32), "y: real[0,3] = []"),
        (np.arange(200.0), "y: real[200] n=200 x∈[0, 199] μ=99.5 σ=57.7 nan=0"),
    ],
)
def test_text(value: object, text: str):
    assert recorded_text("y", value) == text


REALS = "y: real[3] = [1.0, -200.0, 1e-9]"


@pytest.mark.parametrize(
    ("line", "now", "tolerance", "found"),
    [
        (REALS, [1.0, -200.0, 1e-9], 0.0, None),
        (REALS, [1.000009, -200.001, -5e-6], 1e-5, None),
        (REALS, [1.1, -200.0, 0.0], 1e-5, "1 of 3 items differ, the largest deviation is 0.1 at [0]"),
        (REALS, [1.1, -201.0, 0.0], 1e-5, "2 of 3 items differ, the largest deviation is 1 at [1]"),
        (REALS, [1.1, -201.0, 0.0], 0.2, None),
        (REALS, [1.0, np.nan, 0.0], 1e-5, "1 of 3 items differ, the largest deviation is inf at [1]"),
        ("y: real[1] = [nan]", [np.nan], 1e-5, None),
        ("y: real[1] = [nan]", [1.0], 1e-5, "it differs, the largest deviation is inf at [0]"),
        ("y: real[1] = [inf]", [np.inf], 1e-5, None),
        ("y: real[1] = [inf]", [-np.inf], 1e-5, "it differs, the largest deviation is inf at [0]"),
        ("y: real[1] = [inf]", [1e30], 1e-5, "it differs, the largest deviation is inf at [0]"),
        ("y: real[1] = [1e-12]", [2e-12], 1e-5, "it differs, the largest deviation is 1e-12 at [0]"),
        ("y: real[1] = [0.0]", [1e-8], 1e-5, None),
        ("y: real[1] = [0.0]", [1e-5], 1e-5, "it differs, the largest deviation is 1e-05 at [0]"),
        ("y: real[2] = [0.0, 1.0]", [0.0], 1e-5, "its shape is [1] now"),
        ("y: int[1] = [3]", [0.0], 1e-5, "its type is 'real' now"),
        ("y: real[1]", [7.0], 1e-5, None),
        ("y: real[1] = [1.0, 2.0]", [7.0], 1e-5, "what is recorded has not the type and shape that are recorded"),
        ("y: real[1] = ['text']", [7.0], 1e-5, "what is recorded has not the type and shape that are recorded"),
        ("y: null", [7.0], 1e-5, "one of them is null"),
    ],
)
def test_tolerance(line: str, now: list[float], tolerance: float, found: str | None):
    assert difference(read(line), np.array(now), tolerance) == found


def test_ints_agree_exactly():
    recorded = read("y: int[2] = [1000000, 9007199254740993]")
    assert difference(recorded, np.int64([1000000, 9007199254740993]), 1.0) is None
    assert difference(recorded, np.int64([1000001, 9007199254740993]), 1.0) is not None
    assert difference(recorded, np.int64([1000000, 9007199254740992]), 1.0) is not None


@pytest.mark.parametrize(
    ("change", "differs"),
    [(lambda x: x, False), (lambda x: x * 1.001, False), (lambda x: x * 1.1, True), (lambda x: x + 1.0, True)],
)
def test_summaries_agree_as_far_as_their_digits_tell(change, differs: bool):
    tensor = np.linspace(-1.0, 3.0, 500)
    recorded = read(recorded_text("y", tensor))
    assert (difference(recorded, change(tensor), 1e-5) is not None) is differs


def test_a_nan_more_is_told():
    tensor = np.linspace(-1.0, 3.0, 500)
    recorded = read(recorded_text("y", tensor))
    tensor[250] = np.nan
    assert difference(recorded, tensor, 1e-5) == "'nan' was 0 and is 1"
