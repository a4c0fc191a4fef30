"""A suppression comment suppresses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Set

from snd_analysis.base import Diagnostic, Rule, Severity, Source, Span
from snd_analysis.skriptnd.lints.suppression_comments import Suppression, diagnostic, fix_of

UNUSED_SUPPRESSION = Rule("unused-suppression", section="tool", severity=Severity.WARNING)


def check(suppression: Suppression, source: Source, known: Set[str]) -> Iterator[Diagnostic]:
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
