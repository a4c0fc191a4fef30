"""Rules about the comments that are meant for snd and suppress other rules: see ``suppression``."""

from __future__ import annotations

from snd_analysis.base.diagnostics import Severity
from snd_analysis.skriptnd.lints.rule import Rule

_GOOD = """\
operator double {
    @input {
        x: real[n];
    }
    @output {
        y: real[n];
    }
    @lower {
        y[i,] = 2.0 * x[i,], i < n;
    }
}
"""

_SUPPRESSING = f"""\
import math; # snd: ignore[unused-import] the next model of this series calls it

{_GOOD}"""

UNUSED_SUPPRESSION = Rule(
    name="unused-suppression",
    summary="A suppression comment suppresses nothing.",
    why=(
        "The problem it was written for is gone, or was never in its reach. Left in place it would hide the next "
        "problem of that kind. A comment behind code covers its line, a comment alone on a line covers the next line "
        "that is not a comment, and `ignore-file` counts only above the first line of code."
    ),
    bad=f"# snd: ignore[unused-import] there once was an import here\n{_GOOD}",
    good=_SUPPRESSING,
    section="tool",
    severity=Severity.WARNING,
)

UNKNOWN_RULE_IN_SUPPRESSION = Rule(
    name="unknown-rule-in-suppression",
    summary="A suppression comment names a rule that does not exist.",
    why="Probably a misspelling: the comment does not have the effect that it seems to have.",
    bad=f"# snd: ignore[unused-imprt] a misspelt name\n{_GOOD}",
    good=_SUPPRESSING,
    section="tool",
    severity=Severity.WARNING,
)

BLANKET_SUPPRESSION = Rule(
    name="blanket-suppression",
    summary="A suppression comment does not name the rules it suppresses.",
    why=(
        "It works, but it hides every problem at its place: also those that nobody has seen yet. Say which rules are "
        "meant, as in `# snd: ignore[unused-import]`."
    ),
    bad=f"import math; # snd: ignore\n\n{_GOOD}",
    good=_SUPPRESSING,
    section="tool",
    severity=Severity.WARNING,
)

UNKNOWN_DIRECTIVE = Rule(
    name="unknown-directive",
    summary="A comment for snd says something that snd does not know.",
    why=(
        "A comment that begins with `snd:` is a directive: `ignore[rule]` or `ignore-file[rule]`. Anything else, "
        "probably a misspelling, has no effect."
    ),
    bad=f"# snd: of[unused-import] no such directive\n{_GOOD}",
    good=_SUPPRESSING,
    section="tool",
    severity=Severity.WARNING,
)
