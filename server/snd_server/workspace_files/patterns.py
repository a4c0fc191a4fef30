"""Patterns as in a ``.gitignore``, matched as git does, in time linear in pattern and path.

Regular expressions for whole paths, as libraries make them of such patterns, try every way to spread a path over the
asterisks of a pattern, which takes for ever with thirty of them. Here the shortest text between two asterisks is final:
if a match exists, one exists that begins so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from snd_server.limits import LONGEST_PATTERN, MOST_PATTERNS

_Segment: TypeAlias = Callable[[str], object] | None
"""Predicate on a name; None matches any number of names (``**``)."""

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e", "punct": r"\x21-\x2f:-@\x5b-\x60\x7b-\x7e",
    "space": r"\s", "upper": "A-Z", "xdigit": "a-fA-F0-9",
}  # fmt: skip


class PatternError(Exception):
    """Patterns that snd does not try to match."""


class _InvalidPattern(Exception):  # noqa: N818 - git matches nothing with it, and says nothing
    pass


class _Pattern(Struct, frozen=True):
    includes: bool
    """True if matching names are ignored; False after an exclamation mark."""
    folders_only: bool
    head: tuple[_Segment, ...]
    """Up to the last ``**``, which is its end; empty if there is none."""
    tail: tuple[Callable[[str], object], ...]
    """Predicates on the last names: mostly they decide, without a look at the folders."""

    def matches(self, names: Sequence[str], is_folder: bool) -> bool:
        """Return whether a path, given by its names, matches; not whether a folder above it does."""
        if self.folders_only and not is_folder:
            return False
        head, end = self.head, len(names) - len(self.tail)
        if end < 0 or not all(segment(name) for segment, name in zip(self.tail, names[end:], strict=True)):
            return False
        at = index = 0
        retry: tuple[int, int] | None = None
        while at < end:
            if index == len(head):
                return bool(head)
            segment = head[index]
            if segment is None:
                index += 1
                retry = (at, index)
            elif segment(names[at]):
                at += 1
                index += 1
            elif retry is not None:
                at, index = retry = (retry[0] + 1, retry[1])
            else:
                return False
        return all(segment is None for segment in head[index:])


class Patterns(Struct, frozen=True):
    """The patterns of one file, in order: the last one that matches decides."""

    patterns: tuple[_Pattern, ...]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Return whether a path, relative and with ``/`` between its names, is ignored; None if no pattern matches."""
        names = path.split("/")
        return next((each.includes for each in reversed(self.patterns) if each.matches(names, is_folder)), None)

    def covers(self, path: str, is_folder: bool) -> bool:
        """Return whether a path or a folder above it is ignored."""
        names = path.split("/")
        above = ("/".join(names[:count]) for count in range(1, len(names)))
        return any(self.verdict(folder, True) for folder in above) or bool(self.verdict(path, is_folder))


def parse_patterns(lines: Iterable[str]) -> Patterns:
    """Return the patterns in the lines of an ignore file; invalid ones are skipped, as in git.

    Raise PatternError if there are too many, or if one is too long.
    """
    written = [line for line in lines if line.strip() and not line.startswith("#")]
    demand_few(written)
    return Patterns(tuple(_parsed(written)))


def demand_few(patterns: Sequence[str]) -> None:
    """Raise PatternError for more patterns, or longer ones, than snd matches files with."""
    if len(patterns) > MOST_PATTERNS:
        raise PatternError(f"there are {len(patterns):,} patterns, and snd reads up to {MOST_PATTERNS:,}")
    longest = max(map(len, patterns), default=0)
    if longest > LONGEST_PATTERN:
        raise PatternError(f"a pattern has {longest:,} characters, and snd reads those of up to {LONGEST_PATTERN:,}")


def _parsed(lines: Iterable[str]) -> Iterator[_Pattern]:
    for line in lines:
        text = re.sub(r"(?<! )(?<!\\) +\Z", "", line)
        negated = text.startswith("!")
        text = text.removeprefix("!")
        folders_only = text.endswith("/")
        text = text.removesuffix("/")
        if not text:
            continue
        try:
            segments = list(_segments(text))
        except _InvalidPattern:
            continue
        tail = []
        while segments and (segment := segments[-1]) is not None:
            tail.append(segment)
            segments.pop()
        yield _Pattern(not negated, folders_only, tuple(segments), tuple(reversed(tail)))


def _segments(text: str) -> Iterator[_Segment]:
    if "/" not in text:
        yield None
    globs = list(_globs(text.removeprefix("/")))
    for index, glob in enumerate(globs):
        if glob.strip("*") or len(glob) < 2:
            yield _matcher(glob)
        elif index < len(globs) - 1:
            yield None
        else:  # all that lies below, not the folder itself
            yield None
            yield _anything


def _globs(text: str) -> Iterator[str]:
    """Yield the parts between the slashes of a pattern; a slash inside brackets separates nothing."""
    begin = at = 0
    while at < len(text):
        match text[at]:
            case "/":
                yield text[begin:at]
                begin = at = at + 1
            case "[":
                _, at = _bracket(text, at + 1)
            case "\\":
                at += 2
            case _:
                at += 1
    yield text[begin:]


def _matcher(glob: str) -> Callable[[str], object]:
    """Return a predicate that tells whether a name matches a glob without slashes."""
    if not any(character in glob for character in "*?[\\"):
        return glob.__eq__
    first, *others = _between_asterisks(glob)
    regex = first
    if others:
        *middle, last = others
        regex += "".join(f"(?>.*?{each})" for each in middle if each) + f".*{last}"
    return re.compile(regex, re.DOTALL).fullmatch


def _between_asterisks(glob: str) -> Iterator[str]:
    """Yield regular expressions of fixed length for the parts between the asterisks of a glob."""
    part = ""
    at = 0
    while at < len(glob):
        character = glob[at]
        at += 1
        match character:
            case "*":
                yield part
                part = ""
            case "?":
                part += "."
            case "[":
                bracket, at = _bracket(glob, at)
                part += bracket
            case "\\":
                part += re.escape(_at(glob, at))
                at += 1
            case _:
                part += re.escape(character)
    yield part


def _bracket(glob: str, at: int) -> tuple[str, int]:
    """Return a regular expression for a bracket expression, and the offset of its end."""
    negated = _at(glob, at) in "!^"
    begin = at = at + negated
    items: list[str] = []
    while _at(glob, at) != "]" or at == begin:
        if glob.startswith("[:", at):
            end = glob.find("]", at + 2)
            if end > at + 2 and glob[end - 1] == ":":
                items.append(_character_class(glob[at + 2 : end - 1]))
                at = end + 1
                continue
        low, at = _member(glob, at)
        high = low
        if _at(glob, at) == "-" and _at(glob, at + 1) != "]":
            high, at = _member(glob, at + 1)
        items.append(f"{re.escape(low)}-{re.escape(max(low, high))}")
    return f"[{'^' if negated else ''}{''.join(items)}]", at + 1


def _character_class(name: str) -> str:
    if name not in _CLASSES:
        raise _InvalidPattern
    return _CLASSES[name]


def _member(glob: str, at: int) -> tuple[str, int]:
    character = _at(glob, at)
    return (_at(glob, at + 1), at + 2) if character == "\\" else (character, at + 1)


def _at(glob: str, at: int) -> str:
    if at >= len(glob):
        raise _InvalidPattern
    return glob[at]


def _anything(name: str) -> bool:
    return True
