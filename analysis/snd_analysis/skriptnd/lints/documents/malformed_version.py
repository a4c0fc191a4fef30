"""The version of a document is not two integers with a point between them (2.16)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from snd_analysis.base import Problem, Rule
from snd_analysis.skriptnd.lints.versions import versions
from snd_analysis.skriptnd.syntax import SyntaxTree

MALFORMED_VERSION = Rule("malformed-version", section="2.16")

_VERSION = re.compile(r"\d+\.\d+")


def check(tree: SyntaxTree) -> Iterator[Problem]:
    """Report the version of a document unless it is two integers. Later versions break another rule."""
    for span, version in islice(versions(tree), 1):
        if not _VERSION.fullmatch(version.number):
            message = f"'{version.number}' is no version: it consists of two integers, as in 'version 2.0;'"
            yield Problem(MALFORMED_VERSION, span, message)
