"""Models in NNEF 1.0 over the wire: a graph in a folder with its tensor files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_runtime.files import write_tensor
from support.lsp.clients import change_text, codes, open_text, position, rest

GRAPH = """version 1.0;

graph net(x) -> (y)
{
    x = external(shape = [1, 3, 8, 8]);
    w = variable(shape = [4, 3, 3, 3], label = 'conv/filter');
    c = conv(x, w, stride = [2, 2]);
    y = relu(c);
}
"""


@pytest.fixture
def files() -> dict[str, str]:
    return {"graph.nnef": GRAPH}


@pytest.fixture
def model(folder: Path) -> Path:
    """The folder of the model, with its tensor file."""
    (folder / "conv").mkdir()
    weights = np.linspace(-1.0, 2.0, 108, dtype=np.float32).reshape(4, 3, 3, 3)
    weights[0, 0, 0, 0] = np.nan
    (folder / "conv" / "filter.dat").write_bytes(write_tensor(weights))
    return folder


async def shown(client: LanguageClient, document: types.TextDocumentIdentifier, snippet: str) -> str:
    found = await client.text_document_hover_async(types.HoverParams(document, position(GRAPH, snippet)))
    assert found
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def test_a_mistake_is_told_while_it_is_typed(client: LanguageClient, model: Path):
    uri = (model / "graph.nnef").as_uri()
    open_text(client, uri, GRAPH)
    assert await codes(client, uri) == []
    change_text(client, uri, GRAPH.replace("relu(c)", "relu(d)"), 2)
    assert await codes(client, uri) == ["undefined-name"]
    change_text(client, uri, GRAPH.replace("[4, 3, 3, 3]", "[4, 3, 3, 2]"), 3)
    assert "invalid-tensor-file" in await codes(client, uri)


async def test_a_tensor_file_that_changes_on_disk_is_looked_at_again(client: LanguageClient, model: Path):
    uri = (model / "graph.nnef").as_uri()
    open_text(client, uri, GRAPH)
    assert await codes(client, uri) == []
    file = model / "conv" / "filter.dat"
    file.write_bytes(write_tensor(np.zeros((4, 3, 3, 1), np.float32)))
    change = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    assert await codes(client, uri) == ["invalid-tensor-file"]


async def test_shapes_stand_behind_statements(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    whole = types.Range(types.Position(0, 0), types.Position(10, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    assert hints
    texts = {hint.position.line: "".join(part.value for part in hint.label) for hint in hints}
    assert texts[6].startswith("real[1,4,4,4]")
    assert texts[7].startswith("real[1,4,4,4]")


async def test_the_hover_of_a_variable_looks_into_its_file(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    for snippet in ("w = variable", "conv/filter"):
        text = await shown(client, document, snippet)
        assert "conv/filter.dat" in text
        assert "nan=1" in text
        assert "x∈[-0.972, 2]" in text
        assert "data:image/png" in text


async def test_the_hover_of_an_operation_tells_the_padding(client: LanguageClient, model: Path):
    document = open_text(client, (model / "graph.nnef").as_uri(), GRAPH)
    text = await shown(client, document, "conv(x")
    assert "real[1,4,4,4]" in text
    assert "padding: `[(0, 1), (0, 1)]`" in text
    assert "nn.conv" in text


async def test_values_of_the_graph_stand_behind_statements(client: LanguageClient, model: Path):
    uri = (model / "graph.nnef").as_uri()
    document = open_text(client, uri, GRAPH)
    await rest(client)
    whole = types.Range(types.Position(0, 0), types.Position(10, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    assert hints
    texts = {hint.position.line: "".join(part.value for part in hint.label) for hint in hints}
    assert "x∈" in texts[7], texts
    assert "x∈" in await shown(client, document, "c = conv")
