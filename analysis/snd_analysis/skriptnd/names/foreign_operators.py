"""What operators of other frameworks are called here: ONNX as in docs/onnx.md, PyTorch and NNEF 1.0."""

from __future__ import annotations

from collections.abc import Collection

_SAME = {
    "math": (
        "abs acos acosh add asin asinh atan atanh ceil clamp cos cosh cumsum div exp floor log max min mul neg not "
        "or pow round sign sin sinh sqrt sub tan tanh xor and mod select argmax argmin"
    ),
    "nn": (
        "avg_pool conv deconv elu erf gelu linear lstm max_pool lp_pool prelu relu selu sigmoid silu softmax softplus "
        "local_response_norm batch_norm l1_norm l2_norm"
    ),
    "layout": (
        "cast concat depth_to_space flatten gather gather_nd nonzero pad range reshape scatter scatter_nd shape slice "
        "space_to_depth split squeeze stack tile transpose unsqueeze unstack broadcast"
    ),
    "linalg": "matmul dot matvec",
    "image": "grid_sample resize",
    "algo": "top_k nonmax_suppress",
}
_OTHERS = {
    "averagepool": "nn.avg_pool", "globalaveragepool": "math.mean_reduce", "globalmaxpool": "math.max_reduce",
    "adaptiveavgpool": "math.mean_reduce", "adaptivemaxpool": "math.max_reduce",
    "batchnormalization": "nn.batch_norm", "instancenormalization": "nn.mean_variance_norm",
    "layernormalization": "nn.mean_variance_norm", "groupnormalization": "nn.mean_variance_norm",
    "layernorm": "nn.mean_variance_norm", "instancenorm": "nn.mean_variance_norm",
    "groupnorm": "nn.mean_variance_norm", "rmsnormalization": "math.mean_reduce",
    "meanvariancenormalization": "nn.mean_variance_norm", "lpnormalization": "nn.l2_norm",
    "lrn": "nn.local_response_norm", "leakyrelu": "nn.relu", "relu6": "nn.relu", "swish": "nn.silu",
    "convtranspose": "nn.deconv", "convtransposed": "nn.deconv", "gemm": "linalg.matmul", "mm": "linalg.matmul",
    "bmm": "linalg.matmul", "dense": "nn.linear", "fullyconnected": "nn.linear",
    "reducemean": "math.mean_reduce", "reducesum": "math.sum_reduce", "reducemax": "math.max_reduce",
    "reducemin": "math.min_reduce", "reduceprod": "math.prod_reduce", "reducel1": "math.lp_reduce",
    "reducel2": "math.lp_reduce", "mean": "math.mean_reduce", "sum": "math.sum_reduce", "prod": "math.prod_reduce",
    "var": "math.moments", "norm": "math.lp_reduce", "any": "math.any_reduce", "all": "math.all_reduce",
    "cat": "layout.concat", "permute": "layout.transpose", "view": "layout.reshape", "chunk": "layout.split",
    "unbind": "layout.unstack", "expand": "layout.broadcast", "repeat": "layout.tile", "arange": "layout.range",
    "where": "math.select", "reciprocal": "math.rcp", "rsqrt": "math.rsqrt", "identity": "math.iden",
    "equal": "math.eq", "greater": "math.gt", "greaterorequal": "math.ge", "greaterequal": "math.ge",
    "less": "math.lt", "lessorequal": "math.le", "lessequal": "math.le", "notequal": "math.ne", "copy": "math.iden",
    "square": "math.sqr", "multiply": "math.mul", "subtract": "math.sub", "divide": "math.div", "power": "math.pow",
    "maximum": "math.max", "minimum": "math.min", "logicaland": "math.and", "logicalor": "math.or",
    "logicalnot": "math.not", "clip": "math.clamp", "clamp": "math.clamp", "hardtanh": "math.clamp",
    "interpolate": "image.resize", "upsample": "image.resize", "nonmaxsuppression": "algo.nonmax_suppress",
    "topk": "algo.top_k",
}  # fmt: skip
_ENDINGS = ("1d", "2d", "3d")


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


_MEANT = {
    **{_folded(name): f"{module}.{name}" for module, names in _SAME.items() for name in names.split()},
    **_OTHERS,
}


def meant_operator(name: str) -> str | None:
    """Return the full name of the operator of the library for one of another framework; None if it is not known.

    ``GlobalAveragePool`` is ``math.mean_reduce``, ``Conv2d`` and ``conv_2d`` are ``nn.conv``.
    """
    folded = _folded(name)
    found = _MEANT.get(folded)
    if found is None and folded.endswith(_ENDINGS):
        found = _MEANT.get(folded[:-2])
    return found


_SPELLED = {
    "averagepool": "AveragePool", "globalaveragepool": "GlobalAveragePool", "globalmaxpool": "GlobalMaxPool",
    "batchnormalization": "BatchNormalization", "instancenormalization": "InstanceNormalization",
    "layernormalization": "LayerNormalization", "groupnormalization": "GroupNormalization", "lrn": "LRN",
    "leakyrelu": "LeakyRelu", "convtranspose": "ConvTranspose", "gemm": "Gemm", "reducemean": "ReduceMean",
    "reducesum": "ReduceSum", "reducemax": "ReduceMax", "reducemin": "ReduceMin", "reduceprod": "ReduceProd",
    "reducel1": "ReduceL1", "reducel2": "ReduceL2", "greaterorequal": "GreaterOrEqual", "lessorequal": "LessOrEqual",
    "nonmaxsuppression": "NonMaxSuppression", "topk": "TopK", "meanvariancenormalization": "MeanVarianceNormalization",
}  # fmt: skip


def foreign_names(operator: str) -> list[str]:
    """Return what other formats call an operator of the library, such as ``nn.avg_pool``, where they differ in more
    than capitals and underscores."""
    return sorted(_SPELLED.get(name, name) for name, meant in _OTHERS.items() if meant == operator)


_ATTRIBUTES = {
    "kernel_size": ("size",), "kernel_shape": ("size",), "output_size": ("size",),
    "out_channels": ("channels",), "out_features": ("channels",), "filters": ("channels",), "units": ("channels",),
    "strides": ("stride",), "dilations": ("dilation",), "pads": ("padding",), "border": ("padding",),
    "group": ("groups",), "dim": ("axis", "axes"), "dims": ("axes", "perm"), "bias": ("use_bias",),
    "eps": ("epsilon",), "negative_slope": ("alpha",),
}  # fmt: skip


def foreign_attribute(name: str, known: Collection[str]) -> str | None:
    """Return the attribute, of those that an operator has, that other frameworks call by this name."""
    return next((each for each in _ATTRIBUTES.get(name.lower(), ()) if each in known), None)
