"""Packages that tests can do without: `make test` installs them."""

from __future__ import annotations

import os

import pytest


def need(module: str) -> None:
    """Skip a test, or all tests of a file, if a module can't be imported.

    If everything must be tested (``CI`` is set), nothing is skipped, and tests that need the module fail.
    """
    if not os.environ.get("CI"):
        pytest.importorskip(module, reason=f"the package of {module} is not installed")
