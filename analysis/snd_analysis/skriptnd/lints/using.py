"""Rules about lists that ``@using`` takes apart; ``snd_analysis.skriptnd.types.using`` checks them (2.9)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

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
