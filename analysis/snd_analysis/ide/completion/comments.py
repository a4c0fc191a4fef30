"""Completions in comments: suppressions with the names of rules, and samples."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base import Source, Span
from snd_analysis.ide.completion.item import Completion, CompletionKind, Completions, closeness, matches
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.samples import CONTINUATION, MARKER
from snd_analysis.workspace import Snapshot

_RULES = re.compile(r"#\s*snd:\s*ignore(?:-file)?\s*\[(?P<named>[^\]]*)\Z")
_DIRECTIVE = re.compile(r"#\s*snd:\s*(?P<word>[\w-]*)\Z")
_MARK = re.compile(r"#\s*(?P<word>\w*)\Z")
_NAME = re.compile(r"[\w-]*")


def comment_completions(snapshot: Snapshot, path: str, comment: Span, offset: int, snippets: bool) -> Completions:
    """Return the completions in a comment that is no sample."""
    source = snapshot.source(path)
    before = source.text[comment.start : offset]
    rules = _RULES.search(before)
    directive = _DIRECTIVE.search(before)
    mark = _MARK.search(before)
    word = ""
    items: list[Completion] = []
    if rules is not None:
        word = re.split(r"[\s,]", rules["named"])[-1]
        named = {*re.split(r"[\s,]+", rules["named"][: len(rules["named"]) - len(word)])}
        items = [*_rules(snapshot, source, path, offset, named)]
    elif directive is not None:
        word = directive["word"]
        items = [*_directives(snippets)]
    elif mark is not None:
        word = mark["word"]
        items = [Completion("snd: ignore[…]", CompletionKind.KEYWORD, 0, *_ignore("snd: ignore", snippets))]
    items = [item for item in items if matches(word, item.label)]
    items.sort(key=lambda item: (item.group, closeness(word, item.label)))
    after = _NAME.match(source.text, offset, comment.end)
    insert = Span(offset - len(word), offset)
    return Completions(insert, Span(insert.start, after.end() if after else offset), tuple(items))


def _rules(snapshot: Snapshot, source: Source, path: str, offset: int, named: set[str]) -> Iterator[Completion]:
    """Yield all rules; first the rules that the line, or the one below, breaks."""
    line = source.position(offset).line
    alone = source.line_text(line).lstrip().startswith("#")
    covered = range(line, line + (6 if alone else 1))
    broken = {
        found.rule.name
        for found in snapshot.diagnostics(path)
        if source.position(found.location.span.start).line in covered
    }
    for name, rule in catalogue.rules().items():
        if name not in named:
            group = 0 if name in broken else 1
            detail = catalogue.page(rule).summary
            yield Completion(name, CompletionKind.RULE, group, detail=detail, subject=("rule", name))


def _directives(snippets: bool) -> Iterator[Completion]:
    for word in ("ignore", "ignore-file"):
        yield Completion(word, CompletionKind.KEYWORD, 0, *_ignore(word, snippets))


def _ignore(word: str, snippets: bool) -> tuple[str, bool]:
    return (f"{word}[$1] $0", True) if snippets else (f"{word}[", False)


def sample_code(source: Source, comment: Span, offset: int) -> str | None:
    """Return the code of a sample before a cursor in a comment, without its marks; None if the cursor is in none."""
    lines: list[str] = []
    text = source.text
    line, at = source.position(comment.start).line, comment.start
    end = offset
    while True:
        begins = MARKER.match(text, at, end)
        continues = CONTINUATION.match(text, at, end)
        found = begins or continues
        if found is None or found.end() > end:
            return None
        lines.append(text[found.end() : end])
        if begins is not None:
            return "\n".join(reversed(lines))
        line -= 1
        if line < 1:
            return None
        above = source.line_text(line)
        at = source.line_starts[line - 1] + len(above) - len(above.lstrip())
        end = source.line_starts[line - 1] + len(above)
