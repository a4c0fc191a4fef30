"""What the server tells the client that it can do: what has a handler, with the options that were given to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from snd_server.lsp import types

_INCREMENTAL = 2
"""Edits are sent, not whole texts."""

_PROVIDERS = {
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: "callHierarchyProvider",
    types.TEXT_DOCUMENT_CODE_ACTION: "codeActionProvider",
    types.TEXT_DOCUMENT_CODE_LENS: "codeLensProvider",
    types.TEXT_DOCUMENT_COMPLETION: "completionProvider",
    types.TEXT_DOCUMENT_DECLARATION: "declarationProvider",
    types.TEXT_DOCUMENT_DEFINITION: "definitionProvider",
    types.TEXT_DOCUMENT_DIAGNOSTIC: "diagnosticProvider",
    types.TEXT_DOCUMENT_FORMATTING: "documentFormattingProvider",
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: "documentHighlightProvider",
    types.TEXT_DOCUMENT_DOCUMENT_LINK: "documentLinkProvider",
    types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: "documentOnTypeFormattingProvider",
    types.TEXT_DOCUMENT_RANGE_FORMATTING: "documentRangeFormattingProvider",
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: "documentSymbolProvider",
    types.TEXT_DOCUMENT_FOLDING_RANGE: "foldingRangeProvider",
    types.TEXT_DOCUMENT_HOVER: "hoverProvider",
    types.TEXT_DOCUMENT_IMPLEMENTATION: "implementationProvider",
    types.TEXT_DOCUMENT_INLAY_HINT: "inlayHintProvider",
    types.TEXT_DOCUMENT_REFERENCES: "referencesProvider",
    types.TEXT_DOCUMENT_RENAME: "renameProvider",
    types.TEXT_DOCUMENT_SELECTION_RANGE: "selectionRangeProvider",
    types.TEXT_DOCUMENT_SIGNATURE_HELP: "signatureHelpProvider",
    types.TEXT_DOCUMENT_TYPE_DEFINITION: "typeDefinitionProvider",
    types.WORKSPACE_SYMBOL: "workspaceSymbolProvider",
}


def chosen_encoding(client: types.ClientCapabilities) -> types.PositionEncodingKind:
    """Return the first encoding of positions that client and server have in common."""
    known = {each.value: each for each in types.PositionEncodingKind}
    offered = (client.general and client.general.position_encodings) or ()
    return next((known[each] for each in offered if each in known), types.PositionEncodingKind.Utf16)


def server_capabilities(
    client: types.ClientCapabilities, options: Mapping[str, Any], commands: Iterable[str]
) -> dict[str, Any]:
    """Return the capabilities of a server with these handlers: ``options`` has those of each method, or None."""
    rename = client.text_document and client.text_document.rename
    if not (rename and rename.prepare_support):
        options = {**options, types.TEXT_DOCUMENT_RENAME: None}
    operations = client.workspace.file_operations if client.workspace else None
    tells_renames = bool(operations and operations.will_rename)
    providers = {
        provider: True if options[method] is None else options[method]
        for method, provider in _PROVIDERS.items()
        if method in options
    }
    return {
        "positionEncoding": chosen_encoding(client),
        "textDocumentSync": {
            "openClose": True,
            "change": _INCREMENTAL,
            "save": options[types.TEXT_DOCUMENT_DID_SAVE],
        },
        "executeCommandProvider": {"commands": [*commands]},
        "semanticTokensProvider": {
            "legend": options[types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL],
            "full": {"delta": True},
            "range": True,
        },
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "fileOperations": {"willRename": options[types.WORKSPACE_WILL_RENAME_FILES]} if tells_renames else {},
        },
        **providers,
    }
