"""Packages that tests can do without: `make test` installs them."""

from __future__ import annotations

import os

import pytest


def need(module: str) -> None:
    """Skip a test, or all tests of a file, if a module can't be imported.

    Where everything must be tested (``CI`` is set), nothing is skipped, and what needs the module fails.
    """
    if not os.environ.get("CI"):
        pytest.importorskip(module, reason=f"the package of {module} is not installed")
