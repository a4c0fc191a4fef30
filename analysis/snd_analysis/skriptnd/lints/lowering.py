"""Rules about formulas; ``snd_analysis.skriptnd.types.lowering`` checks them (2.12)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule


def _formulas(*formulas: str, inputs: str = "x: real[n];", output: str = "y: real[n];", attributes: str = "") -> str:
    """A whole file around some formulas."""
    block = f"    @attrib {{\n        {attributes}\n    }}\n" if attributes else ""
    body = "\n        ".join(formulas)
    return f"""\
operator op {{
{block}    @input {{
        {inputs}
    }}
    @output {{
        {output}
    }}
    @lower {{
        {body}
    }}
}}

graph main {{
    @input {{
        x: real[2];
    }}
    @output {{
        y: real[2];
    }}
    @compose {{
        y = x;
    }}
}}
"""


ACCESS_OUTSIDE_LOWER = Rule(
    name="access-outside-lower",
    summary="An element of a tensor is read outside of `@lower`.",
    why=(
        "Elements exist at run time, and formulas are the only place that is evaluated then. Elsewhere only shapes are "
        "known."
    ),
    bad=_formulas("y[i,] = x[i,], i < n;").replace(
        "    @output", "    @assert {\n        x[0,] > 0.0;\n    }\n    @output", 1
    ),
    good=_formulas("y[i,] = x[i,], i < n;").replace(
        "    @output", "    @assert {\n        n > 0;\n    }\n    @output", 1
    ),
    section="2.4",
)

TENSOR_NOT_ACCESSED = Rule(
    name="tensor-not-accessed",
    summary="A formula computes with a whole tensor.",
    why="Formulas are about single elements: write which one, `x[i,]`. A tensor of rank 0 has the element `x[]`.",
    bad=_formulas("y[i,] = x + 1.0, i < n;"),
    good=_formulas("y[i,] = x[i,] + 1.0, i < n;"),
    section="2.12",
)

INDEX_COUNT = Rule(
    name="index-count",
    summary="A tensor is accessed with more or fewer indices than it has dimensions.",
    why=(
        "Each dimension needs its index; an expanded pack, `i..`, counts as many as it has items. Counts are compared "
        "as far as they are known."
    ),
    bad=_formulas("y[i,] = x[i, i], i < n;"),
    good=_formulas("y[i,] = x[i,], i < n;"),
    section="2.4",
)

TWO_PACKED_INDICES = Rule(
    name="two-packed-indices",
    summary="More than one dimension is indexed by a pack or a range.",
    why=(
        "A formula can assign a whole pack at once, and the items of that pack lie along one dimension (or are the "
        "tensors of a pack). Loop over the other dimensions with indices."
    ),
    bad=_formulas("y[:,:] = x[:,:];", inputs="x: real[n, n];", output="y: real[n, n];"),
    good=_formulas("y[:, j] = x[:, j], j < n;", inputs="x: real[n, n];", output="y: real[n, n];"),
    section="2.12",
)

FOLD_OF_ACCESS = Rule(
    name="fold-of-access",
    summary="A fold goes over elements of tensors.",
    why=(
        "Folds are compile-time operations on packs. Elements are accumulated by the formula itself: an index that "
        "stands on the right side only is summed over by `+=`."
    ),
    bad=_formulas("y[i,] = xs[i,] + .., i < n;", inputs="xs: real[n]..(k);"),
    good=_formulas("y[i,] += xs[j][i,], i < n, j < k;", inputs="xs: real[n]..(k);"),
    section="2.12",
)

RUN_TIME_COUNT = Rule(
    name="run-time-count",
    summary="The number of unrolled steps depends on the elements of a tensor.",
    why="Unrolling writes the steps out when the graph is composed; elements are known only at run time.",
    bad=_formulas(
        "unroll..(k -> c[]) ys[k][i,] = x[i,], i < n;",
        inputs="x: real[n];\n        c: int[];",
        output="ys: real[n]..(2);",
    ),
    good=_formulas(
        "unroll..(k -> 2) ys[k][i,] = x[i,], i < n;",
        output="ys: real[n]..(2);",
    ),
    section="2.12",
)

LEFT_SIDE = Rule(
    name="left-side",
    summary="The left side of a formula is not an output.",
    why="Formulas compute the outputs of their operator. Values in between are local ones: `with z = …: y[i,] = z`.",
    bad=_formulas("y[i,] = x[i,], i < n;", "x[i,] = 0.0, i < n;"),
    good=_formulas("with z = x[i,]: y[i,] = z * z, i < n;"),
    section="2.12",
)

ASSIGNMENT_OPERATOR = Rule(
    name="assignment-operator",
    summary="A formula assigns with `==`.",
    why=(
        "`==` compares. Formulas assign with `=`, update with `:=`, or accumulate with `+=`, `*=`, `&=`, `|=`, `<?=` "
        "or `>?=`."
    ),
    bad=_formulas("y[i,] == x[i,], i < n;"),
    good=_formulas("y[i,] = x[i,], i < n;"),
    section="2.12",
)

TOO_MANY_FORMULAS = Rule(
    name="too-many-formulas",
    summary="An output has more formulas than its initialization and one accumulation or update.",
    why=(
        "The two make one computation: initial values by `=`, then one contraction over them. What needs more steps "
        "is several operators, composed."
    ),
    bad=_formulas("y[i,] += x[i,], i < n;", "y[i,] += x[i,], i < n;"),
    good=_formulas("y[i,] = x[i,], i < n;", "y[i,] += x[i,], i < n;"),
    section="2.12",
)

UPDATE_WITHOUT_INITIAL = Rule(
    name="update-without-initial",
    summary="`:=` updates an output that has no initial value.",
    why=(
        "Accumulations such as `+=` begin with their neutral element, but `:=` has none: give the first value by a "
        "formula with `=`."
    ),
    bad=_formulas("y[i,] := x[i,], i < n;"),
    good=_formulas("y[i,] = 0.0, i < n;", "y[i,] := x[i,], i < n;"),
    section="2.12",
)

REMAP_NOTATION = Rule(
    name="remap-notation",
    summary="A remapped index is written with `<` instead of `<>`.",
    why="The draft prints `|i < a : b|` in one place, where `|i <> a : b|` is meant: a below the range, b above it.",
    bad=_formulas("y[i,] = x[|i - 1 < 0 : n - 1|,], i < n;"),
    good=_formulas("y[i,] = x[|i - 1 <> 0 : n - 1|,], i < n;"),
    section="2.12",
)

MISSING_COMMA = Rule(
    name="missing-comma",
    summary="An access to a tensor of one dimension lacks the comma behind its index.",
    why=(
        "`x[i]` takes an item of a pack, `x[i,]` an element of a tensor. The comma keeps the two apart wherever the "
        "reader does not know which of them x is."
    ),
    bad=_formulas("y[i] = x[i,], i < n;"),
    good=_formulas("y[i,] = x[i,], i < n;"),
    section="2.4",
)

READS_OWN_OUTPUT = Rule(
    name="reads-own-output",
    summary="A formula reads an output that has no values yet.",
    why=(
        "The initial values that `=` gives can't depend on one another: the output has none before. A formula with "
        "`:=` runs in the order of its indices and reads what it wrote earlier. Formulas are evaluated in their order, "
        "so one that reads another output stands below those that write it."
    ),
    bad=_formulas("y[i,] = y[i,] + x[i,], i < n;"),
    good=_formulas("y[i,] = 0.0, i < n;", "y[i,] := y[i,] + x[i,], i < n;"),
    section="2.12",
)
