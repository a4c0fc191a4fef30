"""Preparations for tests of the extension's parts: the packages that it is built and tested with."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.editors.downloads import UnavailableError, locked, skip
from support.editors.packaged_extension import SOURCES, install_packages


@pytest.fixture(scope="session")
def extension() -> Path:
    """Return the folder of the extension, with the packages that its package.json names."""
    try:
        with locked("extension"):
            install_packages()
    except UnavailableError as reason:
        skip(reason)
    return SOURCES
