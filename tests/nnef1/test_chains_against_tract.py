"""Extents that are computed by operations: tract loads no graph with an error, and snd tells of the others.

What tract makes of minima and quotients differs from version to version: shapes that depend on them get a warning.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.base import Severity
from support.memory import snapshot_of
from support.sampling import sample

if os.environ.get("CI"):
    import tract
else:
    tract = pytest.importorskip("tract", reason="tract has no wheel for this platform")

_HEAD = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol B;
extension tract_symbol S;
extension tract_symbol P;
graph g(x, z) -> (y)
{
    x = tract_core_external(shape = [B, S, 4], datum_type = 'f32');
    z = tract_core_external(shape = [B, P, 4], datum_type = 'f32');
    s = tract_core_shape_of(x);
    b = slice(s, axes = [0], begin = [0], end = [1], stride = [1]);
    n = squeeze(b, axes = [0]);
"""
_TAKEN = (
    "i = tract_core_gather(s, 0, axis = 0)",
    "i = tract_core_gather(s, -3, axis = 0)",
    "i = squeeze(tract_core_dyn_slice(s, 0, 1, 1, axis = 0), axes = [0])",
    "[i, j, k] = unstack(s, axis = 0)",
    "i = s[0]",
)
_COMPUTED = (
    "i = n",
    "i = mul(n, 2)",
    "i = n / 2",
    "i = (n + 1) / 2",
    "i = 2 * n + 1",
    "i = max(n, 2)",
    "i = clamp(n, 1, 8)",
    "i = tract_core_cast(n, to = 'tdim')",
    "i = tract_core_cast(n, to = 'i64')",
    "i = tract_core_cast(mul(tract_core_cast(n, to = 'i64'), 2), to = 'tdim')",
    "i = tract_core_cast(mul(tract_core_cast(n, to = 'f32'), 2.0), to = 'i64')",
    "i = select(gt(n, 1), n, 1)",
    "i = abs(n)",
    "i = squeeze(sum_reduce(s, axes = [0]), axes = [0])",
    "i = tract_shl(n, 1)",
)
_USED = (
    "y = reshape(x, shape = [i, -1])",
    "y = reshape(x, shape = [i, s[1], 4])",
    "y = reshape(x, shape = [0, -1, i])",
    "y = tile(x, repeats = [i, 1, 1])",
    "y = slice(x, axes = [1], begin = [0], end = [i])",
    "y = tract_core_broadcast(x, shape = [i, S, 4])",
    "y = add(x, tract_core_cast(i, to = 'f32'))",
)
_SINGLE = (
    "y = reshape(x, shape = [B, S / 2, 8])",
    "y = reshape(x, shape = [B, S / 2, -1])",
    "y = reshape(x, shape = [B, 12, 4])",
    "y = reshape(x, shape = [B, P, 4])",
    "y = reshape(x, shape = [-1, 3])",
    "y = reshape(x, shape = [-1, S, 2])",
    "y = reshape(x, shape = [S, B, -1])",
    "y = concat([x, z], axis = 1)",
    "y = concat([x, z], axis = 0)",
    "y = stack([x, z], axis = 0)",
    "y = squeeze(x, axes = [1])",
    "[y, w] = unstack(x, axis = 1)",
    "y = add(x, z)",
    "y = add(x, tile(x, repeats = [1, 2, 1]))",
    "y = add(x, pad(x, padding = [(0, 0), (1, 0), (0, 0)]))",
    "y = add(x, slice(x, axes = [1], begin = [1], end = [S]))",
    "y = mul(x, [[[1.0], [2.0]]])",
    "y = select(gt(x, 0.0), x, z)",
    "y = tract_core_broadcast(x, shape = [2 * B, S, 4])",
    "y = matmul(x, transpose(z, axes = [0, 2, 1]))",
    "y = conv(x, z)",
    "y = slice(x, axes = [1], begin = [0], end = [mul(b, 2)])",
    "y = pad(x, padding = [(0, 0), (0, S), (0, 0)])",
    "y = conv(x, [[[1.0, 1.0]]], padding = [(S, S)])",
    "y = unsqueeze(x, axes = [S])",
    "y = tract_core_resize(x, scales = [1.0, 2.0, 1.0])",
    "y = tract_core_resize(x, scales = [1.0, 1.5, 1.0])",
    "y = tract_core_resize(x, scales = [1.0, 1.0, 1.5])",
)
_GRAPHS = (
    *((each, "y = reshape(x, shape = [i, S, 4])") for each in _TAKEN),
    *product(_COMPUTED, _USED),
    ("i = sum_reduce(tract_core_cast(s, to = 'i64'), axes = [0])", "y = reshape(x, shape = [i, -1])"),
    *((each,) for each in _SINGLE),
)


def _is_loaded(folder: Path, text: str) -> bool:
    (folder / "graph.nnef").write_text(text, encoding="utf-8")
    try:
        tract.nnef().load(str(folder))
    except tract.TractError:
        return False
    return True


def test_what_tract_loads_has_no_error_and_the_rest_has_a_diagnostic(tmp_path: Path):
    different = []
    for statements in sample(_GRAPHS, 90):
        text = _HEAD + "".join(f"    {each};\n" for each in statements) + "}\n"
        found = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
        errors = [each.message for each in found if each.severity is Severity.ERROR]
        is_told = len(errors) == 1 or (not errors and bool(found) and _is_of_quotients(statements))
        if (errors != []) if _is_loaded(tmp_path, text) else not is_told:
            different.append((statements, errors))
    assert different == []


def _is_of_quotients(statements: tuple[str, ...]) -> bool:
    return any(sign in each for each in statements for sign in ("/", "max(", "select(", "clamp("))


@pytest.mark.parametrize(
    ("other", "sizes"),
    [
        ("tile(x, repeats = [1, 2, 1])", "S == 1"),
        ("pad(x, padding = [(0, 0), (1, 0), (0, 0)])", "S == 1"),
        ("slice(x, axes = [1], begin = [1], end = [S])", "S == 1"),
    ],
)
def test_shapes_that_fit_where_an_extent_is_1_are_no_error(other: str, sizes: str):
    (found,) = snapshot_of({"graph.nnef": f"{_HEAD}    y = add(x, {other});\n}}\n"}).diagnostics("graph.nnef")
    assert found.rule.name == "unproven-shape"
    assert found.message.endswith(f"such as {sizes}")


@pytest.mark.parametrize(
    ("statements", "severity"),
    [
        ("y = reshape(x, shape = [B, S / 2, 8]);", Severity.ERROR),
        ("y = reshape(x, shape = [B, S / 2, -1]);", Severity.ERROR),
        ("y = reshape(x, shape = [B, 12, 4]);", Severity.ERROR),
        ("y = reshape(x, shape = [B, S / min(S, 16) * min(S, 16), 4]);", Severity.WARNING),
    ],
)
def test_reshapes_that_fit_for_some_sizes_only(statements: str, severity: Severity, tmp_path: Path):
    text = f"{_HEAD}    {statements}\n}}\n"
    (found,) = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
    assert found.severity is severity
    assert not _is_loaded(tmp_path, text)


@pytest.mark.parametrize(("begin", "end", "instead"), [(1, 0, "[S]"), (0, -1, "[S - 1]"), (1, -1, "[S - 1]")])
def test_an_end_that_counts_from_a_symbol_is_written_with_it(begin: int, end: int, instead: str, tmp_path: Path):
    text = f"{_HEAD}    y = slice(x, axes = [1], begin = [{begin}], end = [{end}]);\n}}\n"
    (found,) = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
    assert found.fix is not None
    assert f"Write '{instead}'" in found.fix.title
    mended = text.replace(f"end = [{end}]", f"end = {instead}")
    assert snapshot_of({"graph.nnef": mended}).diagnostics("graph.nnef") == ()
    with pytest.raises(tract.TractError):
        _run(tmp_path, text)
    assert _run(tmp_path, mended).shape == (2, 5 + min(end, 0) - begin, 4)


def _run(folder: Path, text: str) -> Any:
    (folder / "graph.nnef").write_text(text, encoding="utf-8")
    x, z = np.zeros((2, 5, 4), np.float32), np.zeros((2, 3, 4), np.float32)
    (found,) = tract.nnef().load(str(folder)).into_runnable().run([x, z])
    return found.to_numpy()


def test_a_buffer_of_a_fixed_extent_is_a_bound_of_a_symbol():
    text = f"{_HEAD}    v, y = tract_core_topk(x, 2, axis = 1, largest = true);\n}}\n"
    (found,) = snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")
    assert found.message == "the shapes of 'tract_core_topk' fit only if S >= 2, and no assertion says so"
    asserted = text.replace("graph g", "extension tract_assert S >= 2;\ngraph g")
    assert snapshot_of({"graph.nnef": asserted}).diagnostics("graph.nnef") == ()


@pytest.mark.parametrize("use", _USED)
def test_an_extent_below_0_is_no_internal_error(use: str):
    snapshot_of({"graph.nnef": f"{_HEAD}    i = neg(n);\n    {use};\n}}\n"}).diagnostics("graph.nnef")
