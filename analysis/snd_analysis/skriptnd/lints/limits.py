"""Rules about what the language allows and snd does not work with, so that every check ends."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

_BITS = """\
operator bits {{
    @attrib {{
        width: int;
    }}
    @input {{
        x: int[n];
    }}
    @using {{
        codes = 2 ** (2 ** width);
    }}
    @output {{
        y: int[n, codes];
    }}
    @lower {{
        y[i, j] = x[i,] == j ? 1 : 0, i < n, j < codes;
    }}
}}

graph main {{
    @input {{
        x: int[4];
    }}
    @output {{
        y: int;
    }}
    @compose {{
        y = bits{{width={width}}}(x);
    }}
}}
"""

VALUE_TOO_LARGE = Rule(
    name="value-too-large",
    summary="A value is larger than snd works with.",
    why=(
        "The language knows no greatest int and no longest pack, but a few steps of doubling lead to values that fill "
        "any memory. snd stops at ints of more than 8,192 bits (about 2,466 digits), packs that would have to be "
        "written out with more than 65,536 items, strings of more than 1,000,000 characters and more than 1,024 "
        "dynamic extents of one tensor. A long pack that is a range, or repeats one value, is not written out. A loop "
        "that is unrolled, with all loops in it and all operators that it invokes, may come to 100,000 statements."
    ),
    bad=_BITS.format(width=20),
    good=_BITS.format(width=3),
    section="tool",
)
