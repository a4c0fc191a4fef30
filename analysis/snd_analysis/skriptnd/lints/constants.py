"""Rules about constants and variables; ``snd_analysis.skriptnd.types.constants`` checks them (2.7)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

MISSING_LENGTH = Rule(
    name="missing-length",
    summary="A pack of constants or variables, or an output that is a pack, is declared without a length.",
    why="Nothing from outside says how many tensors there are, so the declaration must.",
    bad="""\
graph net {
    @input { x: real[2]; }
    @variable { weights: real[2]..; }
    @output { y: real[2]; }
    @compose { y = if true then x else weights[0]; }
}
""",
    good="""\
graph net {
    @input { x: real[2]; }
    @variable { weights: real[2]..(3); }
    @output { y: real[2]; }
    @compose { y = if true then x else weights[0]; }
}
""",
    section="2.7",
)

MISSING_VALUE = Rule(
    name="missing-value",
    summary="A constant has no value.",
    why="A constant is its value. A tensor whose values are stored beside the model is a variable.",
    bad="""\
graph net {
    @input { x: real[2]; }
    @constant { c: real[2]; }
    @output { y: real[2]; }
    @compose { y = if true then x else c; }
}
""",
    good="""\
graph net {
    @input { x: real[2]; }
    @constant { c: real[2] = 0.5; }
    @output { y: real[2]; }
    @compose { y = if true then x else c; }
}
""",
    section="2.7",
)

CONSTANT_VALUES = Rule(
    name="constant-values",
    summary="A list gives more or fewer values than a constant takes.",
    why=(
        "A list gives every element of a constant, the last dimension running fastest, or one value to each constant "
        "of a pack. One single value may stand for all elements instead."
    ),
    bad="""\
graph net {
    @input { x: real[2,2]; }
    @constant { c: real[2,2] = [1.0, 0.0, 1.0]; }
    @output { y: real[2,2]; }
    @compose { y = if true then x else c; }
}
""",
    good="""\
graph net {
    @input { x: real[2,2]; }
    @constant { c: real[2,2] = [1.0, 0.0, 0.0, 1.0]; }
    @output { y: real[2,2]; }
    @compose { y = if true then x else c; }
}
""",
    section="2.7",
)

CONSTANT_INDICES = Rule(
    name="constant-indices",
    summary="The index symbols of a constant do not run over its shape.",
    why=(
        "There is one index for each dimension, in their order, up to the extent of that dimension. Otherwise elements "
        "would be left without a value, or get one that nothing can hold."
    ),
    bad="""\
graph net {
    @input { x: real[2,3]; }
    @constant { c: real[2,3] = i == j ? 1.0 : 0.0, i < 3, j < 2; }
    @output { y: real[2,3]; }
    @compose { y = if true then x else c; }
}
""",
    good="""\
graph net {
    @input { x: real[2,3]; }
    @constant { c: real[2,3] = i == j ? 1.0 : 0.0, i < 2, j < 3; }
    @output { y: real[2,3]; }
    @compose { y = if true then x else c; }
}
""",
    section="2.7",
)
