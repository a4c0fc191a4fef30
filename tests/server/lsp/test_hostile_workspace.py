"""A workspace whose ignore and configuration files are attacks: the server tells of them, and answers."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import SERVER, Editor, begin, codes, open_text
from support.lsp.protocol_texts import UNKNOWN_NAME
from support.waiting import until


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    for name in ("device", "pipe", "deep", "slow", "a" * 200):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.sknd").write_text(UNKNOWN_NAME)
    (tmp_path / ".gitignore").write_text("*a" * 30 + "b\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "device" / ".gitignore").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe" / ".gitignore")
    (tmp_path / "deep" / "snd.toml").write_text("a=" + "[" * 20_000)
    (tmp_path / "slow" / "snd.toml").write_text(f'exclude = ["{"*a" * 30}b"]\n')
    return tmp_path


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient, hostile: Path):
    await begin(lsp_client, "visual-studio-code", hostile)
    yield
    await lsp_client.shutdown_session()


async def test_every_request_is_answered(client: Editor, hostile: Path):
    for name in ("device", "pipe", "deep", "slow", "a" * 200):
        uri = (hostile / name / "a.sknd").as_uri()
        open_text(client, uri, UNKNOWN_NAME)
        assert await codes(client, uri) == ["undefined-name"]
    report = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert len(report.items) == 5

    def told() -> bool:
        messages = "\n".join(each.message for each in client.messages)
        return all(
            each in messages
            for each in ("device/.gitignore: it is neither", "pipe/.gitignore: it is neither", "nested too deeply")
        )

    await until(told)


NETWORK = (
    "version 1.0;\nextension KHR_enable_fragment_definitions;\nextension KHR_enable_operator_expressions;\n"
    "graph net(x) -> (y) { x = external<scalar>(shape = [1, 4]); "
    "w = variable<scalar>(shape = [1, 4], label = 'w'); y = SOME; }\n"
)


def _header(items: int, *extents: int) -> bytes:
    padded = (*extents, *[0] * 8)[:8]
    head = struct.pack("<2s2BII8I3I", b"\x4e\xef", 1, 0, items, len(extents), *padded, 32, 0, 0)
    return head.ljust(128, b"\0")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "w.dat")


def _device(folder: Path) -> None:
    (folder / "w.dat").symlink_to("/dev/zero")


def _lie(folder: Path) -> None:
    (folder / "w.dat").write_bytes(_header(0xFFFFFFFF, *[0xFFFFFFFF] * 8))


def _hole(folder: Path) -> None:
    (folder / "w.dat").write_bytes(_header(1 << 30, 1 << 14, 1 << 14))
    os.truncate(folder / "w.dat", 128 + (1 << 30))


def _quantization(folder: Path) -> None:
    os.mkfifo(folder / "graph.quant")


def _checkpoint(folder: Path) -> None:
    (folder / "w.safetensors").symlink_to("/dev/zero")


MODELS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "pipe": ("add(x, w)", _pipe),
    "device": ("add(x, w)", _device),
    "lie": ("add(x, w)", _lie),
    "hole": ("add(x, w)", _hole),
    "quantization": ("add(x, w)", _quantization),
    "checkpoint": ("add(x, w)", _checkpoint),
    "shape": (f"reshape(w, shape = [{', '.join(['4000000000'] * 60)}])", _pipe),
    "tile": ("tile(w, repeats = [4000000000, 4000000000])", _pipe),
    "conv": ("conv(w, w, padding = [(4000000000, 4000000000)], stride = [0, -1], groups = 99999999999)", _lie),
}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name, (result, attack) in MODELS.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "graph.nnef").write_text(NETWORK.replace("SOME", result))
        attack(tmp_path / name)
    (tmp_path / "sound").mkdir()
    (tmp_path / "sound" / "a.sknd").write_text(UNKNOWN_NAME)
    return tmp_path


@pytest_lsp.fixture(config=SERVER)
async def reader(lsp_client: LanguageClient, models: Path):
    await begin(lsp_client, "visual-studio-code", models)
    yield
    await lsp_client.shutdown_session()


async def test_models_of_older_exporters(reader: Editor, models: Path):
    for name in MODELS:
        path = models / name / "graph.nnef"
        uri, text = path.as_uri(), path.read_text()
        open_text(reader, uri, text)
        document = types.TextDocumentIdentifier(uri)
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        for word in ("variable", "w =", "y ="):
            line = next(line for line in text.splitlines() if word in line)
            at = types.Position(text.splitlines().index(line), line.index(word))
            await reader.text_document_hover_async(types.HoverParams(document, at))
        await reader.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
        await reader.text_document_code_lens_async(types.CodeLensParams(document))
        await codes(reader, uri)
    report = await reader.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert len(report.items) >= len(MODELS) + 1
    sound = (models / "sound" / "a.sknd").as_uri()
    open_text(reader, sound, UNKNOWN_NAME)
    assert await codes(reader, sound) == ["undefined-name"]
