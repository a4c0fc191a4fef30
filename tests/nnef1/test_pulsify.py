"""Graphs over a symbol that ``--pulse`` pulsifies: the stream has the values of the whole, and the delays of tract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snd
from snd_analysis.base import Severity
from snd_server.checking.checker import Checker
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings

tract = pytest.importorskip("tract")

PULSE = 4
HEAD = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol S;

fragment norm(x: tensor<scalar>) -> (y: tensor<scalar>)
{
    mean = mean_reduce(x, axes = [1]);
    centred = sub(x, mean);
    variance = mean_reduce(sqr(centred), axes = [1]);
    y = mul(centred, rsqrt(variance + 0.01));
}

fragment turn(h: tensor<scalar>, item: tensor<scalar>) -> (next: tensor<scalar>)
{
    next = add(mul(h, 0.5), item);
}

"""
CONV = "conv(x, k, 0.0, padding = [({}, {})], stride = [{}], dilation = [{}], border = 'constant', groups = 1)"
POOL = "{}(x, size = [1, 1, 3], padding = [(0, 0), (0, 0), ({}, {})], stride = [1, 1, {}], border = '{}')"
BODIES = {
    "valid": f"y = {CONV.format(0, 0, 1, 1)};",
    "same": f"y = {CONV.format(1, 1, 1, 1)};",
    "automatic": "y = conv(x, k, 0.0, padding = [], border = 'constant', groups = 1);",
    "causal": f"y = {CONV.format(4, 0, 1, 2)};",
    "strided": f"y = {CONV.format(1, 1, 2, 1)};",
    "point": "q = slice(k, axes = [2], begin = [0], end = [1]); y = conv(x, q, 0.0, stride = [2], padding = [(0, 0)]);",
    "two_layers": f"a = relu({CONV.format(1, 1, 1, 1)}); y = {CONV.format(2, 2, 1, 2).replace('(x', '(a')};",
    "residual": f"a = {CONV.format(2, 2, 1, 2)}; y = add(x, norm(a));",
    "branches": f"a = {CONV.format(1, 1, 1, 1)}; b = {CONV.format(2, 2, 1, 2)}; y = concat([a, x, b], axis = 1);",
    "max_pool": f"y = {POOL.format('max_pool', 1, 1, 1, 'ignore')};",
    "max_pool_strided": f"y = {POOL.format('max_pool', 0, 0, 2, 'ignore')};",
    "box": f"y = {POOL.format('box', 1, 1, 1, 'constant')};",
    "slices": """a = slice(x, axes = [2], begin = [2], end = [S]);
        b = slice(x, axes = [2], begin = [0], end = [S - 2]); y = sub(a, b);""",
    "edge": "y = pad(x, padding = [(0, 0), (0, 0), (2, 1)], border = 'replicated');",
    "downsample": "y = tract_core_downsample(x, axis = 2, stride = 2, modulo = 1);",
    "cumsum": "y = tract_core_cumsum(x, axis = 2, exclusive = false, reverse = false);",
    "shapes": """t = transpose(x, axes = [0, 2, 1]); n = tract_core_shape_of(t);
        r = reshape(t, shape = [1, S, 1, 3]); u = squeeze(r, axes = [2]);
        m = reshape(u, shape = [-1, 3], axis_start = 0); y = unsqueeze(softmax(m, axes = [1]), axes = [0]);""",
    "products": """t = transpose(x, axes = [0, 2, 1]); w = [[[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]]];
        a = matmul(t, w); y = tract_core_einsum([a, w], expr = 'bsn,bkn->bks', acc = 'f32');""",
    "scan": f"""a = {CONV.format(0, 0, 1, 1)}; zero = [[[0.0], [0.0], [0.0]]];
        y = tract_core_scan(body = 'turn', scan = [('item', a, 2, 1)], full = [], state = [('h', zero, 'next')],
            output = [('next', 'full', 2, 1)], skip = 0, reset_every_turn = 0, external_state = 0);""",
}  # fmt: skip
SAME_DELAY = [each for each in BODIES if each not in ("shapes", "products", "scan", "cumsum")]


def _write(folder: Path, body: str) -> None:
    text = (
        f"{HEAD}graph net(x) -> (y)\n{{\n    x = tract_core_external(shape = [1, 3, S], datum_type = 'f32');\n"
        f"    k = variable(label = 'k', shape = [3, 3, 3]);\n    {body}\n}}\n"
    )
    folder.mkdir(exist_ok=True)
    (folder / "graph.nnef").write_text(text)
    from snd_runtime.files import write_tensor

    kernel = np.random.default_rng(3).standard_normal((3, 3, 3)).astype(np.float32)
    (folder / "k.dat").write_bytes(b"".join([write_tensor(kernel)]))


def _axis_and_delay(model: Any) -> tuple[int, int]:
    """Return the axis of the output's stream and its delay, as the hint tells them."""
    hint = next((each.message for each in model.diagnostics if each.rule == "stream-delay"), None)
    if hint is None:
        return -1, 0
    words = hint.split()
    return int(words[words.index("axis") + 1].rstrip(":")), int(words[words.index("after") + 1])


@pytest.mark.parametrize("name", BODIES)
def test_pulses_have_the_values_of_the_whole_stream(tmp_path: Path, name: str):
    _write(tmp_path, BODIES[name])
    stream = np.random.default_rng(0).standard_normal((1, 3, 32)).astype(np.float32)
    whole = np.asarray(snd.load(tmp_path).run(x=stream)["y"])
    model = snd.load(tmp_path, pulse=("S", PULSE))
    assert [each for each in model.diagnostics if each.severity != "hint"] == []
    pulses = [np.asarray(model.run(x=each)["y"]) for each in np.split(stream, 32 // PULSE, 2)]
    axis, delay = _axis_and_delay(model)
    if axis == -1:  # there is no delay: the axis is where the pulses are short
        axis = next(at for at in range(3) if pulses[0].shape[at] != whole.shape[at])
    found = np.moveaxis(np.concatenate(pulses, axis), axis, 0)[delay:]
    expected = np.moveaxis(whole, axis, 0)
    # Items that depend on the end of the stream come after it.
    length = min(len(found), len(expected) - 4)
    assert length >= 32 // PULSE - 4
    np.testing.assert_allclose(found[:length], expected[:length], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", SAME_DELAY)
def test_delays_are_those_of_tract(tmp_path: Path, name: str):
    _write(tmp_path, BODIES[name])
    by_tract = tract.nnef().load(str(tmp_path))
    try:
        by_tract.transform(tract.Pulse(str(PULSE), symbol="S"))
    except tract.TractError as error:
        pytest.skip(f"tract does not pulsify it: {str(error)[:80]}")
    assert _axis_and_delay(snd.load(tmp_path, pulse=("S", PULSE)))[1] == int(
        by_tract.property("pulse.delay").to_numpy()[0]
    )


@pytest.mark.parametrize(
    ("body", "place", "message"),
    [
        ("y = softmax(x, axes = [2]);", "softmax", "it combines all items along axis 2, which is that of the stream"),
        ("y = mean_reduce(x, axes = [1, 2]);", "mean_reduce", "it combines all items along axis 2"),
        ("y = reshape(x, shape = [1, -1]);", "reshape", "it joins or splits axis 2"),
        (
            "y = tract_core_downsample(x, axis = 2, stride = 3, modulo = 0);",
            "tract_core_downsample",
            "a pulse of 4 items",
        ),
        (
            "y = tract_core_downsample(x, axis = 2, stride = -1, modulo = 0);",
            "tract_core_downsample",
            "it reverses the stream",
        ),
        ("y = slice(x, axes = [2], begin = [-3], end = [0]);", "slice", "counted from the end of the stream"),
        ("y = slice(x, axes = [2], begin = [1], end = [-1]);", "slice", "from the first item: write S - 1"),
        ("y = concat([x, x], axis = 2);", "concat", "it appends to the end of a stream"),
        ("t = transpose(x, axes = [0, 2, 1]); y = matmul(x, t);", "matmul", "it sums over axis 2"),
        (
            "y = tract_core_fft(x, axis = 1, inverse = false);",
            "tract_core_fft",
            "snd does not know how it sees a stream",
        ),
        (
            "t = transpose(x, axes = [0, 2, 1]); y = conv(t, k, 0.0, padding = [(0, 0)]);",
            "conv",
            "it sums up the channels",
        ),
    ],
)
def test_operations_that_need_the_whole_stream_are_reported(tmp_path: Path, body: str, place: str, message: str):
    _write(tmp_path, body)
    path = str(tmp_path / "graph.nnef")
    checker = Checker(Configurations(pulse=("S", PULSE)), RuleSettings())
    (problem,) = [each for each in checker.check(path) if each.severity is Severity.ERROR]
    assert f"'{place}' can't see 'S' pulse by pulse: " in problem.message
    assert message in problem.message
    span = problem.location.span
    assert checker.source(path).text[span.start : span.end] == place


def test_a_symbol_that_no_input_has_is_reported(tmp_path: Path):
    _write(tmp_path, "y = relu(x);")
    with pytest.raises(snd.ModelError) as raised:
        snd.load(tmp_path, pulse=("T", PULSE)).run(x=np.zeros((1, 3, 4), np.float32))
    assert "no input has an axis of the extent 'T'" in str(raised.value)
