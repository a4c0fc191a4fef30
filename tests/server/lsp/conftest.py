"""What holds for all tests of the language server."""

from __future__ import annotations

from pathlib import Path

import pytest
from protocol_texts import BLOCKS, MAIN


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A graph, and the module that it imports."""
    (tmp_path / "blocks.sknd").write_text(BLOCKS)
    (tmp_path / "main.sknd").write_text(MAIN)
    return tmp_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever breaks the specification of the protocol is an error."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"))
