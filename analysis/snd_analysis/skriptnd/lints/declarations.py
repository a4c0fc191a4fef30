"""Rules about what can be declared how; ``types.declarations`` and its kin check them (2.5 to 2.7)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

TENSOR_ATTRIBUTE = Rule(
    name="tensor-attribute",
    summary="An attribute is declared with a shape.",
    why=(
        "Attributes are known when a graph is composed; tensors get their values when it is executed. Pass a tensor "
        "as an input, or declare a pack if the attribute has several values."
    ),
    bad="""\
operator scale {
    @attrib { factor: real[]; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator scale {
    @attrib { factor: real; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = factor * x[i,], i < n; }
}
""",
    section="2.5",
)

ILLEGAL_RANK_CAPTURE = Rule(
    name="illegal-rank-capture",
    summary="The rank of something other than an input is captured by `^(r)`.",
    why=(
        "A capture binds a name to the rank that an input turns out to have. Attributes have no rank, and that of an "
        "output, a constant or a variable follows from its declared shape."
    ),
    bad="""\
operator same {
    @input { x: real^(r)[s..]; }
    @output { y: real^(r)[s..]; }
    @assert { r > 0; }
    @lower { y[i..] = x[i..], i < s; }
}
""",
    good="""\
operator same {
    @input { x: real^(r)[s..]; }
    @output { y: real[s..]; }
    @assert { r > 0; }
    @lower { y[i..] = x[i..], i < s; }
}
""",
    section="2.6",
)

CAPTURED_RANKS_DIFFER = Rule(
    name="captured-ranks-differ",
    summary="One symbol captures the ranks of inputs whose shapes say that they differ.",
    why=(
        "`^(r)` behind the type of an input stands for its rank, and one symbol for one rank: no invocation could fit "
        "two inputs of different ranks."
    ),
    bad="""\
operator op {
    @input { x: real^(r)[n]; z: real^(r)[n, n]; }
    @output { y: real[]; }
    @lower { y[] = real(r); }
}
""",
    good="""\
operator op {
    @input { x: real^(r)[n]; z: real^(q)[n, n]; }
    @output { y: real[]; }
    @lower { y[] = real(r + q); }
}
""",
    section="2.6",
)

ILLEGAL_OPTIONAL = Rule(
    name="illegal-optional",
    summary="An output, a constant or a variable is declared optional.",
    why=(
        "Only what is given from outside can be left out: attributes and inputs. An output is computed by every "
        "invocation, and constants and variables are part of the definition."
    ),
    bad="""\
operator same {
    @input { x: real[n]; }
    @output { y: optional real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator same {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    section="2.6",
)

MISSING_SHAPE = Rule(
    name="missing-shape",
    summary="A tensor is declared without a shape where none can be derived.",
    why=(
        "Inputs and outputs of operators, constants, variables and inputs of a main graph need a shape, be it `[]` for "
        "rank 0. Only graphs may leave out the shapes of their outputs, which follow from what they invoke, and of "
        "their inputs if another graph invokes them."
    ),
    bad="""\
operator same {
    @input { x: real[n]; }
    @output { y: real; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator same {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    section="2.6",
)
