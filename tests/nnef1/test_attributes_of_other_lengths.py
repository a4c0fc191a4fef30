"""Operators of NNEF 1.0 and tract say which attribute or input does not fit, before a formula fails."""

from __future__ import annotations

import pytest

from support.memory import snapshot_of

REFUSED = {
    "nnef1.constant{shape=[-2], value=[1.0]}()": "items of 'shape' must not be negative",
    "nnef1.conv{groups=0}(random[1,0,4], random[0,1,1])": "the input must have channels",
    "nnef1.separable_conv{stride=[1]}(random[1,1,4,4], random[1,1,3,3], random[1,1,1,1])":
        "'stride' must have an item for each of the 2 spatial dimensions",
    "nnef1.separable_deconv{output_shape=[1,1,4]}(random[1,1,4,4], random[1,1,3,3], random[1,1,1,1])":
        "'output_shape' must have an item for each of the 4 dimensions",
    "nnef1.separable_conv(random[1,1,4,4], random[1,1,3], random[1,1,1,1])":
        "the plane filter must have the rank of the input",
    "nnef1.roi_resample{output_size=[1]}(random[1,1,3], random[1,2], zeros[2])":
        "'batch_index' must have one number for each of the 1 regions",
    "tract.deconv{padding=[1]}(random[1,1,4], random[1,1,3])":
        "'padding' must have a pair for each of the 1 spatial dimensions",
    "tract.tract_core_einsum{count=2, lhs=[0,2], rhs=[1], result=[0]}(random[2,3], random[3])":
        "letters of 'lhs' must be from 0 to 1",
    "tract.tract_onnx_resize{scales=[2.0]}(random[2,3])": "'scales' must have an item for each of the 2 dimensions",
}  # fmt: skip
TAKEN = (
    "nnef1.pad{padding=[]}(1.0)",
    "nnef1.desample{size=[2]}([1.0, 2.0], [0, 1])",
    "nnef1.separable_conv(random[1,2,4,4], random[2,1,3,3], random[3,2,1,1])",
    "nnef1.separable_deconv{stride=[2,2]}(random[1,2,4,4], random[3,1,3,3], random[2,3,1,1])",
)


GRAPH = "graph g { @input { x: real[1]; } @output { y: real[1]; } @compose { y = nnef1.copy(x); } }"


def found(sample: str) -> list[str]:
    snapshot = snapshot_of({"main.sknd": f"import nnef1, tract;\n\n# >>> {sample}\n\n{GRAPH}\n"})
    return [each.message for each in snapshot.diagnostics("main.sknd") if each.rule.name != "unused-import"]


@pytest.mark.parametrize(("sample", "message"), REFUSED.items())
def test_refused(sample, message):
    (told,) = found(sample)
    assert told.startswith(message)


@pytest.mark.parametrize("sample", TAKEN)
def test_taken(sample):
    assert found(sample) == []
