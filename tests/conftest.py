from __future__ import annotations

import os
from collections.abc import Callable

import hypothesis
import pytest

# A verdict on a submission must not depend on chance; elsewhere, every run tries something new.
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="rewrite expected outputs and annotations")
    parser.addoption("--all-damage", action="store_true", help="try every single-character deletion, not a sample")
    parser.addoption("--all-mutations", action="store_true", help="try every mutation of every program, not a sample")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with a file in ``goldens`` beside the test; ``pytest --update-goldens`` rewrites the file."""

    def compare(name: str, text: str) -> None:
        file = request.path.parent / "goldens" / name
        if request.config.getoption("--update-goldens"):
            file.write_text(text, encoding="utf-8", newline="")
        assert text == file.read_bytes().decode()

    return compare
