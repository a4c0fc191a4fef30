"""Rules about the extents of declared tensors; ``types.shape_rules`` and ``types.tensors`` check them (2.6)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

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
        "of a main graph, which is one that no other definition of its module invokes."
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
