"""One run of ``snd fmt``: find, format, write or show."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from msgspec import Struct

from snd_analysis.base import Problem, counted
from snd_analysis.workspace import UnreadableText
from snd_server.checking.fixing import unified_diff
from snd_server.console.progress import tracked
from snd_server.console.terminal import say, show_document, visible_diff
from snd_server.settings.config import Configurations
from snd_server.workspace_files.archive_paths import split_member
from snd_server.workspace_files.discovery import NNEF1_SUFFIX, SUFFIX, discover
from snd_server.workspace_files.files import DiskReader
from snd_server.workspace_files.writing import ChangedMeanwhileError, replace_text

CLEAN, PROBLEMS, UNREADABLE = 0, 1, 2
_STANDARD_INPUT = "-"
_BEGINS_NNEF1 = re.compile(r"\ufeff?(?:\s|#[^\r\n]*)*version\b")


class FormatRequest(Struct, frozen=True):
    """The parsed command line. A ``width`` of None selects the configured one."""

    paths: tuple[str, ...]
    check: bool = False
    diff: bool = False
    width: int | None = None
    config: str | None = None
    quiet: bool = False
    stdin_filename: str | None = None


class _Count(Struct):
    changed: int = 0
    unchanged: int = 0
    broken: int = 0
    unreadable: int = 0
    refused: int = 0
    """Files that were changed by somebody else while they were formatted."""


def run_format(request: FormatRequest) -> int:
    """Follow the request; return the exit status.

    Raise ConfigError, MissingPathError and OSError (a file that cannot be written) for the caller to report.
    """
    configurations = Configurations(request.config)
    if request.paths == (_STANDARD_INPUT,):
        return _standard_input(request, configurations)
    files = discover(request.paths, configurations, (SUFFIX, NNEF1_SUFFIX))
    count = _Count()
    for path, before, after in _formatted(files, request, configurations, count):
        if before == after:
            count.unchanged += 1
            continue
        if request.diff:
            show_document(visible_diff(unified_diff(path, before, after), sys.stdout))
        elif request.check:
            say(f"Would reformat: {path}")
        elif not _written(path, before, after):
            count.refused += 1
            continue
        count.changed += 1
    if not request.quiet:
        say(_summary(count, request), err=request.diff)
    if count.unreadable or count.refused:
        return UNREADABLE
    return PROBLEMS if count.changed and (request.check or request.diff) else CLEAN


def _formatted(
    files: list[str], request: FormatRequest, configurations: Configurations, count: _Count
) -> Iterator[tuple[str, str, str]]:
    """Yield each file with its text before and after."""
    reader = DiskReader()
    for path in tracked(files, shown=not request.quiet):
        width = request.width or configurations.of_file(path).settings.line_width
        if split_member(path) is not None and not (request.check or request.diff):
            say(f"{path}: snd does not write into archives: unpack it first", err=True)
            count.unreadable += 1
            continue
        try:
            before = reader.read(path)
        except (UnreadableText, FileNotFoundError) as problem:
            say(f"{path}: {getattr(problem, 'message', 'there is no such file')}", err=True)
            count.unreadable += 1
            continue
        after, broken = _in_style(before, width, path.endswith(NNEF1_SUFFIX))
        if broken is not None:
            count.broken += 1
            line = before.count("\n", 0, broken.span.start) + 1
            say(f"{path}:{line}: {broken.message} (text that does not parse is left unchanged)", err=True)
        yield path, before, after


def _in_style(text: str, width: int, is_nnef1: bool) -> tuple[str, Problem | None]:
    """Return a text in the one style, and the first thing in it that can't be read."""
    if is_nnef1:
        from snd_analysis.nnef1 import format as nnef1_format
        from snd_analysis.nnef1 import syntax as nnef1_syntax

        read = nnef1_syntax.parse_file(text)
        return nnef1_format.format_text(text, width, read), next(iter(read.problems), None)
    from snd_analysis.skriptnd.format import format_text
    from snd_analysis.skriptnd.syntax import parse_file

    tree = parse_file(text)
    return format_text(text, width, tree), next(tree.problems, None)


def _written(path: str, before: str, after: str) -> bool:
    """Replace the text of a file, unless it is no longer ``before``. Raise OSError."""
    try:
        lost = replace_text(path, before, after)
    except ChangedMeanwhileError as problem:
        say(f"{path}: {problem.strerror}", err=True)
        return False
    for each in lost:
        say(f"warning: {path}: {each}", err=True)
    return True


def _standard_input(request: FormatRequest, configurations: Configurations) -> int:
    """Format standard input, by the configuration and in the language of the given file name.

    Without a name its beginning decides: files in NNEF 1.0 begin with ``version``.
    """
    reader = DiskReader()
    reader.provide(_STANDARD_INPUT, sys.stdin.buffer.read())
    name = request.stdin_filename
    try:
        before = reader.read(_STANDARD_INPUT)
    except UnreadableText as problem:
        say(f"standard input: {problem.message}", err=True)
        return UNREADABLE
    settings = (configurations.of_folder("") if name is None else configurations.of_file(name)).settings
    is_nnef1 = _BEGINS_NNEF1.match(before) is not None if name is None else name.endswith(NNEF1_SUFFIX)
    after, _ = _in_style(before, request.width or settings.line_width, is_nnef1)
    if request.diff:
        show_document(visible_diff(unified_diff(name or "stdin", before, after), sys.stdout))
    elif not request.check:
        show_document(after)
    return PROBLEMS if before != after and (request.check or request.diff) else CLEAN


def _summary(count: _Count, request: FormatRequest) -> str:
    verb = "would be " if request.check or request.diff else ""
    parts = []
    if count.changed:
        parts.append(f"{counted(count.changed, 'file')} {verb}reformatted")
    if count.unchanged or not parts:
        parts.append(
            f"{counted(count.unchanged, 'file')} {verb and 'already '}{'formatted' if verb else 'left unchanged'}"
        )
    if count.broken:
        parts.append(f"{counted(count.broken, 'file')} with broken syntax")
    if count.unreadable:
        parts.append(f"{counted(count.unreadable, 'file')} not readable")
    if count.refused:
        parts.append(f"{counted(count.refused, 'file')} changed meanwhile")
    return ", ".join(parts)
