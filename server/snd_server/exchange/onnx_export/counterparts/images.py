"""``image``: resizing, where extents are known in the run only; else formulas say it for every engine."""

from __future__ import annotations

from typing import Any

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.registry import counterpart

_TRANSFORMS = {"SYMMETRIC": "half_pixel", "ALIGNED": "align_corners", "ASYMMETRIC": "asymmetric"}


@counterpart("image.resize", "image.nearest_resize", "image.linear_resize", "image.cubic_resize")
def _resize(call: ScopedCall) -> None:
    assert call.operation.operator is not None
    name = call.operation.operator.name
    mode = call["mode"].lower() if name == "resize" else name.removesuffix("_resize")
    if None not in call.known():
        raise Unsuitable("its formulas say it")
    axes = [axis % call.rank() for axis in call["axes"]]
    given: dict[str, Any] = {}
    if mode == "nearest":
        given["nearest_mode"] = call["rounding_method"].lower()
    elif axes != [2, 3] or call.rank() != 4:
        raise Unsuitable("engines interpolate along the last two of four dimensions")
    if mode == "cubic":
        given["cubic_coeff_a"] = call["cubic_coeff_a" if name == "resize" else "coeff_a"]
    sizes = call.callee.attributes["size"]
    assert isinstance(sizes, Pack)
    wanted = dict(zip(axes, sizes.items or (), strict=True))
    shape = call.inputs[0].shape or ()  # type: ignore[union-attr]
    if mode != "nearest" and call["antialias"] and any(_may_shrink(shape[at], size) for at, size in wanted.items()):
        raise Unsuitable("ONNX weighs the elements of a smaller image in another way")
    whole = [wanted.get(at, extent) for at, extent in enumerate(call.output.shape or ())]
    call.write(
        "Resize", [call.input(), "", "", call.scope.extents(whole)], mode=mode,
        coordinate_transformation_mode=_TRANSFORMS[call["coordinate_transform"]], **given,
    )  # fmt: skip


def _may_shrink(extent: object, size: object) -> bool:
    if not isinstance(extent, Integer) or not isinstance(size, Integer):
        return True
    low, _ = integers.bounds(size - extent)
    return low is None or low < 0
