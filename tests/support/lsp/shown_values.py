"""Values that a client sees: hints and lenses."""

from __future__ import annotations

from lsprotocol import types
from pytest_lsp import LanguageClient


async def hints(client: LanguageClient, text: str, uri: str) -> dict[str, str]:
    """Return the displayed values, by the lines behind which they stand."""
    whole = types.Range(types.Position(0, 0), types.Position(len(text), 0))
    found = await client.text_document_inlay_hint_async(types.InlayHintParams(types.TextDocumentIdentifier(uri), whole))
    lines, shown = text.split("\n"), {}
    for hint in found or ():
        assert hint.position.character == len(lines[hint.position.line]), "at the end of its line"
        assert not isinstance(hint.label, str)
        shown[lines[hint.position.line].strip()] = "".join(part.value for part in hint.label)
    return shown


async def lenses(client: LanguageClient, uri: str) -> list[types.CodeLens]:
    found = await client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    return [*(found or ())]
