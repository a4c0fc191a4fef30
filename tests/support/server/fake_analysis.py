"""An analysis of a language of a few words, so that the tests of the command line do not move with the real one.

``wrong`` is an error (safe fix: ``right``), ``odd`` a warning (unsafe fix: nothing), ``note`` a remark, ``maybe`` a
hint, ``begin … end`` an error that spans lines, ``((`` a syntax error, ``tangle`` an error whose fix breaks the syntax,
``echo`` an error that points to the same word in the imported files, ``crash`` a fault of the analysis itself.
``import NAME`` reads the file beside, or in a module path. ``#`` begins a comment.
"""

from __future__ import annotations

import posixpath
import re
from typing import ClassVar

from snd_analysis import rules
from snd_analysis.base import (
    Diagnostic,
    Fix,
    Location,
    ProjectSettings,
    Related,
    Rule,
    Severity,
    Source,
    Span,
    TextEdit,
)
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd import lints
from snd_analysis.workspace import ReadFiles, UnreadableText

_SEVERITIES = {
    "wrong": Severity.ERROR,
    "odd": Severity.WARNING,
    "note": Severity.INFO,
    "maybe": Severity.HINT,
    "block": Severity.ERROR,
    "tangle": Severity.ERROR,
    "echo": Severity.ERROR,
    "syntax-error": Severity.ERROR,
    "missing-module": Severity.ERROR,
    "invalid-encoding": Severity.ERROR,
    "unreadable-file": Severity.ERROR,
}
_WORD = re.compile(r"\b(wrong|odd|note|maybe|tangle|echo|crash)\b|(?s:\bbegin\b.*?\bend\b)|\(\(|import (?P<module>\w+)")
_COMMENT = re.compile(r"#[^\r\n]*")
_REPLACEMENTS = {"wrong": "right", "odd": "", "tangle": "((("}


_RULES = {name: Rule(name, "2.1", severity) for name, severity in _SEVERITIES.items()}


def fake_rules() -> dict[str, Rule]:
    shared = (
        rules.INTERNAL_ERROR,
        rules.SAMPLE_DIFFERS,
        rules.SAMPLE_FAILS,
        rules.SAMPLE_WITHOUT_RESULT,
        lints.UNUSED_SUPPRESSION,
        lints.UNKNOWN_RULE_IN_SUPPRESSION,
        lints.BLANKET_SUPPRESSION,
        lints.UNKNOWN_DIRECTIVE,
    )
    return _RULES | {rule.name: rule for rule in shared}


_real_page = catalogue.page


def fake_page(rule: Rule) -> catalogue.Page:
    if rule.name not in _RULES:
        return _real_page(rule)
    name = rule.name
    return catalogue.Page(f"The word {name}.", f"Because of {name}.", f"{name}\n", "fine\n")


class FakeWorkspace:
    analysed: ClassVar[list[str]] = []
    """Every file analysed since the test began."""

    def __init__(self, reader, settings: ProjectSettings, *, edited: bool = True) -> None:
        self._reader = reader
        self._module_paths = settings.module_paths
        self._open: dict[str, str] = {}

    def open(self, path: str, text: str) -> None:
        self._open[path] = text

    def snapshot(self) -> FakeWorkspace:
        return self

    def source(self, path: str) -> Source:
        try:
            return Source(path, self._text(path))
        except UnreadableText:
            return Source(path, "")

    def _text(self, path: str) -> str:
        return self._open[path] if path in self._open else self._reader.read(path)

    def comments(self, path: str) -> tuple[Span, ...]:
        return tuple(Span(*match.span()) for match in _COMMENT.finditer(self.source(path).text))

    def diagnostics(self, path: str) -> tuple[Diagnostic, ...]:
        FakeWorkspace.analysed.append(path)
        try:
            text = self._text(path)
        except UnreadableText as error:
            place = Location(path, Span(error.offset, error.offset))
            return (Diagnostic(error.rule, Severity.ERROR, error.message, place),)
        code = _COMMENT.sub(lambda match: " " * len(match[0]), text)
        return tuple(found for match in _WORD.finditer(code) for found in self._judged(match, path))

    def recorded(self, path: str) -> ReadFiles:
        reached = (path, *self.dependencies(path))
        names = {name for each in reached for name in re.findall(r"import (\w+)", self._text_or_nothing(each))}
        folders = {*map(posixpath.dirname, reached), *self._module_paths}
        places = {posixpath.join(folder, f"{name}.sknd") for name in names for folder in folders}
        return ReadFiles(frozenset(reached), {place: self._reader.exists(place) for place in places})

    def _text_or_nothing(self, path: str) -> str:
        try:
            return self._text(path)
        except UnreadableText:
            return ""

    def dependencies(self, path: str) -> tuple[str, ...]:
        found: list[str] = []
        pending = [path]
        while pending:
            for place in self._imports(pending.pop()):
                if place not in (path, *found):
                    found.append(place)
                    pending.append(place)
        return tuple(found)

    def _imports(self, path: str) -> list[str]:
        try:
            text = self.source(path).text
        except UnreadableText:
            return []
        return [place for name in re.findall(r"import (\w+)", text) if (place := self._resolved(name, path))]

    def _resolved(self, name: str, path: str) -> str | None:
        for folder in (posixpath.dirname(path), *self._module_paths):
            place = posixpath.join(folder, f"{name}.sknd")
            if self._reader.exists(place):
                return place
        return None

    def _judged(self, match: re.Match[str], path: str) -> list[Diagnostic]:
        word, place = match[0], Location(path, Span(*match.span()))
        if word == "crash":
            raise RuntimeError("the fake analysis\nfell over")
        if match["module"]:
            missing = self._resolved(match["module"], path) is None
            found = Diagnostic(
                _RULES["missing-module"], Severity.ERROR, f"There is no module `{match['module']}`", place
            )
            return [found] if missing else []
        rule = {"((": "syntax-error", "begin": "block"}.get(word.split()[0], word)
        related = self._echoes(path) if rule == "echo" else ()
        fix = None
        if rule in _REPLACEMENTS:
            replacement = _REPLACEMENTS[rule]
            title = f"Write `{replacement}`" if replacement else "Remove the word"
            fix = Fix(title, (TextEdit(place, replacement),), safe=rule != "odd")
        return [
            Diagnostic(_RULES[rule], _SEVERITIES[rule], f"The word `{word.split()[0]}` is {rule}", place, related, fix)
        ]

    def _echoes(self, path: str) -> tuple[Related, ...]:
        return tuple(
            Related(Location(other, Span(*match.span())), "it is also here")
            for other in self.dependencies(path)
            for match in re.finditer(r"\becho\b", self.source(other).text)
        )
