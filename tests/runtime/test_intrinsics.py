"""Intrinsics by hand, against plain loops, and at their limits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.intrinsics import nonmax_suppress, roi_pool, top_k
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, library_modules
from snd_analysis.skriptnd.syntax import nodes
from snd_runtime.errors import EvaluationFailed
from snd_runtime.intrinsics import INTRINSICS
from snd_runtime.intrinsics.selection import descending
from snd_runtime.intrinsics.suppression import _first_visits
from snd_runtime.limits import Limits
from support.runtime.intrinsics_running import PLACE, intrinsic
from support.runtime.operators import InvalidError, library_snapshot

NAN, INF = np.nan, np.inf
PAGE = Path(__file__).parents[2] / "docs" / "intrinsics.md"


def failure(*arguments: Any, **keywords: Any) -> EvaluationFailed:
    with pytest.raises(EvaluationFailed) as caught:
        intrinsic(*arguments, **keywords)
    assert caught.value.place is PLACE
    return caught.value


# ---- the table -------------------------------------------------------------------------------------------------------
def _without_formulas() -> dict[OperatorName, str]:
    """The library operators, also of ONNX, with neither formula nor composition, and the first sentence about each."""
    found = {}
    for module in (*library_modules(), "onnx"):
        path = f"{LIBRARY_PREFIX}{module}"
        tree = library_snapshot().tree(path)
        text = library_snapshot().source(path).text
        for base, definition in tree.definitions:
            kinds = {block.kind for block in definition.blocks if isinstance(block, nodes.Block)}
            if not kinds & {"lower", "compose"}:
                found[OperatorName(path, definition.name.text)] = _summary(text, base + definition.name.span.start)
    return found


def _summary(text: str, name: int) -> str:
    comment: list[str] = []
    for line in reversed(text[:name].splitlines()[:-1]):
        if not line.startswith("#"):
            break
        comment.insert(0, line.removeprefix("#").strip())
    return re.split(r"(?<=[.:]) |$", " ".join(comment))[0].rstrip(".:")


def test_every_library_operator_without_formulas_has_an_intrinsic():
    assert set(_without_formulas()) == set(INTRINSICS)


def test_the_page_lists_the_intrinsics(request: pytest.FixtureRequest):
    """``pytest --update-goldens`` writes it."""
    rows = [
        f"| `{name.path.removeprefix(LIBRARY_PREFIX)}.{name.name}` | {summary} |"
        for name, summary in sorted(_without_formulas().items(), key=lambda item: (item[0].path, item[0].name))
    ]
    page = (
        "# Intrinsics\n\n"
        "Chapter 4 of the draft has no formula for these operators of the standard library, nor has the module `onnx` "
        "for its\nown: snd computes them in its own way. Every other one is computed by its `@lower` or its `@compose` "
        "block, as are\nyour own; an operator with neither can be checked and composed, but not run. How ties, NaN and "
        "borders are treated is\nsaid in [the decisions about the library](language.md#the-standard-library).\n\n"
        "This page is made by `pytest --update-goldens tests/runtime/test_intrinsics.py`.\n\n"
        "| operator | what it does |\n|---|---|\n" + "\n".join(rows) + "\n"
    )
    if request.config.getoption("--update-goldens"):
        PAGE.write_bytes(page.encode())
    assert PAGE.read_bytes().decode() == page


# ---- algo.top_k ------------------------------------------------------------------------------------------------------
def test_the_largest_elements_come_first():
    values, indices = intrinsic("algo.top_k", np.array([3.0, 1.0, 4.0, 1.5]), k=2)
    assert values.tolist() == [4.0, 3.0]
    assert indices.tolist() == [2, 0]


def test_among_equal_elements_the_lower_index_comes_first():
    x = np.array([1.0, 2.0, 2.0, 1.0, 2.0, -0.0, 0.0])
    assert intrinsic("algo.top_k", x, k=4)[1].tolist() == [1, 2, 4, 0]
    assert intrinsic("algo.top_k", x, k=4, largest=False)[1].tolist() == [5, 6, 0, 3]


@pytest.mark.parametrize(("largest", "order"), [(True, [2, 1, 4, 0, 3]), (False, [4, 1, 2, 0, 3])])
def test_nan_comes_after_all_numbers(largest: bool, order: list[int]):
    x = np.array([NAN, 0.0, INF, NAN, -INF])
    assert intrinsic("algo.top_k", x, k=5, largest=largest)[1].tolist() == order


def test_there_are_no_more_results_than_elements():
    values, indices = intrinsic("algo.top_k", np.zeros((2, 3)), k=10, axis=-1)
    assert values.shape == indices.shape == (2, 3)
    assert intrinsic("algo.top_k", np.zeros((0, 3)), k=1)[0].shape == (0, 3)


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize(("shape", "axis"), [((7,), 0), ((4, 5), 0), ((4, 5), 1), ((2, 6, 3), -2), ((2, 0, 3), 0)])
@pytest.mark.parametrize("largest", [True, False])
def test_top_k_as_by_loops(shape: Any, axis: int, largest: bool, real: Any):
    generator = np.random.default_rng(3)
    x = generator.integers(0, 4, shape).astype(float)
    x[generator.random(shape) < 0.2] = NAN
    for k in (1, 3, 9):
        values, indices = intrinsic("algo.top_k", x, k=k, axis=axis, largest=largest, sorted=k > 1, real=real)
        wanted_values, wanted_indices = top_k(x, k, axis, largest)
        np.testing.assert_array_equal(values, wanted_values)
        np.testing.assert_array_equal(indices, wanted_indices)


# ---- algo.nonmax_suppress --------------------------------------------------------------------------------------------
ROW = np.array(
    [[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]]
)
SCORES = np.array([[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3]]])


def test_boxes_that_overlap_a_better_one_are_dropped():
    indices = intrinsic("algo.nonmax_suppress", ROW, SCORES, iou_threshold=0.5, max_outputs_per_class=3)
    assert indices.tolist() == [[0, 0, 3], [0, 0, 0], [0, 0, 5]]


def test_scores_must_be_greater_than_the_threshold():
    indices = intrinsic("algo.nonmax_suppress", ROW, SCORES, iou_threshold=0.5, score_threshold=0.3)
    assert indices.tolist() == [[0, 0, 3], [0, 0, 0]]


def test_boxes_that_overlap_as_much_as_the_threshold_stay():
    halves = np.array([[[0.0, 0, 1, 2], [0, 0, 1, 1]]])
    scores = np.ones((1, 1, 2))
    assert len(intrinsic("algo.nonmax_suppress", halves, scores, iou_threshold=0.5)) == 2
    assert len(intrinsic("algo.nonmax_suppress", halves, scores, iou_threshold=0.49)) == 1


def test_equal_scores_are_visited_by_index_and_nan_last():
    same = np.array([[[0.0, 0, 1, 1]] * 4])
    assert intrinsic("algo.nonmax_suppress", same, np.array([[[0.5, 0.7, 0.7, NAN]]])).tolist() == [[0, 0, 1]]
    assert intrinsic("algo.nonmax_suppress", same[:, :2], np.array([[[NAN, 0.1]]])).tolist() == [[0, 0, 1]]
    none = intrinsic("algo.nonmax_suppress", same[:, :1], np.array([[[NAN]]]), score_threshold=0.0)
    assert none.shape == (0, 3)


def test_boxes_without_area_overlap_nothing():
    points = np.zeros((1, 2, 4))
    assert len(intrinsic("algo.nonmax_suppress", points, np.ones((1, 1, 2)))) == 2


@pytest.mark.parametrize("form", ["CORNERS", "CENTER"])
@pytest.mark.parametrize("threshold", [None, 0.3])
@pytest.mark.parametrize("most", [None, 0, 2])
def test_nonmax_suppress_as_by_loops(form: str, threshold: float | None, most: int | None):
    generator = np.random.default_rng(5)
    for b, c, n in ((2, 3, 12), (1, 1, 0), (0, 2, 3), (1, 0, 2), (1, 2, 40)):
        boxes = generator.integers(0, 6, (b, n, 4)).astype(float)
        scores = generator.integers(0, 6, (b, c, n)) / 6
        attributes = {} if most is None else {"max_outputs_per_class": most}
        for iou in (0.0, 0.25, 1.0):
            found = intrinsic(
                "algo.nonmax_suppress",
                boxes,
                scores,
                iou_threshold=iou,
                score_threshold=threshold,
                box_format=form,
                **attributes,
            )
            wanted = nonmax_suppress(boxes, scores, iou, n if most is None else most, threshold, form)
            np.testing.assert_array_equal(found, wanted)


# ---- image: regions --------------------------------------------------------------------------------------------------
IMAGE = np.arange(36.0).reshape(1, 1, 6, 6)
FIRST = np.array([0])


def test_a_region_is_divided_into_cells():
    region = np.array([[1.0, 0.0, 5.0, 6.0]])
    assert intrinsic("image.max_roi_pool", IMAGE, region, FIRST, output_size=[2, 2]).tolist() == [
        [[[14, 17], [26, 29]]]
    ]
    assert intrinsic("image.avg_roi_pool", IMAGE, region, FIRST, output_size=[2, 2]).tolist() == [
        [[[10, 13], [22, 25]]]
    ]


def test_cells_overlap_where_the_region_is_not_a_multiple():
    line = np.arange(5.0).reshape(1, 1, 5)
    region = np.array([[0.0, 5.0]])
    assert intrinsic("image.max_roi_pool", line, region, FIRST, output_size=[2]).tolist() == [[[2, 4]]]
    assert intrinsic("image.avg_roi_pool", line, region, FIRST, output_size=[2]).tolist() == [[[1, 3]]]


def test_coordinates_are_rounded_halves_away_from_zero():
    line = np.arange(5.0).reshape(1, 1, 5)
    region = np.array([[0.5, 2.5]])
    assert intrinsic("image.avg_roi_pool", line, region, FIRST, output_size=[1]).tolist() == [[[1.5]]]


def test_elements_outside_of_the_image_are_left_out():
    line = np.arange(5.0).reshape(1, 1, 5)
    regions = np.array([[-2.0, 2.0], [3.0, 7.0], [7.0, 9.0], [2.0, 2.0]])
    first = np.zeros(4, np.int64)
    assert intrinsic("image.max_roi_pool", line, regions, first, output_size=[2]).tolist() == [
        [[-INF, 1]],
        [[4, -INF]],
        [[-INF, -INF]],
        [[-INF, -INF]],
    ]
    means = intrinsic("image.avg_roi_pool", line, regions, first, output_size=[2])
    np.testing.assert_array_equal(means[:, 0], [[NAN, 0.5], [3.5, NAN], [NAN, NAN], [NAN, NAN]])


@pytest.mark.filterwarnings("error")
def test_infinities_add_up_to_nan_without_a_word():
    line = np.array([[[INF, -INF, 1.0, INF]]])
    region = np.array([[0.0, 4.0]])
    np.testing.assert_array_equal(intrinsic("image.avg_roi_pool", line, region, FIRST, output_size=[2]), [[[NAN, INF]]])


def test_nan_is_seen_in_its_cell_only():
    line = np.array([[[0.0, 1.0, NAN, 3.0]]])
    region = np.array([[0.0, 4.0]])
    np.testing.assert_array_equal(intrinsic("image.max_roi_pool", line, region, FIRST, output_size=[2]), [[[1, NAN]]])


@pytest.mark.parametrize("extents", [(9,), (7, 8), (4, 5, 6), (0, 4)])
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_regions_as_by_loops(extents: tuple[int, ...], real: Any):
    generator = np.random.default_rng(11)
    d = len(extents)
    images = generator.normal(size=(3, 2, *extents))
    begins = generator.uniform(-3, 6, (8, d))
    rois = np.concatenate([begins, begins + generator.uniform(0, 8, (8, d))], axis=1)
    rois = np.round(rois * 2) / 2
    index = generator.integers(0, 3, 8)
    for size in ([1] * d, [3] * d, list(range(1, d + 1))):
        for name, mean in (("max", False), ("avg", True)):
            found = intrinsic(f"image.{name}_roi_pool", images, rois, index, output_size=size, real=real)
            tolerance = 1e-12 if real is np.float64 else 1e-5
            np.testing.assert_allclose(found, roi_pool(images, rois, index, size, mean), rtol=tolerance, atol=tolerance)


def test_regions_that_make_no_sense_are_named():
    line, size = np.zeros((2, 1, 5)), {"output_size": [2]}
    region = np.array([[0.0, 5.0]])
    found = failure("image.max_roi_pool", line, region, np.array([2]), **size)
    assert found.rule.name == "index-out-of-range"
    assert found.message == "the index 2 is outside of dimension 0 of 'input', whose extent is 2 (at index[0])"
    assert "-1" in failure("image.avg_roi_pool", line, region, np.array([-1]), **size).message
    found = failure("image.max_roi_pool", line, np.array([[4.0, 2.0]]), FIRST, **size)
    assert found.rule.name == "negative-extent"
    assert found.message == "the region rois[0] ends before it begins: [4.0, 2.0]"
    for coordinate in (NAN, INF, -INF, 1e19):
        found = failure("image.max_roi_pool", line, np.array([[0.0, coordinate]]), FIRST, **size)
        assert found.rule.name == "cast-type"
        assert found.message.endswith("(at rois[0, 1])")


def test_regions_may_reach_far():
    far = np.array([[-(2.0**60), 2.0**60]])
    assert intrinsic("image.max_roi_pool", np.ones((1, 1, 5)), far, FIRST, output_size=[1]).tolist() == [[[1.0]]]


# ---- rand ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_uniform_reals_lie_between_the_bounds(real: Any):
    x = intrinsic("rand.uniform", shape=[200, 50], min=-2.0, max=3.0, real=real)
    assert x.min() >= -2
    assert x.max() < 3
    assert x.mean() == pytest.approx(0.5, abs=0.05)
    assert x.var() == pytest.approx(25 / 12, abs=0.1)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_bounds_may_be_near_or_far(real: Any):
    largest = float(np.finfo(real).max)
    assert np.isfinite(intrinsic("rand.uniform", shape=[100], min=-largest, max=largest, real=real)).all()
    least = float(np.nextafter(real(1), real(2)))
    assert set(intrinsic("rand.uniform", shape=[100], min=1.0, max=least, real=real).tolist()) == {1.0}
    assert set(intrinsic("rand.uniform", shape=[100], min=0.1, max=0.1, real=real).tolist()) == {float(real(0.1))}


def test_bounds_must_be_finite_in_the_type_of_the_run():
    found = failure("rand.uniform", shape=[1], max=1e300, real=np.float32)
    assert found.message == "'max' is 1e+300, which is no finite number of the type float32"
    assert failure("rand.normal", shape=[1], mean=NAN).message.startswith("'mean' is nan")


def test_uniform_ints_include_both_bounds():
    x = intrinsic("rand.uniform", shape=[1000], min=1, max=6, dtypes=["int"])
    assert set(x.tolist()) == {1, 2, 3, 4, 5, 6}
    least, most = -(2**63), 2**63 - 1
    assert intrinsic("rand.uniform", shape=[3], min=least, max=most, dtypes=["int"]).shape == (3,)
    with pytest.raises(InvalidError, match="does not fit into 64 bits"):
        intrinsic("rand.uniform", shape=[3], min=0, max=most + 1, dtypes=["int"])


def test_normal_numbers_have_the_mean_and_the_deviation():
    x = intrinsic("rand.normal", shape=[20000], mean=2.0, std=3.0)
    assert x.mean() == pytest.approx(2, abs=0.1)
    assert x.std() == pytest.approx(3, abs=0.1)
    assert set(intrinsic("rand.normal", shape=[5], mean=2.0, std=0.0).tolist()) == {2.0}


def test_truth_values_have_the_probability():
    assert intrinsic("rand.bernoulli", shape=[20000], prob=0.3).mean() == pytest.approx(0.3, abs=0.02)
    assert not intrinsic("rand.bernoulli", shape=[1000], prob=0.0).any()
    assert intrinsic("rand.bernoulli", shape=[1000], prob=1.0).all()


RANDOM: list[tuple[str, dict[str, Any]]] = [
    ("rand.uniform", {}),
    ("rand.uniform", {"min": 0, "max": 1000000, "dtypes": ["int"]}),
    ("rand.normal", {}),
    ("rand.bernoulli", {"prob": 0.5}),
]


@pytest.mark.parametrize(("name", "attributes"), RANDOM)
def test_the_seed_decides(name: str, attributes: dict[str, Any]):
    first = intrinsic(name, shape=[40], seed=1, **attributes)
    np.testing.assert_array_equal(first, intrinsic(name, shape=[40], seed=1, **attributes))
    assert (first != intrinsic(name, shape=[40], seed=2, **attributes)).any()
    for shape in ([], [0, 3]):
        assert intrinsic(name, shape=shape, **attributes).shape == tuple(shape)


# ---- limits ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "attributes"), RANDOM)
def test_memory_is_asked_for_before_it_is_taken(name: str, attributes: dict[str, Any]):
    assert failure(name, shape=[10**6, 10**6], **attributes).rule.name == "limit-exceeded"


def test_operators_on_tensors_ask_for_memory_too():
    few = Limits(tensor_bytes=100)
    assert failure("algo.top_k", np.zeros(50), k=1, limits=few).rule.name == "limit-exceeded"
    assert failure("algo.nonmax_suppress", ROW, SCORES, limits=few).rule.name == "limit-exceeded"
    found = failure("image.max_roi_pool", IMAGE, np.array([[0, 0, 6, 6.0]]), FIRST, output_size=[10**5, 10**6])
    assert found.rule.name == "limit-exceeded"
    found = failure("onnx.roi_align", IMAGE, np.array([[0, 0, 1e9, 1e9]]), FIRST, output_size=[2, 2])
    assert found.rule.name == "limit-exceeded"


def test_aligned_regions_lie_in_images_that_are_there_and_end_somewhere():
    region = np.array([[0, 0, 6, 6.0]])
    found = failure("onnx.roi_align", IMAGE, region, np.array([len(IMAGE)]), output_size=[2, 2])
    assert found.message.startswith(f"the index {len(IMAGE)} is outside of dimension 0 of 'x'")
    assert found.message.endswith("(at batch_indices[0])")
    for far in (NAN, INF, 1e20):
        found = failure("onnx.roi_align", IMAGE, np.array([[0, 0, 6, far]]), FIRST, output_size=[2, 2])
        assert found.message.startswith("the region rois[0] lies too far away")


@pytest.mark.parametrize(
    ("name", "inputs", "attributes"),
    [
        ("algo.nonmax_suppress", [ROW, SCORES], {}),
        ("image.max_roi_pool", [IMAGE, np.array([[0, 0, 6, 6.0]]), FIRST], {"output_size": [2, 2]}),
        ("onnx.roi_align", [IMAGE, np.array([[0, 0, 6, 6.0]]), FIRST], {"output_size": [2, 2]}),
    ],
)
def test_loops_watch_the_time(name: str, inputs: list[Any], attributes: dict[str, Any]):
    assert failure(name, *inputs, limits=Limits(seconds=-1), **attributes).rule.name == "limit-exceeded"


def test_the_best_boxes_alone_give_what_all_would() -> None:
    scores = np.random.default_rng(2).integers(0, 40, 3000).astype(np.float32)
    scores[::97] = np.nan
    whole = descending(scores, 0)
    for count in (1, 60, 600, 2999, 3000):
        first = _first_visits(scores, count)
        assert count <= len(first) or np.isnan(scores[whole[count - 1]])
        np.testing.assert_array_equal(first, whole[: len(first)])
