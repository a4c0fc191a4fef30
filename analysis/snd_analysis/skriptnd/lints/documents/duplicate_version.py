"""A document has two version statements (2.16)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Note, Problem, Rule
from snd_analysis.skriptnd.lints.versions import versions
from snd_analysis.skriptnd.syntax import SyntaxTree

DUPLICATE_VERSION = Rule("duplicate-version", section="2.16")


def check(tree: SyntaxTree) -> Iterator[Problem]:
    """Report every version statement but the first."""
    spans = [span for span, _ in versions(tree)]
    for span in spans[1:]:
        yield Problem(DUPLICATE_VERSION, span, "a document has one version", (Note(spans[0], "the first is here"),))
