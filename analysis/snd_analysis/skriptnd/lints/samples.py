"""Rules about samples: invocations in comments, see ``snd_analysis.skriptnd.samples``."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

_SCALE = """\
operator scale {
    @attrib {
        factor: real = 2.0;
    }
    @input {
        x: real[m,n];
    }
    @output {
        y: real[m,n];
    }
    @lower {
        y[i,j] = factor * x[i,j], i < m, j < n;
    }
}
"""
_GOOD = f"""\
# Multiplies by a number.
# >>> scale{{factor=3.0}}([[1.0, 2.0], [-1.0, 0.5]])
# y: real[2,2] = [[3.0, 6.0], [-3.0, 1.5]]
{_SCALE}"""

SAMPLE_SYNTAX = Rule(
    name="sample-syntax",
    summary="A comment that begins like a sample, or a result below one, can't be read.",
    why=(
        "A line `# >>>` in a comment holds one invocation of an operator or graph, which may go on in lines `# ...`; "
        "below it stand its results, as in `# y: real[2] = [1.0, 2.0]`, an expected error, as in `# error: message`, "
        "or a tolerance, as in `# ~1e-3`. Arguments are expressions without names, nested lists for tensors, or one of "
        "the generators `random[2,3]`, `iota[2,3]`, `zeros[2,3]` and `ones[2,3]`."
    ),
    bad=f"""\
# Multiplies by a number.
# >>> scale{{factor=3.0}}([[1.0, 2.0], [-1.0, 0.5]]
{_SCALE}""",
    good=_GOOD,
    section="tool",
)

RAGGED_TENSOR = Rule(
    name="ragged-tensor",
    summary="The rows of a nested list in a sample differ in their lengths.",
    why=(
        "A nested list stands for a tensor, all rows of which have one shape. Tensors of different shapes can be the "
        "items of a pack, if that is what the operator takes."
    ),
    bad=f"""\
# Multiplies by a number.
# >>> scale([[1.0, 2.0], [-1.0]])
{_SCALE}""",
    good=_GOOD,
    section="tool",
)

SAMPLE_RESULT_SHAPE = Rule(
    name="sample-result-shape",
    summary="A recorded result of a sample has another name, type or shape than the composed one.",
    why=(
        "Whatever the values are, the invocation can't have this result: either the record is out of date, or the "
        "operator is not what it is meant to be. `snd test --update` records the results that there are."
    ),
    bad=f"""\
# Multiplies by a number.
# >>> scale{{factor=3.0}}([[1.0, 2.0], [-1.0, 0.5]])
# y: real[4] = [3.0, 6.0, -3.0, 1.5]
{_SCALE}""",
    good=_GOOD,
    section="tool",
)
