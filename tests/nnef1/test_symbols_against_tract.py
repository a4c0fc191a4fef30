"""Models with symbols as exporters write them: shapes and values are those of tract, and there is no diagnostic."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.base import OperatorName
from snd_analysis.symbolic import integers
from support.memory import snapshot_of
from support.nnef1.running import PATH, run_text

if os.environ.get("CI"):
    import tract
else:
    tract = pytest.importorskip("tract", reason="tract has no wheel for this platform")

_SIZES = {"B": 2, "S": 5, "P": 3}
_HEAD = "".join(
    [
        "version 1.0;\n",
        *(f"extension tract_registry {each};\n" for each in ("tract_core", "tract_transformers")),
        *(f"extension tract_symbol {each};\n" for each in _SIZES),
    ]
)
_FRAGMENTS = """
fragment last_extent(x: tensor<scalar>) -> (n: tensor<scalar>)
{
    s = tract_core_shape_of(x);
    n = squeeze(slice(s, axes = [0], begin = [2], end = [3], stride = [1]), axes = [0]);
}
fragment halves(x: tensor<scalar>, parts: integer = 2) -> (a: tensor<scalar>, b: tensor<scalar>)
{
    n = last_extent(x);
    a = slice(x, axes = [2], begin = [0], end = [n / parts], stride = [1]);
    b = slice(x, axes = [2], begin = [n / parts], end = [n], stride = [1]);
}
fragment grouped_norm(x: tensor<scalar>, groups: integer, epsilon: scalar) -> (y: tensor<scalar>)
{
    s = tract_core_shape_of(x);
    g = reshape(x, shape = [s[0], groups, s[1], 8 / groups]);
    mean, variance = moments(g, axes = [2, 3]);
    y = reshape((g - mean) / sqrt(variance + epsilon), shape = [s[0], s[1], 8]);
}
fragment latest(best: tensor<scalar>, item: tensor<scalar>) -> (next: tensor<scalar>)
{
    next = max(best, item);
}
"""
_MODELS = {
    "cached_attention": """
        p = slice(z, axes = [2], begin = [0], end = [4]); q = slice(x, axes = [2], begin = [4], end = [8]);
        k = unsqueeze(concat([p, q], axis = 1), axes = [1]);
        y = tract_transformers_sdpa(unsqueeze(q, axes = [1]), k, k, datum_type = "f32", acc_datum_type = "f32",
            is_causal = false);""",
    "positions": """
        n = squeeze(slice(tract_core_shape_of(x), axes = [0], begin = [1], end = [2], stride = [1]), axes = [0]);
        angles = unsqueeze(tract_core_cast(tract_core_range(0, n, 1), to = 'f32'), axes = [1]);
        y = x * unsqueeze(cos(angles), axes = [0]);""",
    "causal_mask": """
        n = tract_core_gather(tract_core_shape_of(x), 1, axis = 0);
        mask = tract_core_trilu(tile(unsqueeze(1.0, axes = [0, 1]), repeats = [n, n]), 0, upper = false);
        scores = matmul(x, x, transposeB = true);
        y = softmax(select(unsqueeze(eq(mask, 0.0), axes = [0]), -inf, scores), axes = [2]);""",
    "strided_convolutions": """
        t = transpose(x, axes = [0, 2, 1]); w = [[[0.5, -1.0, 2.0]], [[1.0, 0.0, 1.0]]];
        a = conv(slice(t, axes = [1], begin = [0], end = [1]), w, stride = [2], padding = [(1, 1)]);
        y = conv(a, [[[1.0], [0.5]]], stride = [2], padding = []);""",
    "pools": """
        t = transpose(x, axes = [0, 2, 1]);
        a = max_pool(t, size = [1, 1, 3], stride = [1, 1, 2], padding = [(0, 0), (0, 0), (1, 1)], border = 'ignore');
        y = box(a, size = [1, 1, 2], padding = [(0, 0), (0, 0), (1, 0)], border = 'constant', normalize = true);""",
    "pads": """
        a = pad(x, padding = [(0, 0), (2, 1), (0, 0)], border = 'reflect');
        y = pad(a, padding = [(0, 0), (0, 1), (1, 0)], border = 'replicated');""",
    "heads": """
        h = transpose(reshape(x, shape = [B, S, 2, 4]), axes = [0, 2, 1, 3]);
        y = reshape(h, shape = [tract_core_cast(mul(B, 2), to = 'tdim'), S, 4]);""",
    "gated_halves": "( a, b ) = halves(x); y = a * sigmoid(b);",
    "grouped_normalization": "y = grouped_norm(x, groups = 2, epsilon = 0.001);",
    "einsum": """y = tract_core_einsum([x, z], expr = "bsd,bpd->bsp", acc = "f32", output = "f32");""",
    "resized": "y = tract_core_resize(x, scales = [1.0, 3.0, 1.0], interpolator = 'linear', nearest_mode = 'floor');",
    "spectra": "y = tract_core_stft(reshape(x, shape = [B, S, 4, 2]), axis = 2, frame = 4, stride = 2);",
    "last_item": """
        n = tract_core_gather(tract_core_shape_of(x), 1, axis = 0);
        y = squeeze(tract_core_dyn_slice(x, sub(n, 1), n, len = 1, axis = 1), axes = [1]);""",
    "rotated": """
        a = slice(x, axes = [1], begin = [1], end = [S]); b = slice(x, axes = [1], begin = [0], end = [1]);
        y = tract_core_downsample(concat([a, b], axis = 1), axis = 1, stride = -1, modulo = 0);""",
    "extents_divided_as_reals": """
        n = squeeze(slice(tract_core_shape_of(x), axes = [0], begin = [2], end = [3], stride = [1]), axes = [0]);
        d = tract_core_cast(floor(div(tract_core_cast(n, to = 'f32'), tract_core_cast(3, to = 'f32'))), to = 'i64');
        y = reshape(x, shape = [B, S, d, 4]);""",
    "all_but_the_last": """
        a = conv(transpose(x, axes = [0, 2, 1]), tile([[[0.5, -1.0, 2.0]]], repeats = [8, 1, 1]), padding = [(0, 0)],
            groups = 8);
        padded = pad(a, padding = [(0, 0), (0, 0), (1, 0)]);
        n = squeeze(slice(tract_core_shape_of(padded), axes = [0], begin = [2], end = [3], stride = [1]), axes = [0]);
        m = tract_core_cast(min(max(0, n + -1), n), to = 'tdim');
        y = add(a, slice(padded, axes = [2], begin = [0], end = [m], stride = [1]));""",
    "suffix_maxima": """
        least = slice(mul(x, 0.0), axes = [1], begin = [0], end = [1]);
        y = tract_core_scan("latest", scan = [("item", x, 1, -1)], full = [], state = [("best", least, "next")],
            output = [("next", "full", 1, -1)], skip = 0);""",
}


@pytest.mark.parametrize("name", _MODELS)
def test_shapes_and_values_are_those_of_tract(name: str, tmp_path: Path):
    used = [each for each in "xz" if re.search(rf"\b{each}\b", _MODELS[name])]
    shapes = {"x": "B, S, 8", "z": "B, P, 8"}
    declared = (f"    {each} = tract_core_external(shape = [{shapes[each]}], datum_type = 'f32');" for each in used)
    graph = "\n".join([f"graph net({', '.join(used)}) -> (y)", "{", *declared, _MODELS[name], "}", ""])
    text = _HEAD + _FRAGMENTS + graph
    generator = np.random.default_rng(0)
    extents = {"x": (2, 5, 8), "z": (2, 3, 8)}
    inputs = {each: generator.standard_normal(extents[each]).astype(np.float32) for each in used}
    expected = _by_tract(tmp_path, text, list(inputs.values()))
    np.testing.assert_allclose(run_text(text, inputs)["y"], expected, rtol=2e-4, atol=2e-5)
    composed = snapshot_of({PATH: text}).compose(OperatorName(PATH, "net")).graph
    assert composed is not None
    found: Any = composed.tensors["y"]
    assert [_at_sizes(each) for each in found.shape] == list(expected.shape)


def _by_tract(folder: Path, text: str, inputs: list[Any]) -> Any:
    (folder / "graph.nnef").write_text(text, encoding="utf-8")
    model = tract.nnef().with_tract_transformers().load(str(folder))
    return model.into_runnable().run(inputs)[0].to_numpy()


def _at_sizes(extent: Any) -> int | None:
    sizes = {leaf.key: integers.constant(_SIZES[leaf.name]) for leaf in extent.leaves}
    return integers.substitute(extent, sizes).value
