"""Rules about comments that suppress diagnostics, and the application of these comments.

``# snd: ignore[rule, other-rule] reason`` covers the line that it ends. Alone on a line, it covers the next line that
is not a comment, or, directly above a sample, that sample. ``# snd: ignore-file[rule] reason`` above the first line of
code covers the file. A diagnostic belongs to the line where it starts. Without ``[…]`` a comment suppresses every rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Rule, Severity, Source, Span
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.limits import LONGEST_RULE, MOST_UNKNOWN_RULES
from snd_analysis.skriptnd.lints.suppression_comments import (
    Suppression,
    diagnostic,
    fix_of,
    is_suppressed,
    suppressions_of,
)
from snd_analysis.skriptnd.syntax import close_matches

BLANKET_SUPPRESSION = Rule("blanket-suppression", section="tool", severity=Severity.WARNING)
UNKNOWN_DIRECTIVE = Rule("unknown-directive", section="tool", severity=Severity.WARNING)
UNKNOWN_RULE_IN_SUPPRESSION = Rule("unknown-rule-in-suppression", section="tool", severity=Severity.WARNING)
UNUSED_SUPPRESSION = Rule("unused-suppression", section="tool", severity=Severity.WARNING)

_DIRECTIVES = ("ignore", "ignore-file")
_DIRECTIVE = re.compile(r"#\s*snd:(?P<blank>\s*)(?P<word>[\w-]*)")


def apply_suppressions(
    diagnostics: Iterable[Diagnostic], source: Source, comments: Iterable[Span]
) -> tuple[Diagnostic, ...]:
    """Return the unsuppressed diagnostics of a text and the diagnostics about the comments, sorted by place.

    ``diagnostics`` are all of the text, except for rules that evaluation or the command line reports.
    """
    comments = tuple(comments)
    suppressions = suppressions_of(source, comments)
    about = [*_unknown_directive(source, comments)]
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
    itself = {UNUSED_SUPPRESSION.name}
    judged = known - itself - {rule.name for rule in elsewhere}
    kept = [found for found in diagnostics if not is_suppressed(found, source, suppressions)]
    for each in suppressions:
        about += _blanket_suppression(each, source)
        about += _unknown_rule(each, source, known)
    kept += [found for found in about if not is_suppressed(found, source, suppressions, by_name=True)]
    unused = [found for each in suppressions for found in _unused_suppression(each, source, judged)]
    kept += [found for found in unused if not is_suppressed(found, source, suppressions, by_name=True)]
    named = (each for each in suppressions if not each.is_blanket)
    kept += [found for each in named for found in _unused_suppression(each, source, itself)]
    return tuple(sorted(kept, key=lambda found: found.location.span))


def unsuppressed(diagnostics: Iterable[Diagnostic], source: Source, comments: Iterable[Span]) -> tuple[Diagnostic, ...]:
    """Return the unsuppressed diagnostics of a text, without diagnostics about the comments."""
    suppressions = suppressions_of(source, tuple(comments))
    return tuple(found for found in diagnostics if not is_suppressed(found, source, suppressions))


def _unknown_directive(source: Source, comments: Iterable[Span]) -> Iterator[Diagnostic]:
    """Report the comments of a text that begin like a directive and are none."""
    for comment in comments:
        match = _DIRECTIVE.match(source.text, comment.start, comment.end)
        if match is None or match["word"] in _DIRECTIVES:
            continue
        word = match["word"]
        suggestion = next(iter(close_matches(word, _DIRECTIVES)), None)
        if suggestion is None and word and not match["blank"]:
            continue  # as '# snd:math …', the path of a module of the library
        if suggestion is None:
            yield diagnostic(UNKNOWN_DIRECTIVE, _no_directive(word), Span(*match.span()), source, None)
            continue
        span = Span(*match.span("word"))
        message = f"there is no directive '{word}'; did you mean '{suggestion}'?"
        # not safe: the suggestion is a guess, and a right guess hides diagnostics
        guess = fix_of(source, f"write '{suggestion}'", [(span, suggestion)], safe=False)
        yield diagnostic(UNKNOWN_DIRECTIVE, message, span, source, guess)


def _no_directive(word: str) -> str:
    what = f"there is no directive '{word}'" if word else "there is no directive after 'snd:'"
    return f"{what}; write 'ignore[rule]' or 'ignore-file[rule]'"


def _blanket_suppression(suppression: Suppression, source: Source) -> Iterator[Diagnostic]:
    """Report a comment that suppresses without naming rules; the fix names the suppressed rules."""
    if suppression.is_blanket and suppression.used:
        names = ", ".join(sorted(suppression.used))
        span = suppression.directive
        word = source.text[span.start : span.end].partition("[")[0].rstrip()
        fix = fix_of(source, f"name what it suppresses: '{names}'", [(span, f"{word}[{names}]")])
        message = "this comment suppresses every rule: name the rules, as in 'ignore[unused-import]'"
        yield diagnostic(BLANKET_SUPPRESSION, message, span, source, fix)


def _unknown_rule(suppression: Suppression, source: Source, known: Set[str]) -> Iterator[Diagnostic]:
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


def _unused_suppression(suppression: Suppression, source: Source, known: Set[str]) -> Iterator[Diagnostic]:
    """Report a comment that suppresses nothing, or the names of rules that it suppresses in vain.

    Names that are not ``known`` are left to others. All diagnostics must have been held against the comment before.
    """
    if suppression.is_blanket:
        if not suppression.used:
            yield _useless(suppression, source, _reason(suppression, "this comment suppresses nothing"))
        return
    unused = [name for name in dict.fromkeys(suppression.rules) if name in known and name not in suppression.used]
    if not unused:
        return
    listed = ", ".join(f"'{name}'" for name in unused)
    message = _reason(suppression, f"there is no {listed} here to suppress")
    if len(unused) == len(set(suppression.rules)):
        yield _useless(suppression, source, message)
        return
    kept = [name for name in dict.fromkeys(suppression.rules) if name not in unused]
    whole = Span(suppression.names[0].start, suppression.names[-1].end)
    span = suppression.names[suppression.rules.index(unused[0])]
    yield diagnostic(
        UNUSED_SUPPRESSION, message, span, source, fix_of(source, f"remove {listed}", [(whole, ", ".join(kept))])
    )


def _reason(suppression: Suppression, message: str) -> str:
    return (
        message if suppression.is_effective else f"{message}: 'ignore-file' has to stand above the first line of code"
    )


def _useless(suppression: Suppression, source: Source, message: str) -> Diagnostic:
    fix = fix_of(source, "remove the comment", [(_removal(suppression, source), "")])
    return diagnostic(UNUSED_SUPPRESSION, message, suppression.directive, source, fix, unnecessary=True)


def _removal(suppression: Suppression, source: Source) -> Span:
    """Return the span to delete: the comment with the blanks before it, or the line if it has nothing else."""
    line = source.position(suppression.comment.start).line
    if suppression.is_alone:
        end = source.line_starts[line] if line < len(source.line_starts) else len(source.text)
        return Span(source.line_starts[line - 1], end)
    before = source.text[source.line_starts[line - 1] : suppression.comment.start]
    return Span(suppression.comment.start - (len(before) - len(before.rstrip())), suppression.comment.end)
