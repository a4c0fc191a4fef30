"""Output of a report: a stream or a file, with colours if a person reads it."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

from msgspec.structs import replace

from snd_server.checking.report import Report
from snd_server.checking.request import CheckRequest
from snd_server.console.colours import painter
from snd_server.console.terminal import harmless

_FORMATS_FOR_PEOPLE = frozenset({"full", "concise"})


def write_output(text: str, stream: TextIO, request: CheckRequest, is_document: bool = False) -> None:
    """Write a report, or a document whose characters must be exact, to ``--output-file`` or the stream.

    Raise OSError. Formats for programs are UTF-8 in any locale; characters that a stream cannot hold are escaped.
    """
    if request.output_file is not None and stream is sys.stdout:
        from snd_server.workspace_files.writing import write_file

        write_file(request.output_file, text.encode(errors="backslashreplace"))
        return
    if isinstance(stream, io.TextIOWrapper):
        for_people = request.format in _FORMATS_FOR_PEOPLE and not request.fix
        stream.reconfigure(encoding=None if for_people else "utf-8", errors="backslashreplace")
    is_for_people = request.format in _FORMATS_FOR_PEOPLE and not is_document
    stream.write(harmless(text) if is_for_people else text)
    stream.flush()


def decorated(report: Report, stream: TextIO, request: CheckRequest) -> Report:
    """Return the report with the colours and the width of the terminal, if it goes to one."""
    if request.format not in _FORMATS_FOR_PEOPLE or (request.output_file is not None and stream is sys.stdout):
        return report
    paint = painter(stream)
    if stream.isatty() or paint:
        with suppress(OSError, ValueError):
            report = replace(report, width=max(40, os.get_terminal_size(stream.fileno()).columns))
    return replace(report, paint=paint) if paint else report
