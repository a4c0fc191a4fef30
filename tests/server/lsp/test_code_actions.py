"""Code actions over the wire: what they are offered for, and that their edits mend it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import open_text, position

MAIN = """import nn, layout;
import math;

graph main {
    @input { a: real[1, 4]; }
    @output { c: real[1, 4]; }
    @compose {
        t = relu(a);
        c = math.add(t, linalg.matmul(a, a));
    }
}
"""


@pytest.fixture
def files() -> dict[str, str]:
    return {}


async def ask(
    client: LanguageClient, uri: str, text: str, snippet: str, only: Sequence[types.CodeActionKind | str] | None = None
) -> list[types.CodeAction]:
    document = open_text(client, uri, text)
    at = position(text, snippet)
    found = await client.text_document_code_action_async(
        types.CodeActionParams(document, types.Range(at, at), types.CodeActionContext([], only))
    )
    actions = [each for each in found or () if isinstance(each, types.CodeAction)]
    assert len(actions) == len(found or ())
    return actions


def edits(action: types.CodeAction, uri: str) -> Sequence[types.TextEdit]:
    assert action.edit
    if action.edit.changes is not None:
        return action.edit.changes[uri]
    assert action.edit.document_changes
    change = action.edit.document_changes[0]
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 1, "of the version that it was asked for"
    return [each for each in change.edits if isinstance(each, types.TextEdit)]


async def test_a_fix_says_what_it_resolves(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "main.sknd").as_uri()
    actions = await ask(client, uri, MAIN, "relu(a)")
    action = next(each for each in actions if each.title == "write 'nn.relu'")
    assert action.kind == types.CodeActionKind.QuickFix
    assert action.is_preferred
    assert action.diagnostics
    assert action.diagnostics[0].code == "unknown-operator"
    assert [each.new_text for each in edits(action, uri)] == ["nn.relu"]


async def test_suppressions(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "main.sknd").as_uri()
    actions = await ask(client, uri, MAIN, "relu(a)")
    action = next(each for each in actions if "suppress" in each.title)
    edit = edits(action, uri)[0]
    assert edit.new_text == "        # snd: ignore[unknown-operator] TODO: say why\n"
    assert edit.range.start == types.Position(7, 0)


async def test_actions_of_the_whole_file_are_for_who_asks_for_them(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "main.sknd").as_uri()
    text = MAIN.replace("relu(a)", "nn.relu(a)").replace("linalg.matmul(a, a)", "a")
    assert not any(str(each.kind).startswith("source") for each in await ask(client, uri, text, "relu"))
    (action,) = await ask(client, uri, text, "graph", [types.CodeActionKind.SourceOrganizeImports])
    (edit,) = edits(action, uri)
    assert edit.new_text == "import math;\nimport nn;"
    (all_,) = await ask(client, uri, text, "graph", ["source.fixAll"])
    assert all_.kind == "source.fixAll.snd"
