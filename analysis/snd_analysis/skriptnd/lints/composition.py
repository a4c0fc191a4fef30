"""Rules about what a graph comes to when it is composed; ``snd_analysis.compose`` checks them (2.5 to 2.12, 3)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

_WINDOW = """\
operator window {{
    @attrib {{
        size: int;
    }}
    @input {{
        x: real[n];
    }}
    @output {{
        y: real[n - size + 1];
    }}
    @assert {{
        size > 0: "the window can't be empty", size;
    }}
    @lower {{
        y[i,] += x[i + j,], i < n - size + 1, j < size;
    }}
}}

graph main {{
    @input {{
        x: real[{extent}];
    }}
    @output {{
        y: real;
    }}
    @compose {{
        y = window{{size={size}}}(x);
    }}
}}
"""

ASSERTION_FAILS = Rule(
    name="assertion-fails",
    summary="An assertion does not hold for the attributes and shapes that an operator or graph is given.",
    why=(
        "`@assert` says for which attributes and shapes an operator is meant; an invocation with others is invalid. "
        "The message is the operator's own, with the values that it prints. An assertion whose value depends on a "
        "dynamic extent is checked at run time, and one that is null is skipped."
    ),
    bad=_WINDOW.format(extent=8, size=0),
    good=_WINDOW.format(extent=8, size=3),
    section="2.8",
)

NEGATIVE_EXTENT = Rule(
    name="negative-extent",
    summary="An extent, or the length of a pack, is negative.",
    why=(
        "The expressions in the shape of an output are evaluated with the attributes and extents of the invocation. An "
        "operator whose output shrinks should say by an assertion how small its input may be."
    ),
    bad=_WINDOW.format(extent=3, size=5),
    good=_WINDOW.format(extent=8, size=5),
    section="2.6",
)

_AXES = """\
operator sums {{
    @attrib {{
        axes: int..(k);
    }}
    @input {{
        x: real[s..(d)];
    }}
    @output {{
        y: real[s..];
    }}
    @assert {{
        axes < d: "there are {{k}} axes: {{axes}}";
    }}
    @lower {{
        y[i..] = x[i..], i < s;
    }}
}}

graph main {{
    @input {{
        x: real[2, 3];
    }}
    @output {{
        y: real[2, 3];
    }}
    @compose {{
        y = sums{{axes={axes}}}(x);
    }}
}}
"""

UNIFORM_LENGTH = Rule(
    name="uniform-length",
    summary="One value is given for a packed attribute whose length nothing determines.",
    why=(
        "One value stands for all items of a pack if its length follows from inputs or other attributes. Where only "
        "the attribute itself tells its length, it must be a list, also of one item."
    ),
    bad=_AXES.format(axes="1"),
    good=_AXES.format(axes="[1]"),
    section="2.6.2",
)

_GROWING = """\
operator twice {{
    @input {{
        x: real[n];
    }}
    @output {{
        y: real[2 * n];
    }}
    @lower {{
        y[i * n + j,] = x[j,], i < 2, j < n;
    }}
}}

graph main {{
    @input {{
        x: real[3];
    }}
    @output {{
        y: real[12];
    }}
    @compose {{
        y = with z = x {keyword}..(2) twice(z);
    }}
}}
"""

CARRIED_SHAPE = Rule(
    name="carried-shape",
    summary="The body of a loop gives a carried variable a new value of another shape.",
    why=(
        "A loop that runs at run time updates the same tensor in every iteration. If every iteration is to have a "
        "tensor of its own, unroll the loop."
    ),
    bad=_GROWING.format(keyword="do").replace("real[12]", "real"),
    good=_GROWING.format(keyword="unroll"),
    section="2.10.1",
)

_SHIFT = """\
operator shift {{
    @attrib {{
        by: int;
    }}
    @input {{
        x: real[n];
    }}
    @output {{
        y: real[n];
    }}
    @lower {{
        y[i,] {access}, i < n;
    }}
}}

graph main {{
    @input {{
        x: real[4];
    }}
    @output {{
        y: real[4];
    }}
    @compose {{
        y = shift{{by=1}}(x);
    }}
}}
"""

ACCESS_OUT_OF_RANGE = Rule(
    name="access-out-of-range",
    summary="A formula reads or writes outside of a tensor for some of its indices.",
    why=(
        "The bounds of a formula are evaluated with the shapes of the invocation. An index that is meant to leave the "
        "tensor is put between bars: `|i + 1|` skips what is outside, and `|i + 1 <> 0 : n - 1|` says what to take "
        "instead."
    ),
    bad=_SHIFT.format(access="= x[i + by,]"),
    good=_SHIFT.format(access="+= x[|i + by|,]"),
    section="2.12",
)

_STATIC = """\
operator first {{
    @input {{
        x: real[static n];
    }}
    @output {{
        y: real[n];
    }}
    @lower {{
        y[i,] = x[i,], i < n;
    }}
}}

graph main {{
    @input {{
        x: real[{extent}];
    }}
    @output {{
        y: real[{symbol}];
    }}
    @compose {{
        y = first(x);
    }}
}}
"""

_VARIABLE = """\
operator scaled {{
    @input {{
        x: real[n,c];
    }}
    @variable {{
        factor: real[{extent}];
    }}
    @output {{
        y: real[n,c];
    }}
    @lower {{
        y[i,j] = x[i,j] * factor[{index},], i < n, j < c;
    }}
}}

graph main {{
    @input {{
        x: real[batch|8,3];
    }}
    @output {{
        y: real[batch,3];
    }}
    @compose {{
        y = scaled(x);
    }}
}}
"""

DYNAMIC_VARIABLE = Rule(
    name="dynamic-variable",
    summary="A variable is sized by a dynamic extent.",
    why=(
        "Variables are stored in files and are there before a graph runs; the attributes of a graph tell their shapes. "
        "An extent with an upper bound, or of a result that depends on data, is known at run time only. Size the "
        "variable by the upper bound, and take the part of it that is needed."
    ),
    bad=_VARIABLE.format(extent="n", index="i"),
    good=_VARIABLE.format(extent="c", index="j"),
    section="3",
)

DYNAMIC_FOR_STATIC = Rule(
    name="dynamic-for-static",
    summary="A dynamic extent is given for one that the operator declares as static.",
    why=(
        "`static` says that an operator can only be used where the extent is known when composing. An extent with an "
        "upper bound, or of a result that depends on data, is known at run time only."
    ),
    bad=_STATIC.format(extent="n|4", symbol="n"),
    good=_STATIC.format(extent="4", symbol="4"),
    section="LANGUAGE",
)
