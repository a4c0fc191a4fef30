"""Fixtures of all tests of the language server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_lsp
from pytest_lsp import LanguageClient

from snd_server.lsp.values import evaluation
from support.lsp.clients import EDITORS, SERVER, begin
from support.lsp.gate import Gate
from support.lsp.protocol_texts import BLOCKS, MAIN
from support.waiting import FAR_SECONDS


@pytest.fixture
def files() -> dict[str, str]:
    """Return the files of the folder: a graph, and the module that it imports.

    Tests of other files override this fixture.
    """
    return {"blocks.sknd": BLOCKS, "main.sknd": MAIN}


@pytest.fixture
def folder(tmp_path: Path, files: dict[str, str]) -> Path:
    """Return a folder on disk."""
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let automatic evaluations take long: on a busy machine, anything does."""
    monkeypatch.setattr(evaluation, "_AUTOMATIC_SECONDS", FAR_SECONDS)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Yield a gate that holds evaluations as long as it is closed."""
    gate = Gate(monkeypatch)
    yield gate
    gate.open()


@pytest_lsp.fixture(config=SERVER, params=EDITORS)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, folder: Path):
    """Begin a session of each editor in the folder. Tests of other editors, or with settings, override this fixture."""
    await begin(lsp_client, request.param, folder)
    yield
    await lsp_client.shutdown_session()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever breaks the specification of the protocol is an error."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"))
