"""A suppression comment names a rule that does not exist."""

from __future__ import annotations

from collections.abc import Iterator, Set

from snd_analysis.base import Diagnostic, Rule, Severity, Source
from snd_analysis.skriptnd.lints.limits import LONGEST_RULE, MOST_UNKNOWN_RULES
from snd_analysis.skriptnd.lints.suppression_comments import Suppression, diagnostic, fix_of
from snd_analysis.skriptnd.syntax import close_matches

UNKNOWN_RULE_IN_SUPPRESSION = Rule("unknown-rule-in-suppression", section="tool", severity=Severity.WARNING)


def check(suppression: Suppression, source: Source, known: Set[str]) -> Iterator[Diagnostic]:
    """Report the names in a comment that are not ``known``. The last report says how many more names there are."""
    named = zip(suppression.rules, suppression.names, strict=True)
    unknown = [(name, span) for name, span in named if name not in known]
    for name, span in unknown[:MOST_UNKNOWN_RULES]:
        suggestion = next(iter(close_matches(name, known)), None)
        shown = name if len(name) <= LONGEST_RULE else f"{name[:LONGEST_RULE]}…"
        message = f"there is no rule '{shown}'" + (f"; did you mean '{suggestion}'?" if suggestion else "")
        if len(unknown) > MOST_UNKNOWN_RULES and span is unknown[MOST_UNKNOWN_RULES - 1][1]:
            message += f". This comment names {len(unknown) - MOST_UNKNOWN_RULES:,} more that do not exist"
        # not safe: the suggestion is a guess, and a right guess hides diagnostics
        guess = fix_of(source, f"write '{suggestion}'", [(span, suggestion)], safe=False) if suggestion else None
        yield diagnostic(UNKNOWN_RULE_IN_SUPPRESSION, message, span, source, guess)
