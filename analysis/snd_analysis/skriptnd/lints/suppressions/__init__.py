"""Rules about comments that suppress diagnostics, and the application of these comments.

``# snd: ignore[rule, other-rule] reason`` covers the line that it ends. Alone on a line, it covers the next line that
is not a comment, or, directly above a sample, that sample. ``# snd: ignore-file[rule] reason`` above the first line of
code covers the file. A diagnostic belongs to the line where it starts. Without ``[…]`` a comment suppresses every rule.
"""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Source, Span
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.lints.suppression_comments import is_suppressed, suppressions_of
from snd_analysis.skriptnd.lints.suppressions import (
    blanket_suppression,
    unknown_directive,
    unknown_rule_in_suppression,
    unused_suppression,
)


def apply_suppressions(
    diagnostics: Iterable[Diagnostic], source: Source, comments: Iterable[Span]
) -> tuple[Diagnostic, ...]:
    """Return the unsuppressed diagnostics of a text and the diagnostics about the comments, sorted by place.

    ``diagnostics`` are all of the text, except for rules that evaluation or the command line reports.
    """
    comments = tuple(comments)
    suppressions = suppressions_of(source, comments)
    about = [*unknown_directive.check(source, comments)]
    if not suppressions:
        return tuple(sorted([*diagnostics, *about], key=lambda found: found.location.span))
    known = {*catalogue.names()}
    elsewhere = (
        rules.INTERNAL_ERROR,
        rules.NOT_FOR_ALL_SIZES,
        rules.SAMPLE_DIFFERS,
        rules.SAMPLE_FAILS,
        rules.SAMPLE_WITHOUT_RESULT,
    )
    itself = {unused_suppression.UNUSED_SUPPRESSION.name}
    judged = known - itself - {rule.name for rule in elsewhere}
    kept = [found for found in diagnostics if not is_suppressed(found, source, suppressions)]
    for each in suppressions:
        about += blanket_suppression.check(each, source)
        about += unknown_rule_in_suppression.check(each, source, known)
    kept += [found for found in about if not is_suppressed(found, source, suppressions, by_name=True)]
    unused = [found for each in suppressions for found in unused_suppression.check(each, source, judged)]
    kept += [found for found in unused if not is_suppressed(found, source, suppressions, by_name=True)]
    named = (each for each in suppressions if not each.is_blanket)
    kept += [found for each in named for found in unused_suppression.check(each, source, itself)]
    return tuple(sorted(kept, key=lambda found: found.location.span))


def unsuppressed(diagnostics: Iterable[Diagnostic], source: Source, comments: Iterable[Span]) -> tuple[Diagnostic, ...]:
    """Return the unsuppressed diagnostics of a text, without diagnostics about the comments."""
    suppressions = suppressions_of(source, tuple(comments))
    return tuple(found for found in diagnostics if not is_suppressed(found, source, suppressions))
