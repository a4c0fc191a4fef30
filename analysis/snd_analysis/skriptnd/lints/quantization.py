"""Rules about ``@quantize``; ``snd_analysis.skriptnd.types.compose`` checks them (2.14)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule


def _graph(entry: str, public: str = "") -> str:
    """A whole file with an operator inside a graph, and one quantization."""
    modules = "math, quant" if "quant." in entry else "math"
    return f"""\
import {modules};

{public}operator block {{
    @input {{ x: real[n]; }}
    @output {{ y: real[n]; }}
    @compose {{
        inner = math.neg(x);
        y = math.abs(inner);
    }}
}}

graph net {{
    @input {{ x: real[4]; }}
    @output {{ y: real[4]; }}
    @compose {{
        z = first: block(x);
        y = math.neg(z);
    }}
    @quantize {{
        {entry}
    }}
}}
"""


_MINMAX = "quant.min_max_linear_quantize{min=0.0, max=1.0, bits=8}"

UNKNOWN_QUANTIZED_TENSOR = Rule(
    name="unknown-quantized-tensor",
    summary="A quantization names a tensor that does not exist.",
    why=(
        "Tensors of the definition go by their names; those inside of invoked operators by the label of the "
        "invocation, which is the name of its single result if none is written, a point, and the name there."
    ),
    bad=_graph(f"middle: {_MINMAX};"),
    good=_graph(f"z: {_MINMAX};"),
    section="2.14",
)

DUPLICATE_QUANTIZATION = Rule(
    name="duplicate-quantization",
    summary="A tensor is quantized twice.",
    why="A tensor has one quantization; two entries contradict each other, or the second was meant for another tensor.",
    bad=_graph(f"z: {_MINMAX};\n        z: {_MINMAX};"),
    good=_graph(f"z: {_MINMAX};\n        y: {_MINMAX};"),
    section="2.14",
)

PRIVATE_TENSOR = Rule(
    name="private-tensor",
    summary="A quantization names a tensor inside of an operator that is not public.",
    why=(
        "Inputs, outputs and intermediate tensors of an operator may change with its implementation. Only variables "
        "and constants can be named from outside, unless the operator says `public`."
    ),
    bad=_graph(f"first.inner: {_MINMAX};"),
    good=_graph(f"first.inner: {_MINMAX};", "public "),
    section="2.10",
)

QUANTIZATION_ALGORITHM = Rule(
    name="quantization-algorithm",
    summary="A tensor is quantized by an operator that has not exactly one input and one output.",
    why="The operator is invoked on the tensor, and its result stands for the quantized tensor.",
    bad=_graph("z: math.add;"),
    good=_graph(f"z: {_MINMAX};"),
    section="2.14",
)

QUANTIZATION_WITH_ARGUMENTS = Rule(
    name="quantization-with-arguments",
    summary="The operator of a quantization is given arguments.",
    why="What it is applied to stands before the colon already; only its attributes are given.",
    bad=_graph(f"z: {_MINMAX}(x);"),
    good=_graph(f"z: {_MINMAX};"),
    section="2.14",
)
