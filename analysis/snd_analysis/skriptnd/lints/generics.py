"""Rules about ``@dtype``; ``snd_analysis.skriptnd.types.generics`` checks them (2.13)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

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
        "The types of an operator are deduced where it is invoked. A main graph (one that no other definition of its "
        "module invokes) has nobody to invoke it, so its generic types need defaults."
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
