"""Every request that the server says it answers, asked by each editor: answered, and with what the editor can take.

What an editor can't take is a warning of the specification, which is an error here (see ``conftest``).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from support.lsp.clients import ALL_EDITORS, SERVER, Editor, begin, open_text
from support.lsp.protocol_texts import BLOCKS, MAIN

_WORD = re.compile(r"@?\w+|[({,]")
_PROGRAM = MAIN.replace("import blocks;", "# 𝄞 é\nimport blocks;\n\n# >>> blocks.double([1.0])").replace(
    "b = blocks.double(a);", "t = blocks.double(a);\n        b = blocks.double(t);"
)
Ask = Callable[[Editor, types.TextDocumentIdentifier, types.Position], Awaitable[Any]]

AT_POSITION: dict[str, Ask] = {
    "hover_provider": lambda client, document, at: client.text_document_hover_async(types.HoverParams(document, at)),
    "signature_help_provider": lambda client, document, at: client.text_document_signature_help_async(
        types.SignatureHelpParams(document, at)
    ),
    "definition_provider": lambda client, document, at: client.text_document_definition_async(
        types.DefinitionParams(document, at)
    ),
    "declaration_provider": lambda client, document, at: client.text_document_declaration_async(
        types.DeclarationParams(document, at)
    ),
    "type_definition_provider": lambda client, document, at: client.text_document_type_definition_async(
        types.TypeDefinitionParams(document, at)
    ),
    "implementation_provider": lambda client, document, at: client.text_document_implementation_async(
        types.ImplementationParams(document, at)
    ),
    "references_provider": lambda client, document, at: client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), document, at)
    ),
    "document_highlight_provider": lambda client, document, at: client.text_document_document_highlight_async(
        types.DocumentHighlightParams(document, at)
    ),
    "selection_range_provider": lambda client, document, at: client.text_document_selection_range_async(
        types.SelectionRangeParams(document, [at])
    ),
}


@pytest.fixture
def files() -> dict[str, str]:
    return {"blocks.sknd": BLOCKS, "main.sknd": _PROGRAM}


@pytest_lsp.fixture(config=SERVER, params=ALL_EDITORS)
async def client(lsp_client: Editor, request: pytest.FixtureRequest, folder: Path):
    result = await begin(lsp_client, request.param, folder)
    lsp_client.server_capabilities = result.capabilities
    lsp_client.document = open_text(lsp_client, (folder / "main.sknd").as_uri(), _PROGRAM)
    yield
    await lsp_client.shutdown_session()


def _places() -> list[types.Position]:
    """Behind the first letter of words, on lines without characters that take several units."""
    found = []
    for number, line in enumerate(_PROGRAM.splitlines()):
        if line.isascii():
            found += [types.Position(number, match.start() + 1) for match in _WORD.finditer(line)]
    return found


def _whole() -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(_PROGRAM.count("\n"), 0))


async def test_questions_about_places(client: Any):
    for provider, ask in AT_POSITION.items():
        assert getattr(client.server_capabilities, provider), provider
        answers = [await ask(client, client.document, at) for at in _places()]
        assert any(answers), f"{provider}: nothing anywhere"


async def test_completion_and_what_is_told_of_its_items(client: Any):
    options = client.server_capabilities.completion_provider
    assert options.resolve_provider
    for at in _places()[::2]:
        found = await client.text_document_completion_async(types.CompletionParams(client.document, at))
        items = found if isinstance(found, list) else found.items
        for item in [*items][:3]:
            await client.completion_item_resolve_async(item)


async def test_renaming_is_done_or_refused_with_a_reason(client: Any):
    assert client.server_capabilities.rename_provider
    done = 0
    for at in _places():
        try:
            await client.text_document_prepare_rename_async(types.PrepareRenameParams(client.document, at))
            done += (
                await client.text_document_rename_async(types.RenameParams(client.document, at, "other")) is not None
            )
        except JsonRpcException as refused:
            if refused.code != types.LSPErrorCodes.RequestFailed:
                raise
    assert done > 5


async def test_call_hierarchies(client: Any):
    assert client.server_capabilities.call_hierarchy_provider
    around = 0
    for at in _places():
        items = await client.text_document_prepare_call_hierarchy_async(
            types.CallHierarchyPrepareParams(client.document, at)
        )
        for item in items or ():
            around += len(
                await client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(item)) or ()
            )
            around += len(
                await client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(item)) or ()
            )
    assert around


async def test_questions_about_documents(client: Any):
    document, able = client.document, client.server_capabilities
    options = types.FormattingOptions(4, True)
    assert await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert await client.text_document_document_link_async(types.DocumentLinkParams(document))
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert tokens.data
    delta = await client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(document, tokens.result_id)
    )
    assert not delta.edits
    assert await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(document, _whole()))
    assert await client.text_document_inlay_hint_async(types.InlayHintParams(document, _whole()))
    for lens in await client.text_document_code_lens_async(types.CodeLensParams(document)):
        if lens.command is None:
            assert (await client.code_lens_resolve_async(lens)).command
    await client.text_document_formatting_async(types.DocumentFormattingParams(document, options))
    await client.text_document_range_formatting_async(types.DocumentRangeFormattingParams(document, _whole(), options))
    await client.text_document_on_type_formatting_async(
        types.DocumentOnTypeFormattingParams(document, _whole().end, "}", options)
    )
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    assert not report.items
    assert await client.workspace_symbol_async(types.WorkspaceSymbolParams("double"))
    assert (await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))).items
    moving = client.capabilities.workspace.file_operations
    assert bool(able.workspace.file_operations.will_rename) == bool(moving and moving.will_rename)
    uri = document.uri.replace("main", "blocks")
    moves = types.RenameFilesParams([types.FileRename(uri, uri.replace("blocks", "parts"))])
    assert await client.workspace_will_rename_files_async(moves)


async def test_actions_for_every_word(client: Any):
    assert client.server_capabilities.code_action_provider
    titles = set()
    for at in _places()[::3]:
        context = types.CodeActionContext([])
        found = await client.text_document_code_action_async(
            types.CodeActionParams(client.document, types.Range(at, at), context)
        )
        titles |= {each.title for each in found or ()}
    assert titles


async def test_nothing_is_advertised_that_is_not_asked_here(client: Any):
    asked = {
        *AT_POSITION, "completion_provider", "rename_provider", "call_hierarchy_provider", "document_symbol_provider",
        "folding_range_provider", "document_link_provider", "semantic_tokens_provider", "inlay_hint_provider",
        "code_lens_provider", "document_formatting_provider", "document_range_formatting_provider",
        "document_on_type_formatting_provider", "diagnostic_provider", "workspace_symbol_provider",
        "code_action_provider",
    }  # fmt: skip
    elsewhere = {"execute_command_provider"}  # commands have tests of their own
    advertised = {
        field.name
        for field in attrs.fields(types.ServerCapabilities)
        if field.name.endswith("_provider") and getattr(client.server_capabilities, field.name)
    }
    assert advertised - asked - elsewhere == set()
