"""Rules about what a definition declares; ``snd_analysis.types.declarations`` checks them (2.3, 2.5 to 2.9, 2.13)."""

from __future__ import annotations

from snd_analysis.rules.rule import Rule

GENERIC_BASE = Rule(
    name="generic-base",
    summary="The base of a generic type is not one of the abstract types.",
    why=(
        "A generic type stands for a type that each invocation chooses, and its base says among which: `type` for all, "
        "`arith` for int, real and bool, `num` for int and real. A concrete base leaves nothing to choose, so write "
        "the concrete type itself where the generic one is used."
    ),
    bad="""\
operator double {
    @dtype { T: real; }
    @input { x: T[n]; }
    @output { y: T[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator double {
    @dtype { T: num; }
    @input { x: T[n]; }
    @output { y: T[n]; }
    @lower { y[i,] = x[i,] + x[i,], i < n; }
}
""",
    section="2.13",
)

GENERIC_DEFAULT = Rule(
    name="generic-default",
    summary="The default of a generic type is not a concrete type that its base allows.",
    why=(
        "The default is taken where an invocation neither names the type nor lets it be deduced. The operator is "
        "written for the types of its base only, and something must be known in the end: another abstract or generic "
        "type would leave the question open."
    ),
    bad="""\
operator zeros {
    @dtype { T: num = bool; }
    @attrib { n: int; }
    @output { y: T[n]; }
    @lower { y[i,] = T(), i < n; }
}
""",
    good="""\
operator zeros {
    @dtype { T: num = real; }
    @attrib { n: int; }
    @output { y: T[n]; }
    @lower { y[i,] = T(), i < n; }
}
""",
    section="2.13",
)

GENERIC_WITHOUT_DEFAULT = Rule(
    name="generic-without-default",
    summary="A main graph has a generic type without a default.",
    why=(
        "The types of an operator are deduced where it is invoked. A main graph (the first of its module, or one that "
        "no other definition invokes) has nobody to invoke it, so its generic types need defaults."
    ),
    bad="""\
graph net {
    @dtype { T: num; }
    @input { x: T[4]; }
    @output { y: T[4]; }
    @compose { y = x; }
}
""",
    good="""\
graph net {
    @dtype { T: num = real; }
    @input { x: T[4]; }
    @output { y: T[4]; }
    @compose { y = x; }
}
""",
    section="2.13",
)

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

MISSING_LENGTH = Rule(
    name="missing-length",
    summary="A pack of constants or variables is declared without a length.",
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

OMITTED_EXTENT = Rule(
    name="omitted-extent",
    summary="An extent or length is left out by `~` where it must be known.",
    why=(
        "`~` leaves an extent to be derived from an invocation or from what a graph composes. An operator describes "
        "its inputs by symbols, and constants and variables must have a size."
    ),
    bad="""\
operator first {
    @input { x: real[~,n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[0,i], i < n; }
}
""",
    good="""\
operator first {
    @input { x: real[m,n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[0,i], i < n; }
}
""",
    section="2.6.1",
)

UNBOUNDED_EXTENT = Rule(
    name="unbounded-extent",
    summary="A dynamic extent has no upper bound, or a main graph's input no known rank.",
    why=(
        "Extents that are known only when the model runs need an upper bound, written `s|10` or `~|10`, so that space "
        "can be planned; the rank is always known. That concerns outputs of operators that depend on data, and inputs "
        "of a main graph: the first graph of a module, or one that no other definition invokes."
    ),
    bad="""\
graph net {
    @input { x: real[n,4]; }
    @output { y: real[n,4]; }
    @compose { y = x; }
}
""",
    good="""\
graph net {
    @input { x: real[n|100,4]; }
    @output { y: real[n,4]; }
    @compose { y = x; }
}
""",
    section="2.6.1",
)

ILLEGAL_BOUND = Rule(
    name="illegal-bound",
    summary="An upper bound is given for an extent that has none.",
    why=(
        "Bounds are for dynamic extents: those of the inputs of graphs, and those of outputs. The symbols in an "
        "operator's inputs stand for whatever shape it is invoked with (a limit is said by an assertion), and the "
        "extents of constants and variables are known."
    ),
    bad="""\
operator same {
    @input { x: real[n|10]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator same {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { n <= 10: "at most 10 items are supported", n; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    section="2.6.1",
)

BOUNDS_DIFFER = Rule(
    name="bounds-differ",
    summary="One dynamic extent has two different upper bounds.",
    why=(
        "One symbol in several shapes says that these extents are equal, so their bound is one, too. It need be "
        "written only once."
    ),
    bad="""\
graph net {
    @input {
        x: real[n|10];
        z: real[n|20];
    }
    @output { y: real[n]; }
    @compose { y = if true then x else z; }
}
""",
    good="""\
graph net {
    @input {
        x: real[n|10];
        z: real[n];
    }
    @output { y: real[n]; }
    @compose { y = if true then x else z; }
}
""",
    section="2.6.1",
)

EXTENT_NOT_EXPANDED = Rule(
    name="extent-not-expanded",
    summary="A pack stands in a shape as if it were a single extent.",
    why=(
        "`s..` puts every item of the pack `s` into the shape. Without the dots it would be one extent, and a pack is "
        "not one number."
    ),
    bad="""\
operator same {
    @input { x: real[s..]; }
    @output { y: real[s]; }
    @lower { y[i..] = x[i..], i < s; }
}
""",
    good="""\
operator same {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = x[i..], i < s; }
}
""",
    section="2.6",
)

ITEM_EXTENT = Rule(
    name="item-extent",
    summary="An extent for each tensor of a pack, `..t`, stands where it has no meaning.",
    why=(
        "`..t` gives each tensor of a pack an extent of its own, so it needs a pack of tensors, and `t` is a pack with "
        "one extent for each. All tensors of a pack have one rank: `..t` can't be expanded to several dimensions."
    ),
    bad="""\
operator first {
    @input { x: real[m,..n]; }
    @output { y: real[m]; }
    @lower { y[i,] = x[i,0], i < m; }
}
""",
    good="""\
operator first {
    @input { xs: real[m,..n]..(k); }
    @output { y: real[m,k]; }
    @assert { n > 0; }
    @lower { y[i,j] = xs[j][i,0], i < m, j < k; }
}
""",
    section="2.6",
)

AMBIGUOUS_SHAPE = Rule(
    name="ambiguous-shape",
    summary="The shape of an input can't be bound to its symbols in one way only.",
    why=(
        "Of several packs in one shape all but one need a known length, else it is open which dimension belongs to "
        "which. Lengths are known from single int attributes that are required or have a constant default, and from "
        "inputs that can be bound before. Packed, optional and deferred attributes and optional inputs do not count: "
        "they may be left out, or be a single value for a pack."
    ),
    bad="""\
operator sum_last {
    @input { x: real[s..,t..]; }
    @output { y: real[s..]; }
    @lower { y[i..] += x[i..,j..], i < s, j < t; }
}
""",
    good="""\
operator sum_last {
    @attrib { kept: int; }
    @input { x: real[s..(kept),t..]; }
    @output { y: real[s..]; }
    @lower { y[i..] += x[i..,j..], i < s, j < t; }
}
""",
    section="2.6.2",
)

AMBIGUOUS_DECOMPOSITION = Rule(
    name="ambiguous-decomposition",
    summary="Two parts of a list on the left side both take what is left.",
    why="Only one part can have as many items as there are; the others are single, or say their length.",
    bad="""\
operator check {
    @attrib { sizes: int..; }
    @input { x: real[n]; }
    @using { [a.., b..] = sizes; }
    @output { y: real[n]; }
    @assert { (a + ..) == (b + ..); }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator check {
    @attrib { sizes: int..; }
    @input { x: real[n]; }
    @using { [a..(2), b..] = sizes; }
    @output { y: real[n]; }
    @assert { (a + ..) == (b + ..); }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    section="2.9",
)

DECOMPOSITION_MISMATCH = Rule(
    name="decomposition-mismatch",
    summary="A pack has more or fewer items than the list that it is taken apart into.",
    why=(
        "Every item goes to exactly one symbol. Unzipping into several packs deals the items out in turn, so their "
        "number must be a multiple of that of the packs."
    ),
    bad="""\
operator check {
    @attrib { sizes: int..(3); }
    @input { x: real[n]; }
    @using { [a, b] = sizes; }
    @output { y: real[n]; }
    @assert { a < b; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    good="""\
operator check {
    @attrib { sizes: int..(3); }
    @input { x: real[n]; }
    @using { [a, b..] = sizes; }
    @output { y: real[n]; }
    @assert { a < b; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    section="2.9",
)
