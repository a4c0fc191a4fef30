"""Table of the operators with an intrinsic."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName
from snd_runtime.intrinsics.alignment import roi_align
from snd_runtime.intrinsics.invocation import Intrinsic
from snd_runtime.intrinsics.random_values import bernoulli, normal, uniform
from snd_runtime.intrinsics.regions import avg_roi_pool, max_roi_pool
from snd_runtime.intrinsics.selection import top_k
from snd_runtime.intrinsics.suppression import nonmax_suppress

_BY_MODULE: Final[dict[str, dict[str, Intrinsic]]] = {
    "algo": {"nonmax_suppress": nonmax_suppress, "top_k": top_k},
    "image": {"avg_roi_pool": avg_roi_pool, "max_roi_pool": max_roi_pool},
    "onnx": {"roi_align": roi_align},
    "rand": {"bernoulli": bernoulli, "normal": normal, "uniform": uniform},
}

INTRINSICS: Final[Mapping[OperatorName, Intrinsic]] = MappingProxyType(
    {
        OperatorName(f"{LIBRARY_PREFIX}{module}", name): intrinsic
        for module, intrinsics in _BY_MODULE.items()
        for name, intrinsic in intrinsics.items()
    }
)
