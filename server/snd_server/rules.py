"""Every rule there is: those of the analysis, and those that only a tool can break."""

from __future__ import annotations

from collections.abc import Mapping

from snd_analysis.base.diagnostics import Severity
from snd_analysis.skriptnd.lints.rule import Rule

INTERNAL_ERROR = Rule(
    name="internal-error",
    summary="snd itself failed while it checked the file.",
    why=(
        "The fault is in snd, not in the file: what else is wrong with this file is unknown, other files are checked "
        "as usual, and the exit status is 101. Please report it, with the file if you can."
    ),
    bad="",
    good="",
    section="tool",
)

_RELU = """\
operator relu {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] >? 0.0, i < n; }
}
"""

SAMPLE_DIFFERS = Rule(
    name="sample-differs",
    summary="A sample has another result than the one that is recorded below it.",
    why=(
        "Either the operator was broken, or it was changed on purpose and the sample tells how it was before. "
        "`snd test` reports it; `snd test --update` records what there is now."
    ),
    bad=f"# >>> relu([-1.0, 2.0])\n# y: real[2] = [1.0, 2.0]\n{_RELU}",
    good=f"# >>> relu([-1.0, 2.0])\n# y: real[2] = [0.0, 2.0]\n{_RELU}",
    section="tool",
)

SAMPLE_FAILS = Rule(
    name="sample-fails",
    summary="A sample can't be evaluated.",
    why=(
        "An index lies outside of its tensor, a limit is exceeded, or there is neither a formula nor an intrinsic. If "
        "this is what the sample is to show, expect it: write `# error:` and a part of the message below it."
    ),
    bad="""\
# >>> pick([3], [1.0, 2.0])
# y: real[1] = [2.0]
operator pick {
    @input { at: int[m]; x: real[n]; }
    @output { y: real[m]; }
    @lower { y[i,] = x[at[i,],], i < m; }
}
""",
    good="""\
# >>> pick([1], [1.0, 2.0])
# y: real[1] = [2.0]
operator pick {
    @input { at: int[m]; x: real[n]; }
    @output { y: real[m]; }
    @lower { y[i,] = x[at[i,],], i < m; }
}
""",
    section="tool",
)

SAMPLE_WITHOUT_RESULT = Rule(
    name="sample-without-result",
    summary="Nothing is recorded below a sample.",
    why="It shows how to invoke the operator, but not what comes out. `snd test --update` writes that below it.",
    bad=f"# >>> relu([-1.0, 2.0])\n{_RELU}",
    good=f"# >>> relu([-1.0, 2.0])\n# y: real[2] = [0.0, 2.0]\n{_RELU}",
    section="tool",
    severity=Severity.WARNING,
)

TOOL_RULES = (INTERNAL_ERROR, SAMPLE_DIFFERS, SAMPLE_FAILS, SAMPLE_WITHOUT_RESULT)


def known_rules() -> Mapping[str, Rule]:
    """All rules by name, sorted."""
    from snd_analysis.skriptnd.lints.catalogue import catalogue

    rules = {**catalogue(), **{rule.name: rule for rule in TOOL_RULES}}
    return dict(sorted(rules.items()))
