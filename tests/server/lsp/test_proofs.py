"""Verdicts in an editor: found in pauses, shown for the exact state of an operator, with fixes of refutations."""

from __future__ import annotations

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_server.lsp.session.client_settings import parse_client_settings
from snd_server.lsp.session.switches import choice
from support.lsp.clients import SERVER, begin, change_text, codes, open_text, position, rest

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

URI = "untitled:proofs"
TEXT = """# Adds a row to each row.
operator add_to_rows {
    @input { x: real[m,n]; bias: real[k]; }
    @output { y: real[m,n]; }
    @lower { y[i,j] = x[i,j] + bias[j,], i < m, j < n; }
}

operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] + x[i,], i < n; }
}
"""


@pytest_lsp.fixture(
    config=SERVER, params=("visual-studio-code", pytest.param("neovim@v0.9", marks=pytest.mark.exhaustive))
)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    await begin(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


async def hovered(client: LanguageClient, text: str, snippet: str, behind: str = "") -> str:
    at = position(text, snippet, behind)
    found = await client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(URI), at))
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def save(client: LanguageClient) -> None:
    client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(URI)))
    await rest(client)


async def wrong(client: LanguageClient) -> list[object]:
    if client.capabilities and client.capabilities.text_document and client.capabilities.text_document.diagnostic:
        return await codes(client, URI)
    return [each.code for each in client.diagnostics.get(URI, ())]


async def actions(client: LanguageClient, text: str, snippet: str, behind: str = "") -> list[types.CodeAction]:
    at = position(text, snippet, behind)
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(URI), types.Range(at, at), types.CodeActionContext([], ["quickfix"])
    )
    found = await client.text_document_code_action_async(params)
    return [each for each in found or () if isinstance(each, types.CodeAction)]


def applied(text: str, action: types.CodeAction) -> str:
    assert action.edit
    changes = (action.edit.document_changes or [None])[0]
    edits = changes.edits if isinstance(changes, types.TextDocumentEdit) else (action.edit.changes or {})[URI]
    (edit,) = edits
    assert isinstance(edit, types.TextEdit)
    lines = text.splitlines(keepends=True)
    assert edit.range.start == edit.range.end
    at = sum(map(len, lines[: edit.range.start.line])) + edit.range.start.character
    return text[:at] + edit.new_text + text[at:]


async def test_what_is_saved_is_proved_and_refuted(client: LanguageClient):
    open_text(client, URI, TEXT)
    await rest(client)
    assert await wrong(client) == []
    assert "all sizes" not in await hovered(client, TEXT, "add_to_rows")

    await save(client)
    assert await wrong(client) == ["not-for-all-sizes"]
    assert "conditions for all sizes: 4 proved" in await hovered(client, TEXT, "double")
    whole = await hovered(client, TEXT, "add_to_rows")
    assert "1 refuted" in whole
    assert "`# >>> add_to_rows(random[1,1], random[0])`" in whole
    assert "refuted" in await hovered(client, TEXT, "bias[j")
    assert "proved" in await hovered(client, TEXT, "x[i,j]")

    # An edit outdates what it concerns, and nothing else.
    edited = TEXT.replace("x[i,] + x[i,]", "x[i,] + x[i + 1,]")
    change_text(client, URI, edited, 2)
    await rest(client)
    assert await wrong(client) == ["not-for-all-sizes", "access-out-of-range"]
    assert "1 refuted" in await hovered(client, edited, "add_to_rows")
    assert "all sizes" not in await hovered(client, edited, "double")


async def test_a_refutation_is_mended_by_an_assertion_or_kept_as_a_sample(client: LanguageClient):
    open_text(client, URI, TEXT)
    await save(client)
    found = {each.title: each for each in await actions(client, TEXT, "bias[j")}
    mended = applied(TEXT, found["assert 'n <= k'"])
    assert "@assert {\n        n <= k;\n    }" in mended
    kept = applied(TEXT, found["keep the counterexample as a sample"])
    assert kept.startswith("# Adds a row to each row.\n# >>> add_to_rows(random[1,1], random[0])\noperator add_to_rows")

    change_text(client, URI, kept, 2)
    await save(client)
    assert "keep the counterexample as a sample" not in {each.title for each in await actions(client, kept, "bias[j")}
    change_text(client, URI, mended, 3)
    await save(client)
    assert await wrong(client) == []
    assert "refuted" not in await hovered(client, mended, "add_to_rows")


async def test_the_setting_says_when(client: LanguageClient):
    settings = {"snd": {"proofs": "off"}}
    client.set_configuration(settings)
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    open_text(client, URI, TEXT)
    await save(client)
    assert await wrong(client) == []
    settings = {"snd": {"proofs": "onType"}}
    client.set_configuration(settings)
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    await rest(client)
    assert await wrong(client) == ["not-for-all-sizes"]


def test_a_wrong_setting_is_told_and_counts_as_not_made():
    settings = parse_client_settings({"proofs": "always"})
    assert settings.mistakes == ("the settings 'snd' of the editor: 'proofs' must be 'off' or 'onSave' or 'onType'",)
    assert choice(settings.switches, "proofs", "onSave") == "onSave"
    assert choice(parse_client_settings({"proofs": False}).switches, "proofs", "onSave") == "off"
    assert parse_client_settings({"prof": "off"}).mistakes == (
        "the settings 'snd' of the editor: unknown key 'prof'; did you mean 'proofs'?",
    )
