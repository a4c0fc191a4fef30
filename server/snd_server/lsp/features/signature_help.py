"""Parameters of an invocation while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from snd_analysis.ide import ParameterHelp, SignatureHelp, front_end
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.position_request import at_position
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.wire.markup import markup, reads_markdown

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_TRIGGERS = ("(", "{", "<", ",", "=")
_RETRIGGERS = (")", "}", ">")


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    options = types.SignatureHelpOptions(list(_TRIGGERS), list(_RETRIGGERS))
    server.answer(types.TEXT_DOCUMENT_SIGNATURE_HELP, _signature_help, options)


async def _signature_help(
    session: ClientSession, params: types.TextDocumentPositionParams
) -> types.SignatureHelp | None:
    def answer(snapshot: Snapshot, path: str, offset: int) -> types.SignatureHelp | None:
        found = front_end(path).signature_help(snapshot, path, offset)
        return None if found is None else _converted(session, found)

    return await at_position(session, params, answer)


def _converted(session: ClientSession, found: SignatureHelp) -> types.SignatureHelp:
    document = session.capabilities.text_document
    known = document.signature_help.signature_information if document and document.signature_help else None
    markdown = reads_markdown(known.documentation_format if known else None)
    offsets = bool(known and known.parameter_information and known.parameter_information.label_offset_support)
    parameters = [_parameter(session, found, each, markdown, offsets) for each in found.parameters]
    documentation = markup(found.documentation, markdown) if found.documentation else None
    own = found.active if known and known.active_parameter_support else None
    signature = types.SignatureInformation(found.label, documentation, parameters, own)
    return types.SignatureHelp([signature], 0, found.active)


def _parameter(
    session: ClientSession, help_: SignatureHelp, parameter: ParameterHelp, markdown: bool, offsets: bool
) -> types.ParameterInformation:
    start, end = parameter.span.start, parameter.span.end
    label: str | tuple[int, int] = help_.label[start:end]
    if offsets:
        # In the units of the encoding, as everywhere.
        length = session.converter.length
        label = length(help_.label[:start]), length(help_.label[:end])
    documentation = markup(parameter.documentation, markdown) if parameter.documentation else None
    return types.ParameterInformation(label, documentation)
