"""A workspace whose ignore and configuration files are attacks: the server tells of them, and answers."""

from __future__ import annotations

import os
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
