"""A comment for snd says something that snd does not know."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from snd_analysis.base import Diagnostic, Rule, Severity, Source, Span
from snd_analysis.skriptnd.lints.suppression_comments import diagnostic, fix_of
from snd_analysis.skriptnd.syntax import close_matches

UNKNOWN_DIRECTIVE = Rule("unknown-directive", section="tool", severity=Severity.WARNING)

_DIRECTIVES = ("ignore", "ignore-file")
_DIRECTIVE = re.compile(r"#\s*snd:(?P<blank>\s*)(?P<word>[\w-]*)")


def check(source: Source, comments: Iterable[Span]) -> Iterator[Diagnostic]:
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
