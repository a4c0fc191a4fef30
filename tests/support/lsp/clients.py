"""Clients to test with: the capability profiles of real editors, specification warnings as errors."""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.io_ import run_async
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features

from support.lsp import watched_server
from support.lsp.in_process import ServerThread
from support.lsp.together import TogetherWriter


class Editor(LanguageClient):
    """A client that records the order and the versions of the diagnostics it receives.

    All clients share a converter: each new one compiles functions for every type of the protocol that it meets.
    """

    published: list[types.PublishDiagnosticsParams]
    partial: list[types.ProgressParams]
    registered: list[types.Registration]
    refreshed: list[str]
    applied: list[types.ApplyWorkspaceEditParams]

    def of(self, uri: str) -> list[types.PublishDiagnosticsParams]:
        """Return the published diagnostics of a document."""
        return [each for each in self.published if each.uri == uri]

    async def start_in_process(self) -> None:
        """Start a server in this process, and talk to it."""
        ours, theirs = socket.socketpair()
        self._server = ServerThread(theirs)  # type: ignore[assignment]
        reader, writer = await asyncio.open_connection(sock=ours)
        self.protocol.set_writer(TogetherWriter(writer))

        async def converse() -> None:
            with suppress(ConnectionError):  # the server has gone, and left unread what came after 'exit'
                logger = logging.getLogger(__name__)
                await run_async(self._stop_event, reader, self.protocol, logger, self.report_server_error)

        self._async_tasks += [asyncio.create_task(converse()), asyncio.create_task(self._server_exit())]


_CONVERTER = cache(default_converter)

REFRESHES = (
    types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
    types.WORKSPACE_INLAY_HINT_REFRESH,
    types.WORKSPACE_CODE_LENS_REFRESH,
)


def make_editor() -> Editor:
    """Return a client with the features of pytest-lsp's own, and the missing ones."""
    client = Editor(converter_factory=_CONVERTER)
    register_lsp_features(client)
    client.published, client.partial, client.registered = [], [], []
    client.refreshed, client.applied = [], []
    features = client.protocol.fm.features

    def publish(params: types.PublishDiagnosticsParams) -> None:
        client.published.append(params)
        client.diagnostics[params.uri] = params.diagnostics

    def progress(params: types.ProgressParams) -> None:
        client.partial.append(params)

    def register(params: types.RegistrationParams) -> None:
        client.registered.extend(params.registrations)

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        client.applied.append(params)
        return types.ApplyWorkspaceEditResult(True)

    for method in REFRESHES:
        features[method] = lambda params, method=method: client.refreshed.append(method)
    features[types.WORKSPACE_APPLY_EDIT] = apply
    features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = publish
    features[types.PROGRESS] = progress
    features[types.CLIENT_REGISTER_CAPABILITY] = register
    return client


class _InProcess(ClientServerConfig):
    async def start(self, devtools: str | None = None) -> Editor:
        client = self.client_factory()
        assert isinstance(client, Editor)
        await client.start_in_process()
        return client


SERVER = _InProcess(server_command=[], client_factory=make_editor)
"""A server of its own for each test, in the process of the tests."""

ALL_EDITORS = ("visual-studio-code", "neovim@v0.10", "emacs")
"""Clients with different abilities, on which the answers of some requests depend."""


def _first(*editors: str) -> tuple[Any, ...]:
    """Return parameters of a fixture: the first editor, and in an exhaustive run the others."""
    return (editors[0], *(pytest.param(each, marks=pytest.mark.exhaustive) for each in editors[1:]))


EDITORS = _first(*ALL_EDITORS)
PULLING = _first("visual-studio-code", "neovim@v0.10")
PUSHING = _first("neovim@v0.9", "emacs")


def capabilities(editor: str) -> types.ClientCapabilities:
    """Return the capabilities of an editor.

    The profile of Visual Studio Code is from a time before diagnostics were pulled, and hints shown.
    """
    known = deepcopy(_recorded_capabilities(editor))
    if editor == "visual-studio-code":
        assert known.text_document
        assert known.workspace
        known.text_document.diagnostic = types.DiagnosticClientCapabilities(
            related_document_support=True,
            related_information=True,
            code_description_support=True,
            tag_support=types.ClientDiagnosticsTagOptions([types.DiagnosticTag.Unnecessary]),
        )
        known.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
        known.text_document.inlay_hint = types.InlayHintClientCapabilities(dynamic_registration=True)
        known.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    return known


_recorded_capabilities = cache(client_capabilities)


async def begin(
    client: LanguageClient,
    editor: str,
    folder: Path | None = None,
    *,
    encoding: str | None = None,
    options: Any = None,
    folders: tuple[Path, ...] = (),
) -> types.InitializeResult:
    """Initialize a session as an editor would, in some workspace folders or none."""
    around = [*folders] if folder is None else [folder, *folders]
    offered = capabilities(editor)
    if encoding is not None:
        offered.general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)])
    return await client.initialize_session(
        types.InitializeParams(
            capabilities=offered,
            workspace_folders=[types.WorkspaceFolder(each.as_uri(), each.name) for each in around],
            initialization_options=options,
        )
    )


def open_text(client: LanguageClient, uri: str, text: str, version: int = 1) -> types.TextDocumentIdentifier:
    """Open a document."""
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "skriptnd", version, text))
    )
    return types.TextDocumentIdentifier(uri)


def change_text(client: LanguageClient, uri: str, text: str, version: int) -> None:
    """Replace the text of a document."""
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, uri), [types.TextDocumentContentChangeWholeDocument(text)]
        )
    )


async def codes(client: LanguageClient, uri: str) -> list[Any]:
    """Return the rules that a document breaks, as pulled."""
    report = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    )
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport), report
    return [each.code for each in report.items]


async def rest(client: LanguageClient) -> None:
    """Wait until the server has nothing more to do, nor to say, until it is sent something else."""
    await client.protocol.send_request_async(watched_server.REST, None)


def position(text: str, snippet: str, behind: str = "") -> types.Position:
    """Return the position of a snippet behind another, in a text without characters that take several units."""
    offset = text.index(snippet, text.index(behind))
    line = text.count("\n", 0, offset)
    return types.Position(line, offset - (text.rfind("\n", 0, offset) + 1))
