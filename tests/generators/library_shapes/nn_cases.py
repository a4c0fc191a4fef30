"""Shapes of the results of ``nn`` and ``layer``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from generators.library_shapes.case import Case, Upto, case, ints, real


def positions(extent: int, pad: int | None, size: int, stride: int, dilation: int, ceil: bool) -> int:
    """Return the number of positions of a window: where it fits, or covers something new."""
    if pad is None:
        return len(range(0, extent, stride)) if ceil else extent // stride
    free = extent + pad - len(range(dilation * (size - 1) + 1))
    return len(range(0, free + stride, stride)) if ceil else len(range(0, free + 1, stride))


WINDOWS: tuple[tuple[Any, ...], ...] = (  # extents, size, stride, dilation, begin and end of padding
    ((7,), (3,), (1,), (1,), (0,), (0,)),
    ((8,), (3,), (2,), (1,), (1,), (0,)),
    ((1,), (1,), (1,), (1,), (0,), (0,)),
    ((7, 9), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    ((7, 10), (3, 2), (2, 3), (1, 2), (0, 1), (1, 2)),
    ((9, 6), (2, 5), (4, 2), (3, 1), (0, 2), (0, 2)),
    ((4, 5, 6), (2, 2, 3), (1, 2, 1), (1, 1, 2), (0, 0, 1), (1, 0, 1)),
    ((6, 6), (1, 3), (2, 2), (1, 1), None, None),
    ((7, 5), (3, 3), (2, 2), (1, 1), None, None),
    ((11,), (3,), (4,), (2,), None, None),
)


FORMATS = (
    ("NCX", "NXC"), ("NCX", "XCN"), ("NXC", "NXC"), ("NXC", "CXN"), ("XCN", "NCX"), ("XCN", "XCN"), ("XCN", "CXB"),
)  # fmt: skip


def windows() -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], dict[str, Any]]]:
    """Yield extents of an input, of a window and of the result of sliding it, and the corresponding attributes."""
    for (space, size, stride, dilation, begin, end), ceil in product(WINDOWS, (False, True)):
        total = [None] * len(space) if begin is None else [b + e for b, e in zip(begin, end, strict=True)]
        wanted = tuple(map(positions, space, total, size, stride, dilation, [ceil] * len(space)))
        attributes: dict[str, Any] = {"stride": list(stride), "dilation": list(dilation), "ceil_mode": ceil}
        if begin is not None:
            attributes["padding"] = [*begin, *end]
        yield space, size, wanted, attributes


def arranged(form: str, batch: int, channels: int, space: Sequence[int]) -> Any:
    """Return an array in a format such as ``NCX``; in filters ``N``, also written ``B``, counts outputs."""
    extents = {"N": [batch], "B": [batch], "C": [channels], "X": list(space)}
    return real(*(extent for letter in form for extent in extents[letter]))


def convolutions() -> Iterator[Case]:
    for space, size, wanted, attributes in windows():
        for batch, channels, outputs, groups in ((2, 3, 4, 1), (1, 4, 6, 2), (0, 3, 3, 0), (2, 2, 2, 2)):
            depth = channels // (groups or channels)
            inputs = [arranged("NCX", batch, channels, space), arranged("NCX", outputs, depth, size)]
            result = arranged("NCX", batch, outputs, wanted)
            yield case("nn.conv", inputs, result, groups=groups, **attributes)
            yield case("nn.conv", [*inputs, real(outputs)], result, groups=groups, padding_align="LOWER", **attributes)
            layer = {"channels": outputs, "size": list(size), "groups": groups}
            yield case("layer.conv", inputs[:1], result, **layer, **attributes)
        for data, filters in FORMATS if not attributes["ceil_mode"] else ():
            inputs = [arranged(data, 2, 4, space), arranged(filters, 6, 2, size)]
            formats = {"data_format": data, "filter_format": filters}
            yield case("nn.conv", inputs, arranged(data, 2, 6, wanted), groups=2, **formats, **attributes)
    x, f = real(2, 3, 8, 9), real(4, 3, 3, 3)
    yield case("nn.conv", [x, f], real(2, 4, 8, 9))
    yield case("nn.conv", [x, f], real(2, 4, 6, 7), padding=0)
    yield case("nn.conv", [x, f], real(2, 4, 4, 4), stride=2)
    yield case("nn.conv", [x, f], real(2, 4, 4, 5), stride=2, ceil_mode=True)
    yield case("nn.conv", [x, f], real(2, 4, 4, 5), stride=2, padding=1)


def upsampled(extent: int, pad: int | None, size: int, stride: int, dilation: int) -> int:
    """Return the rest of a full convolution of elements spread by ``stride`` with taps spread by ``dilation``."""
    if pad is None:
        return extent * stride
    spread = np.zeros(stride * (extent - 1) + 1)
    return len(np.convolve(spread, np.zeros(dilation * (size - 1) + 1))) - pad


def deconvolutions() -> Iterator[Case]:
    for space, size, stride, dilation, begin, end in WINDOWS:
        total = [None] * len(space) if begin is None else [b + e for b, e in zip(begin, end, strict=True)]
        wanted = tuple(map(upsampled, space, total, size, stride, dilation))
        attributes: dict[str, Any] = {"stride": list(stride), "dilation": list(dilation)}
        if begin is not None:
            attributes["padding"] = [*begin, *end]
        for batch, channels, depth, groups in ((2, 4, 3, 1), (1, 4, 3, 2), (2, 3, 2, 0), (0, 2, 1, 2)):
            count = depth * (groups or channels)
            inputs = [arranged("NCX", batch, channels, space), arranged("NCX", channels, depth, size)]
            result = arranged("NCX", batch, count, wanted)
            # as many groups as channels: both sides are then one product, not a number
            yield case("nn.deconv", inputs, result, groups=groups, **attributes)
            yield case("nn.deconv", [*inputs, real(count)], result, groups=groups, **attributes)
            yield case("nn.deconv", inputs, result, groups=groups, output_size=list(wanted), **attributes)
            layer = {"channels": depth, "size": list(size), "groups": groups}
            yield case("layer.deconv", inputs[:1], result, **layer, **attributes)
        for data, filters in FORMATS:
            inputs = [arranged(data, 2, 4, space), arranged(filters, 4, 3, size)]
            formats = {"data_format": data, "filter_format": filters}
            yield case("nn.deconv", inputs, arranged(data, 2, 6, wanted), groups=2, **formats, **attributes)
    yield case("nn.deconv", [real(2, 3, 4, 4), real(3, 5, 3, 3)], real(2, 5, 8, 8), stride=2, padding=[1, 1, 0, 0])
    yield case("nn.deconv", [real(2, 3, 4), real(3, 5, 3)], real(2, 5, 8), stride=2, padding=1, output_size=8)


def pools() -> Iterator[Case]:
    for space, size, wanted, attributes in windows():
        for name in ("max_pool", "sum_pool", "avg_pool", "rms_pool", "lp_pool"):
            extra = {"p": 2.0} if name == "lp_pool" else {}
            given = {"size": list(size), **attributes, **extra}
            yield case(f"nn.{name}", [real(2, 3, *space)], real(2, 3, *wanted), **given)
            axes = [-1 - at for at in range(len(space))]
            yield case(f"nn.{name}", [real(4, *space[::-1])], real(4, *wanted[::-1]), axes=axes, **given)
            if name in ("avg_pool", "rms_pool"):
                yield case(f"nn.{name}", [real(2, 3, *space)], real(2, 3, *wanted), ignore_border=False, **given)
    yield case("nn.max_pool", [real(2, 3, 8, 8)], real(2, 3, 4, 4), size=2, stride=2)
    yield case("nn.max_pool", [real(2, 3, 8, 8)], real(2, 3, 1, 1), size=8, padding=0)
    yield case("nn.max_pool", [real(0, 3, 8)], real(0, 3, 7), size=2, padding=0)


def layers() -> Iterator[Case]:
    for b, c, n in ((2, 3, 4), (1, 1, 1), (0, 3, 4), (5, 0, 2)):
        yield case("nn.linear", [real(b, c), real(n, c)], real(b, c) @ real(n, c).T)
        yield case("nn.linear", [real(b, c), real(n, c), real(n)], real(b, c) @ real(n, c).T)
        yield case("layer.linear", [real(b, c)], real(b, n), channels=n)
        yield case("layer.linear", [real(b, c)], real(b, n), channels=n, use_bias=False)
    for shape in ((2, 3), (2, 3, 4), (2, 3, 4, 5), (0, 3, 2)):
        x, v = real(*shape), real(3)
        for last in ([], [v], [v, v], [None, v]):
            yield case("nn.batch_norm", [x, v, v, *last], x)
            yield case("nn.batch_norm", [x, v, v, *last], x, channel_axis=1 - len(shape))
            if len(shape) > 2:
                yield case("nn.mean_variance_norm", [x, *last], x)
        yield case("nn.mean_variance_norm", [x], x, axes=[0, -1])
        for scale, bias in product((True, False), repeat=2):
            yield case("layer.batch_norm", [x], x, use_scale=scale, use_bias=bias, momentum=0.5)
        yield case("nn.local_response_norm", [x], x, size=[3])
        if shape[0]:
            yield case("nn.local_response_norm", [x], x, axes=[0, -1], size=[4, 5], alpha=0.5, beta=0.75, bias=2.0)
        for axes in ([1], [-1], [0, 1]):
            yield case("nn.softmax", [x], x, axes=axes)
            yield case("nn.l1_norm", [x], x, axes=axes)
            yield case("nn.l2_norm", [x], x, axes=axes, epsilon=1e-3)
            yield case("nn.l2_norm", [x], x, axes=axes, bias=0.5)
        yield case("nn.softmax", [x], x)
    for s, b, c, n in ((5, 2, 3, 4), (1, 1, 1, 1), (3, 2, 6, 2)):
        step = [real(b, n), real(b, n), real(b, c)]
        weights = [real(4 * n, c), real(4 * n, n), real(4 * n)]
        states = [real(b, n), real(b, n)]
        yield case("nn.lstm_step", [*step, *weights], *states)
        for name, steps in (("lstm", ints(b)), ("lstm_loop", ints())):
            wanted = [Upto(real(s, b, n)), *states]
            yield case(f"nn.{name}", [real(s, b, c), *weights, *states], *wanted, symbolic=False)
            yield case(f"nn.{name}", [real(s, b, c), *weights, *states, steps], *wanted, symbolic=False)
        yield case("nn.lstm", [real(s, b, c), *weights], Upto(real(s, b, n)), *states, symbolic=False)
