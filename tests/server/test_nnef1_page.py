"""The page about NNEF 1.0 shows what snd says of its models."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "nnef1.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```nnef\n(.*?)```.*?```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("model", "output"), SHOWN)
def test_a_model_of_the_page_has_the_messages_that_follow_it(
    model: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: Callable[..., Any]
):
    (tmp_path / "graph.nnef").write_text(model)
    monkeypatch.chdir(tmp_path)
    assert real("check", "graph.nnef").stdout.strip() == output.strip()


def test_the_page_shows_models():
    assert len(SHOWN) >= 2
