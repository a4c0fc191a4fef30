"""The samples of documents and which files have any, for views of them: ``snd/samples`` and ``snd/sampleFiles``.

docs/lsp.md describes these requests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.base import Source, Span
from snd_analysis.skriptnd.names import is_library
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Question, Urgency
from snd_server.lsp.session.position_request import ANYWHERE
from snd_server.lsp.values.shown_values import ShownSample
from snd_server.lsp.wire.parameters import document_path, place
from snd_server.lsp.wire.positions import Converter

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

SAMPLES, SAMPLE_FILES = "snd/samples", "snd/sampleFiles"
_PROMPT = ">>>"


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(SAMPLES, _samples)
    server.handle(SAMPLE_FILES, _sample_files)


async def _samples(server: SndServer, params: Any) -> dict[str, Any]:
    path, position = document_path(params), place(params, "position")

    def answer(snapshot: Snapshot, question: Question) -> dict[str, Any]:
        source, converter = snapshot.source(path), server.session.converter
        within = None
        if position is not None:
            offset = converter.offset(source, position)
            within = Span(offset, offset)
        found = question.each(server.evaluations.samples(snapshot, path, within))
        return {"version": 1, "samples": [_content(each, source, converter) for each in found]}

    return await server.session.ask(path, answer, urgency=Urgency.BACKGROUND)


async def _sample_files(server: SndServer, params: Any) -> dict[str, Any]:
    """Look for samples in all files of the workspace, and in open documents, even if they do not parse."""

    def answer(snapshot: Snapshot, question: Question) -> dict[str, Any]:
        paths = [each for each in question.each(server.session.files()) if _may_have_samples(snapshot, each)]
        return {"version": 1, "uris": [server.session.documents.uri(each) for each in paths]}

    return await server.session.ask(ANYWHERE, answer, urgency=Urgency.BACKGROUND)


def _may_have_samples(snapshot: Snapshot, path: str) -> bool:
    if is_library(path) or not snapshot.exists(path) or _PROMPT not in snapshot.source(path).text:
        return False
    return any(True for _ in snapshot.samples(path))


def _content(each: ShownSample, source: Source, converter: Converter) -> dict[str, Any]:
    sample = each.sample
    return {
        "sample": {"code": sample.name.code, "occurrence": sample.name.occurrence},
        "range": _plain(converter.range(source, sample.span)),
        "codeRange": _plain(converter.range(source, Span(sample.span.start, sample.code_end))),
        "target": None if sample.target is None else sample.target.name,
        "canRun": sample.can_run,
        "age": each.value.freshness.value,
    }


def _plain(range_: types.Range) -> dict[str, Any]:
    ends = {"start": range_.start, "end": range_.end}
    return {name: {"line": each.line, "character": each.character} for name, each in ends.items()}
