"""Comments that suppress diagnostics.

``# snd: ignore[rule, other-rule] reason`` covers the line it ends; alone on a line, it covers the next line that is
not a comment, or, directly above a sample, that sample. ``# snd: ignore-file[rule] reason`` above the first line of
code covers the file. A diagnostic belongs to the line where it starts. Without ``[…]`` every rule is suppressed, which
is reported, as is whatever a comment names in vain, and a comment that begins as if it were one of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set

from msgspec import Struct, field

from snd_analysis import rules
from snd_analysis.base.diagnostics import Diagnostic, Fix, Location, TextEdit
from snd_analysis.base.rule import Rule
from snd_analysis.base.text import Source, Span
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.samples.comment_lines import MARKER
from snd_analysis.skriptnd.syntax import close_matches

_SUPPRESSION = re.compile(r"#\s*snd:\s*(?P<kind>ignore-file|ignore)(?![\w-])(?:\s*(?P<list>\[(?P<rules>[^\]]*)\]))?")
_SAMPLE_GOES_ON = re.compile(r"#(?!\s*(?:>>>(?!>)|snd:|$))")
_NAME = re.compile(r"[^\s,]+")
_MOST_UNKNOWN = 20
"""So many names of one comment that no rule has are reported; the last says how many more there are."""
_LONGEST_NAME = 80
_DIRECTIVES = ("ignore", "ignore-file")
_DIRECTIVE = re.compile(r"#\s*snd:(?P<blank>\s*)(?P<word>[\w-]*)")


def apply(diagnostics: Iterable[Diagnostic], source: Source, comments: Iterable[Span]) -> tuple[Diagnostic, ...]:
    """The diagnostics of ``source`` that no comment suppresses, and those about the suppressions; sorted by place."""
    comments = tuple(comments)
    suppressions = _suppressions(source, comments)
    unknown = [*_unknown_directives(source, comments)]
    if not suppressions:
        return tuple(sorted([*diagnostics, *unknown], key=lambda found: found.location.span))
    known = {*catalogue.names()}
    ours = known - {rule.name for rule in _reported_elsewhere()}
    kept = [found for found in diagnostics if not _suppressed(found, source, suppressions)]
    about = unknown + [found for each in suppressions for found in _questionable(each, source, known)]
    kept += [found for found in about if not _suppressed(found, source, suppressions, by_name=True)]
    meta = {rules.UNUSED_SUPPRESSION.name}
    unused = [found for each in suppressions for found in _unused(each, source, ours - meta)]
    kept += [found for found in unused if not _suppressed(found, source, suppressions, by_name=True)]
    kept += [found for each in suppressions if not each.is_blanket for found in _unused(each, source, meta)]
    return tuple(sorted(kept, key=lambda found: found.location.span))


def _reported_elsewhere() -> tuple[Rule, ...]:
    """The rules of problems that ``apply`` never sees: to name one is neither wrong nor in vain."""
    return rules.INTERNAL_ERROR, rules.SAMPLE_DIFFERS, rules.SAMPLE_FAILS, rules.SAMPLE_WITHOUT_RESULT


def unsuppressed(diagnostics: Iterable[Diagnostic], source: Source, comments: Iterable[Span]) -> tuple[Diagnostic, ...]:
    """Those that no comment suppresses, of diagnostics that are not all that there are; nothing about comments."""
    suppressions = _suppressions(source, tuple(comments))
    return tuple(found for found in diagnostics if not _suppressed(found, source, suppressions))


class _Suppression(Struct, frozen=True):
    comment: Span
    directive: Span
    """The part up to the closing bracket."""
    names: tuple[Span, ...]
    """Where each rule is named; empty for a blanket."""
    rules: tuple[str, ...]
    lines: range | None
    """The lines that are covered; None for the whole file."""
    is_alone: bool
    """Nothing else stands on its line."""
    is_effective: bool = True
    """False for ``ignore-file`` below the first line of code."""
    used: set[str] = field(default_factory=set)
    """The rules it has suppressed."""

    @property
    def is_blanket(self) -> bool:
        return not self.names

    def covers(self, line: int) -> bool:
        return self.is_effective and (self.lines is None or line in self.lines)


def _suppressions(source: Source, comments: Sequence[Span]) -> list[_Suppression]:
    matches = [(comment, _SUPPRESSION.match(source.text, comment.start, comment.end)) for comment in comments]
    if not any(match for _, match in matches):
        return []
    alone = {source.position(comment.start).line for comment in comments if _is_alone(comment, source)}
    lines = range(1, len(source.line_starts) + 1)
    first_code = next((line for line in lines if line not in alone and source.line_text(line).strip()), None)
    found: list[_Suppression] = []
    for comment, match in matches:
        if match is None:
            continue
        own_line = source.position(comment.start).line
        of_file = match["kind"] == "ignore-file"
        names = [] if match["list"] is None else [*_NAME.finditer(source.text, *match.span("rules"))]
        found.append(
            _Suppression(
                comment,
                Span(*match.span()),
                tuple(Span(*name.span()) for name in names),
                tuple(name[0] for name in names),
                lines=None if of_file else _covered(own_line, alone, source),
                is_alone=own_line in alone,
                is_effective=not of_file or first_code is None or own_line < first_code,
            )
        )
    return found


def _covered(line: int, alone: Set[int], source: Source) -> range:
    """The lines that a comment on a line covers; ``alone`` are those on which nothing but a comment stands."""
    if line not in alone:
        return range(line, line + 1)
    texts = {each: source.line_text(each).strip() for each in alone}
    start = line
    while _SUPPRESSION.match(texts.get(start, "")):
        start += 1
    if MARKER.match(texts.get(start, "")):
        end = start + 1
        while _SAMPLE_GOES_ON.match(texts.get(end, "")):
            end += 1
        return range(start, end)
    while start in alone:
        start += 1
    return range(start, start + 1)


def _is_alone(comment: Span, source: Source) -> bool:
    start = source.line_starts[source.position(comment.start).line - 1]
    return not source.text[start : comment.start].strip()


def _suppressed(found: Diagnostic, source: Source, suppressions: Sequence[_Suppression], by_name: bool = False) -> bool:
    """Whether a comment covers the diagnostic; remembers for every such comment that it was of use."""
    line = source.position(found.location.span.start).line
    covering = [
        each
        for each in suppressions
        if each.covers(line) and (found.rule.name in each.rules or (each.is_blanket and not by_name))
    ]
    for each in covering:
        each.used.add(found.rule.name)
    return bool(covering)


def _questionable(suppression: _Suppression, source: Source, known: Set[str]) -> Iterator[Diagnostic]:
    if suppression.is_blanket and suppression.used:
        names = ", ".join(sorted(suppression.used))
        span = suppression.directive
        word = source.text[span.start : span.end].partition("[")[0].rstrip()
        fix = _fix(source, f"name what it suppresses: '{names}'", [(span, f"{word}[{names}]")])
        message = "this comment suppresses every rule; it should name those that are meant"
        yield _diagnostic(rules.BLANKET_SUPPRESSION, message, span, source, fix)
    named = zip(suppression.rules, suppression.names, strict=True)
    unknown = [(name, span) for name, span in named if name not in known]
    for name, span in unknown[:_MOST_UNKNOWN]:
        suggestion = next(iter(close_matches(name, known)), None)
        shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
        message = f"there is no rule '{shown}'" + (f"; did you mean '{suggestion}'?" if suggestion else "")
        if len(unknown) > _MOST_UNKNOWN and span is unknown[_MOST_UNKNOWN - 1][1]:
            message += f". This comment names {len(unknown) - _MOST_UNKNOWN:,} more that do not exist"
        # not safe: the suggestion is a guess, and a right guess hides diagnostics
        guess = _fix(source, f"write '{suggestion}'", [(span, suggestion)], safe=False) if suggestion else None
        yield _diagnostic(rules.UNKNOWN_RULE_IN_SUPPRESSION, message, span, source, guess)


def _unknown_directives(source: Source, comments: Iterable[Span]) -> Iterator[Diagnostic]:
    for comment in comments:
        match = _DIRECTIVE.match(source.text, comment.start, comment.end)
        if match is None or match["word"] in _DIRECTIVES:
            continue
        word = match["word"]
        suggestion = next(iter(close_matches(word, _DIRECTIVES)), None)
        if suggestion is None and word and not match["blank"]:
            continue  # as '# snd:math …', the path of a module of the library
        if suggestion is None:
            yield _diagnostic(rules.UNKNOWN_DIRECTIVE, _no_directive(word), Span(*match.span()), source, None)
            continue
        span = Span(*match.span("word"))
        message = f"there is no directive '{word}'; did you mean '{suggestion}'?"
        # not safe: the suggestion is a guess, and a right guess hides diagnostics
        guess = _fix(source, f"write '{suggestion}'", [(span, suggestion)], safe=False)
        yield _diagnostic(rules.UNKNOWN_DIRECTIVE, message, span, source, guess)


def _no_directive(word: str) -> str:
    what = f"there is no directive '{word}'" if word else "there is no directive behind 'snd:'"
    return f"{what}; 'ignore[rule]' and 'ignore-file[rule]' are those that there are"


def _unused(suppression: _Suppression, source: Source, known: Set[str]) -> Iterator[Diagnostic]:
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
    yield _diagnostic(
        rules.UNUSED_SUPPRESSION, message, span, source, _fix(source, f"remove {listed}", [(whole, ", ".join(kept))])
    )


def _reason(suppression: _Suppression, message: str) -> str:
    return (
        message if suppression.is_effective else f"{message}: 'ignore-file' has to stand above the first line of code"
    )


def _useless(suppression: _Suppression, source: Source, message: str) -> Diagnostic:
    fix = _fix(source, "remove the comment", [(_removal(suppression, source), "")])
    return _diagnostic(rules.UNUSED_SUPPRESSION, message, suppression.directive, source, fix, unnecessary=True)


def _removal(suppression: _Suppression, source: Source) -> Span:
    """The comment with the blanks before it, or the whole line if there is nothing else on it."""
    line = source.position(suppression.comment.start).line
    if suppression.is_alone:
        end = source.line_starts[line] if line < len(source.line_starts) else len(source.text)
        return Span(source.line_starts[line - 1], end)
    before = source.text[source.line_starts[line - 1] : suppression.comment.start]
    return Span(suppression.comment.start - (len(before) - len(before.rstrip())), suppression.comment.end)


def _fix(source: Source, title: str, edits: Iterable[tuple[Span, str]], safe: bool = True) -> Fix:
    return Fix(title, tuple(TextEdit(Location(source.path, span), text) for span, text in edits), safe)


def _diagnostic(
    rule: Rule, message: str, span: Span, source: Source, fix: Fix | None, unnecessary: bool = False
) -> Diagnostic:
    return Diagnostic(rule, rule.severity, message, Location(source.path, span), fix=fix, unnecessary=unnecessary)
