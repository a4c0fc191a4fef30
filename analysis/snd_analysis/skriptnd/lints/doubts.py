"""Rules about what goes wrong for some sizes only, each shown by such sizes; ``snd_analysis.compose`` checks them."""

from __future__ import annotations

from snd_analysis.base.diagnostics import Severity
from snd_analysis.skriptnd.lints.rule import Rule

_SHRINK = """\
operator shrink {{
    @input {{
        x: real[h];
    }}
    @output {{
        y: real[{extent}];
    }}
    @assert {{
        {assertion};
    }}
    @lower {{
        y[i,] = x[i,], i < {extent};
    }}
}}

graph main {{
    @input {{
        image: real[h|64];
    }}
    @output {{
        y: real[~|64];
    }}
    @compose {{
        y = shrink(image);
    }}
}}
"""

EXTENT_MAY_BE_NEGATIVE = Rule(
    name="extent-may-be-negative",
    summary="An extent is negative for some sizes that a dynamic input may have.",
    why=(
        "The message shows such sizes: they are within all bounds and no assertion excludes them. An assertion that "
        "does says how small the input may be. Operators of the library are not judged, and no operator without a "
        "graph that invokes it."
    ),
    bad=_SHRINK.format(extent="h - 3", assertion="h >= 0"),
    good=_SHRINK.format(extent="h - 3", assertion="h >= 3"),
    section="2.6.1",
    severity=Severity.WARNING,
)

DIVISOR_MAY_BE_ZERO = Rule(
    name="divisor-may-be-zero",
    summary="A divisor in a shape or condition is zero for some sizes that a dynamic input may have.",
    why=(
        "The message shows such sizes: they are within all bounds and no assertion excludes them. An assertion that "
        "does says what the operator is not meant for. Operators of the library are not judged, and no operator "
        "without a graph that invokes it."
    ),
    bad=_SHRINK.format(extent="64 / h", assertion="h >= 0"),
    good=_SHRINK.format(extent="64 / h", assertion="h > 0"),
    section="2.4",
    severity=Severity.WARNING,
)
