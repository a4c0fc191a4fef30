"""Rules about defaults of attributes and inputs; ``types.attributes`` and ``types.tensors`` check them (2.5, 2.6)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

OPTIONAL_DEFAULT = Rule(
    name="optional-default",
    summary="An optional attribute or input has a default.",
    why=(
        "Something optional is null where it is not given: that is its default. With a value of its own it could "
        "never be null, so it is either not optional, or the value belongs to where it is used, behind `??`."
    ),
    bad="""\
operator scale {
    @attrib { factor: optional real = 1.0; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = (factor ?? 2.0) * x[i,], i < n; }
}
""",
    good="""\
operator scale {
    @attrib { factor: real = 1.0; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = factor * x[i,], i < n; }
}
""",
    section="2.5",
)

UNIFORM_DEFAULT = Rule(
    name="uniform-default",
    summary="A single value is the default of a pack whose length nothing else determines.",
    why=(
        "A single value stands for a pack that repeats it, so the length must come from elsewhere: from an input that "
        "names it as the rank of something, or from another attribute. Without that the default can never be used; "
        "write a list, or name the length."
    ),
    bad="""\
operator pad {
    @attrib { padding: int.. = 0; }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @assert { padding >= 0; }
    @lower { y[i..] = x[i..], i < s; }
}
""",
    good="""\
operator pad {
    @attrib { padding: int..(d) = 0; }
    @input { x: real[s..(d)]; }
    @output { y: real[s..]; }
    @assert { padding >= 0; }
    @lower { y[i..] = x[i..], i < s; }
}
""",
    section="2.5",
)

CIRCULAR_DEFAULT = Rule(
    name="circular-default",
    summary="The default of an attribute depends on the attribute itself.",
    why=(
        "A default may use other attributes, whatever their order, and what the inputs determine. It is evaluated "
        "when all of that is known; a default that needs its own value, directly, through other defaults or as the "
        "length of its own pack, never is."
    ),
    bad="""\
operator window {
    @attrib {
        size: int = stride;
        stride: int = size;
    }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { size >= stride; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator window {
    @attrib {
        size: int;
        stride: int = size;
    }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { size >= stride; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    section="2.5",
)

ILLEGAL_DEFAULT = Rule(
    name="illegal-default",
    summary="An output or a variable has a value, or an input of unknown shape a default.",
    why=(
        "Outputs are computed, and the values of variables lie in files of their own. A default of an input is a value "
        "known when composing, from which a tensor is made: that takes rank 0, or a shape that the other inputs and "
        "the attributes determine, whose elements then are all alike."
    ),
    bad="""\
operator shift {
    @input { x: real[n]; offsets: real[m] = 0.5; }
    @output { y: real[n]; }
    @assert { m <= n; }
    @lower { y[i,] = x[i,] + offsets[0,], i < n; }
}
""",
    good="""\
operator shift {
    @input { x: real[n]; offset: real[] = 0.5; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] + offset[], i < n; }
}
""",
    section="2.6",
)

ILLEGAL_INDEX_BOUND = Rule(
    name="illegal-index-bound",
    summary="The default of an attribute or input has index symbols.",
    why=(
        "`i < n` behind a value gives each element of a constant its own value. Attributes and defaults of inputs are "
        "single values or packs, which are written as lists or ranges."
    ),
    bad="""\
operator ramp {
    @attrib { steps: int..(4) = 2 * i, i < 4; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { steps >= 0; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator ramp {
    @attrib { steps: int..(4) = [0:8:2]; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { steps >= 0; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    section="2.7",
)
