"""Names of the library's operators in ONNX, PyTorch and NNEF 1.0, and of attributes in other frameworks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple


class _Names(NamedTuple):
    """Names of counterparts, separated by blanks.

    Counterparts that mean the same only for some attributes or shapes are included.
    """

    onnx: str = ""
    pytorch: str = ""
    """Name in ``torch``; ``F.`` is ``torch.nn.functional``, ``nn.`` is ``torch.nn``, and ``Tensor.`` a method."""
    nnef1: str = ""
    similar: str = ""
    """Other names that people write for this operator."""


# A name that several have leads to the first of them. Functions that round halves in another way than `math.round`,
# as all three formats do, are no counterparts.
_COUNTERPARTS = {
    "math.iden": _Names("Identity", "Tensor.clone", "copy"),
    "math.neg": _Names("Neg", "neg", "neg"),
    "math.rcp": _Names("Reciprocal", "reciprocal", "rcp"),
    "math.sqr": _Names("", "square", "sqr"),
    "math.sqrt": _Names("Sqrt", "sqrt", "sqrt"),
    "math.rsqr": _Names("", "", "rsqr"),
    "math.rsqrt": _Names("", "rsqrt", "rsqrt"),
    "math.exp": _Names("Exp", "exp", "exp"),
    "math.log": _Names("Log", "log", "log"),
    "math.log2": _Names("", "log2", "log2"),
    "math.sin": _Names("Sin", "sin", "sin"),
    "math.cos": _Names("Cos", "cos", "cos"),
    "math.tan": _Names("Tan", "tan", "tan"),
    "math.sinh": _Names("Sinh", "sinh", "sinh"),
    "math.cosh": _Names("Cosh", "cosh", "cosh"),
    "math.tanh": _Names("Tanh", "tanh", "tanh"),
    "math.asin": _Names("Asin", "asin", "asin"),
    "math.acos": _Names("Acos", "acos", "acos"),
    "math.atan": _Names("Atan", "atan", "atan"),
    "math.asinh": _Names("Asinh", "asinh", "asinh"),
    "math.acosh": _Names("Acosh", "acosh", "acosh"),
    "math.atanh": _Names("Atanh", "atanh", "atanh"),
    "math.abs": _Names("Abs", "abs", "abs"),
    "math.sign": _Names("Sign", "sign", "sign"),
    "math.not": _Names("Not", "logical_not", "not"),
    "math.floor": _Names("Floor", "floor", "floor"),
    "math.ceil": _Names("Ceil", "ceil", "ceil"),
    "math.round": _Names(),
    "math.add": _Names("Add", "add", "add"),
    "math.sub": _Names("Sub", "sub", "sub", "subtract"),
    "math.mul": _Names("Mul", "mul", "mul", "multiply"),
    "math.div": _Names("Div", "div", "div", "divide"),
    "math.mod": _Names("Mod", "remainder"),
    "math.pow": _Names("Pow", "pow", "pow", "power"),
    "math.min": _Names("Min", "minimum", "min"),
    "math.max": _Names("Max", "maximum", "max"),
    "math.lt": _Names("Less", "lt", "lt"),
    "math.gt": _Names("Greater", "gt", "gt"),
    "math.le": _Names("LessOrEqual", "le", "le", "less_equal"),
    "math.ge": _Names("GreaterOrEqual", "ge", "ge", "greater_equal"),
    "math.eq": _Names("Equal", "eq", "eq"),
    "math.ne": _Names("", "ne", "ne", "not_equal"),
    "math.and": _Names("And", "logical_and", "and"),
    "math.or": _Names("Or", "logical_or", "or"),
    "math.xor": _Names("Xor", "logical_xor"),
    "math.select": _Names("Where", "where", "select"),
    "math.clamp": _Names("Clip", "clamp F.hardtanh", "clamp"),
    "math.min_reduce": _Names("ReduceMin", "amin", "min_reduce"),
    "math.max_reduce": _Names(
        "ReduceMax GlobalMaxPool",
        "amax F.adaptive_max_pool1d F.adaptive_max_pool2d F.adaptive_max_pool3d",
        "max_reduce",
    ),
    "math.sum_reduce": _Names("ReduceSum", "sum", "sum_reduce"),
    "math.prod_reduce": _Names("ReduceProd", "prod"),
    "math.mean_reduce": _Names(
        "ReduceMean GlobalAveragePool",
        "mean F.adaptive_avg_pool1d F.adaptive_avg_pool2d F.adaptive_avg_pool3d",
        "mean_reduce",
        "rms_normalization",
    ),
    "math.lp_reduce": _Names("ReduceL1 ReduceL2", "linalg.vector_norm norm"),
    "math.any_reduce": _Names("", "any", "any_reduce"),
    "math.all_reduce": _Names("", "all", "all_reduce"),
    "math.argmin": _Names("ArgMin", "argmin"),
    "math.argmax": _Names("ArgMax", "argmax"),
    "math.moments": _Names("", "var_mean", "moments", "var"),
    "math.cumsum": _Names("CumSum", "cumsum"),
    "math.sum_n": _Names("Sum", "", "add_n"),
    "math.min_n": _Names("Min"),
    "math.max_n": _Names("Max"),
    "linalg.dot": _Names("", "dot"),
    "linalg.matvec": _Names("", "mv"),
    "linalg.matmul": _Names("MatMul Gemm", "matmul mm bmm", "matmul"),
    "linalg.outer": _Names("", "outer"),
    "nn.linear": _Names("Gemm", "F.linear", "linear", "dense fully_connected"),
    "nn.conv": _Names("Conv", "F.conv1d F.conv2d F.conv3d", "conv"),
    "nn.deconv": _Names(
        "ConvTranspose",
        "F.conv_transpose1d F.conv_transpose2d F.conv_transpose3d",
        "deconv",
        "conv_transposed",
    ),
    "nn.max_pool": _Names("MaxPool", "F.max_pool1d F.max_pool2d F.max_pool3d", "max_pool"),
    "nn.sum_pool": _Names("", "", "box"),
    "nn.avg_pool": _Names("AveragePool", "F.avg_pool1d F.avg_pool2d F.avg_pool3d", "avg_pool box"),
    "nn.rms_pool": _Names("", "", "rms_pool"),
    "nn.lp_pool": _Names("LpPool", "F.lp_pool1d F.lp_pool2d F.lp_pool3d"),
    "nn.relu": _Names("Relu LeakyRelu", "F.relu F.leaky_relu", "relu leaky_relu", "relu6"),
    "nn.prelu": _Names("PRelu", "F.prelu", "prelu"),
    "nn.thresholded_relu": _Names("ThresholdedRelu", "F.threshold"),
    "nn.elu": _Names("Elu", "F.elu", "elu"),
    "nn.selu": _Names("Selu", "F.selu", "selu"),
    "nn.gelu": _Names("Gelu", "F.gelu", "gelu"),
    "nn.silu": _Names("Swish", "F.silu", "silu"),
    "nn.sigmoid": _Names("Sigmoid", "sigmoid", "sigmoid"),
    "nn.softplus": _Names("Softplus", "F.softplus", "softplus"),
    "nn.erf": _Names("Erf", "erf"),
    "nn.batch_norm": _Names("BatchNormalization", "F.batch_norm", "batch_normalization"),
    "nn.mean_variance_norm": _Names(
        "InstanceNormalization LayerNormalization GroupNormalization MeanVarianceNormalization",
        "F.instance_norm F.layer_norm F.group_norm",
    ),
    "nn.local_response_norm": _Names("LRN", "F.local_response_norm", "local_response_normalization"),
    "nn.l2_norm": _Names("LpNormalization", "F.normalize", "l2_normalization"),
    "nn.l1_norm": _Names("LpNormalization", "F.normalize", "l1_normalization"),
    "nn.softmax": _Names("Softmax", "softmax", "softmax"),
    "nn.lstm_step": _Names("", "nn.LSTMCell"),
    "nn.lstm": _Names("LSTM", "nn.LSTM"),
    "layout.tensor": _Names("Constant", "tensor", "constant"),
    "layout.uniform": _Names("ConstantOfShape", "full"),
    "layout.range": _Names("Range", "arange"),
    "layout.shape": _Names("Shape", "Tensor.size"),
    "layout.cast": _Names("Cast", "Tensor.to", "cast"),
    "layout.reshape": _Names("Reshape", "reshape Tensor.view", "reshape"),
    "layout.flatten": _Names("Flatten", "flatten"),
    "layout.unflatten": _Names("Reshape", "unflatten"),
    "layout.squeeze": _Names("Squeeze", "squeeze", "squeeze"),
    "layout.unsqueeze": _Names("Unsqueeze", "unsqueeze", "unsqueeze"),
    "layout.concat": _Names("Concat", "cat", "concat"),
    "layout.split": _Names("Split", "split chunk", "split"),
    "layout.stack": _Names("ConcatFromSequence", "stack", "stack"),
    "layout.unstack": _Names("", "unbind", "unstack"),
    "layout.tile": _Names("Tile", "tile Tensor.repeat", "tile"),
    "layout.broadcast": _Names("Expand", "broadcast_to Tensor.expand"),
    "layout.slice": _Names("Slice", "narrow", "slice"),
    "layout.pad": _Names("Pad", "F.pad", "pad"),
    "layout.transpose": _Names("Transpose", "permute", "transpose"),
    "layout.space_to_depth": _Names("SpaceToDepth", "F.pixel_unshuffle"),
    "layout.depth_to_space": _Names("DepthToSpace", "F.pixel_shuffle"),
    "layout.shuffle": _Names("", "F.channel_shuffle"),
    "layout.nonzero": _Names("NonZero", "nonzero"),
    "layout.gather": _Names("Gather", "index_select F.embedding nn.Embedding", "gather"),
    "layout.gather_nd": _Names("GatherND"),
    "layout.scatter": _Names("ScatterElements", "scatter"),
    "layout.scatter_nd": _Names("ScatterND"),
    "image.resize": _Names("Resize Upsample", "F.interpolate F.upsample"),
    "image.nearest_resize": _Names("Resize", "F.interpolate"),
    "image.linear_resize": _Names("Resize", "F.interpolate"),
    "image.cubic_resize": _Names("Resize", "F.interpolate"),
    "image.rescale": _Names("Resize", "F.interpolate"),
    "image.nearest_downsample": _Names("", "", "nearest_downsample"),
    "image.nearest_upsample": _Names("", "F.interpolate", "nearest_upsample"),
    "image.area_downsample": _Names("", "", "area_downsample"),
    "image.linear_upsample": _Names("", "F.interpolate", "multilinear_upsample"),
    "image.max_roi_pool": _Names("MaxRoiPool", "", "max_roi_pool"),
    "image.avg_roi_pool": _Names("", "", "avg_roi_pool"),
    "image.grid_sample": _Names("GridSample", "F.grid_sample"),
    "algo.top_k": _Names("TopK", "topk"),
    "algo.nonmax_suppress": _Names("NonMaxSuppression"),
    "misc.mesh_grid": _Names("", "meshgrid"),
    "quant.zero_point_linear_quantize": _Names(
        "QuantizeLinear DequantizeLinear",
        "fake_quantize_per_tensor_affine fake_quantize_per_channel_affine",
        "zero_point_linear_quantize",
    ),
    "quant.min_max_linear_quantize": _Names("", "", "min_max_linear_quantize"),
    "rand.uniform": _Names("RandomUniform", "rand"),
    "rand.normal": _Names("RandomNormal", "randn normal"),
    "rand.bernoulli": _Names("Bernoulli", "bernoulli"),
    "layer.linear": _Names("", "nn.Linear"),
    "layer.conv": _Names("", "nn.Conv1d nn.Conv2d nn.Conv3d"),
    "layer.deconv": _Names("", "nn.ConvTranspose1d nn.ConvTranspose2d nn.ConvTranspose3d"),
    "layer.batch_norm": _Names("", "nn.BatchNorm1d nn.BatchNorm2d nn.BatchNorm3d"),
}


def counterparts(operator: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of an operator of the library, such as ``nn.avg_pool``, in ONNX, PyTorch and NNEF 1.0."""
    names = _COUNTERPARTS.get(operator, _Names())
    yield "ONNX", names.onnx.split()
    yield (
        "PyTorch",
        [each if each[0].isupper() or each[:3] == "nn." else f"torch.{each}" for each in names.pytorch.split()],
    )
    yield "NNEF 1.0", names.nnef1.split()


def counterparts_of_nodes(*kinds: str) -> dict[str, str]:
    """Return the operator of the library for each kind of nodes of ONNX: the first that has it as a counterpart."""
    return {kind: next(name for name, names in _COUNTERPARTS.items() if kind in names.onnx.split()) for kind in kinds}


def operators_called(name: str) -> dict[str, list[str]]:
    """Return the operators of the library for a name in another framework, with the counterparts that have that name.

    Names that are written in the same way come first, as ``torch.cat``, ``F.conv2d`` or ``MatMul``; if there is none,
    names that differ in case, underscores or dimensions only. Counterparts read as in ``PyTorch nn.Conv2d``.
    """
    written = name.replace("torch.nn.functional.", "F.").replace("torch.nn.", "nn.").replace("torch.", "")
    exact: dict[str, list[str]] = {}
    close: dict[str, list[str]] = {}
    for operator in _COUNTERPARTS:
        for format, names in counterparts(operator):
            for each in names:
                bare = each.removeprefix("torch.")
                text = f"{format} {each}"
                if bare == written or (bare.rpartition(".")[2] == written):
                    exact.setdefault(operator, []).append(text)
                elif _folded(each) == _folded(name):
                    close.setdefault(operator, []).append(text)
        if _folded(name) in map(_folded, _COUNTERPARTS[operator].similar.split()):
            close.setdefault(operator, [])
    return exact or close


def counterparts_beginning(prefix: str) -> Iterator[tuple[str, str, str]]:
    """Yield the operators of the library with a counterpart whose bare name begins with a prefix, once each.

    Each is the operator, such as ``layer.conv``, the bare name, ``Conv2d``, and its full text, ``PyTorch nn.Conv2d``.
    Case does not count.
    """
    for operator in _COUNTERPARTS:
        named = ((format, each) for format, names in counterparts(operator) for each in names)
        for format, each in named:
            bare = each.rpartition(".")[2]
            if bare.lower().startswith(prefix.lower()):
                yield operator, bare, f"{format} {each}"
                break


def _folded(name: str) -> str:
    folded = name.rpartition(".")[2].replace("_", "").lower()
    return folded[:-2] if folded.endswith(("1d", "2d", "3d")) else folded


_MEANT: dict[str, str] = {}
for _operator in _COUNTERPARTS:
    _MEANT.setdefault(_folded(_operator), _operator)
for _operator, _names in _COUNTERPARTS.items():
    for _name in " ".join(_names).split():
        _MEANT.setdefault(_folded(_name), _operator)


def meant_operator(name: str) -> str | None:
    """Return the full name of the operator of the library for one of another framework; None if it is not known.

    ``GlobalAveragePool`` is ``math.mean_reduce``, ``Conv2d`` and ``conv_2d`` are ``nn.conv``.
    """
    return _MEANT.get(_folded(name))


_ATTRIBUTES = {
    "kernel_size": ("size",), "kernel_shape": ("size",), "output_size": ("size",),
    "out_channels": ("channels",), "out_features": ("channels",), "filters": ("channels",), "units": ("channels",),
    "strides": ("stride",), "dilations": ("dilation",), "pads": ("padding",), "border": ("padding",),
    "group": ("groups",), "dim": ("axis", "axes"), "dims": ("axes", "perm", "shape"), "bias": ("use_bias",),
    "eps": ("epsilon",), "negative_slope": ("alpha",), "axes": ("perm",),
    **dict.fromkeys(("transposea", "transpose_a", "adjoint_a"), ("transA",)),
    **dict.fromkeys(("transposeb", "transpose_b", "adjoint_b"), ("transB",)),
}  # fmt: skip

_OF_AN_AXIS = {
    **dict.fromkeys(("flatten", "argmax", "argmin", "cumsum"), "axis"),
    **dict.fromkeys(("softmax", "squeeze", "unsqueeze", "sum", "mean", "amax", "amin", "prod"), "axes"),
}
"""Methods whose only argument is a dimension, with the attribute of the operator for it."""


def method_axis(method: str) -> str | None:
    """Return the attribute for the argument of a method, if that is a dimension; else None."""
    return _OF_AN_AXIS.get(method)


_OPPOSITES = dict.fromkeys(("keepdims", "keepdim", "keep_dims"), "squeeze")


def foreign_attribute(name: str, known: Collection[str]) -> str | None:
    """Return the attribute in ``known`` that other frameworks call by this name."""
    return next((each for each in _ATTRIBUTES.get(name.lower(), ()) if each in known), None)


def opposite_attribute(name: str, known: Collection[str]) -> str | None:
    """Return the attribute in ``known`` that is true where this attribute of other frameworks is false."""
    found = _OPPOSITES.get(name.lower())
    return found if found in known else None
