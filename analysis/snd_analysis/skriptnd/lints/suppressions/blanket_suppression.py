"""A suppression comment does not name the rules it suppresses."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Diagnostic, Rule, Severity, Source
from snd_analysis.skriptnd.lints.suppression_comments import Suppression, diagnostic, fix_of

BLANKET_SUPPRESSION = Rule("blanket-suppression", section="tool", severity=Severity.WARNING)


def check(suppression: Suppression, source: Source) -> Iterator[Diagnostic]:
    """Report a comment that suppresses without naming rules; the fix names the suppressed rules."""
    if suppression.is_blanket and suppression.used:
        names = ", ".join(sorted(suppression.used))
        span = suppression.directive
        word = source.text[span.start : span.end].partition("[")[0].rstrip()
        fix = fix_of(source, f"name what it suppresses: '{names}'", [(span, f"{word}[{names}]")])
        message = "this comment suppresses every rule: name the rules, as in 'ignore[unused-import]'"
        yield diagnostic(BLANKET_SUPPRESSION, message, span, source, fix)
