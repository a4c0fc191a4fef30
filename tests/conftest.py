from __future__ import annotations

import gc
import os
import random
import signal
import threading
from collections.abc import Callable

import hypothesis
import pytest

from support import sampling

hypothesis.settings.register_profile("as before", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.register_profile("something new", deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="rewrite expected outputs and annotations")
    parser.addoption("--exhaustive", action="store_true", help="try all cases of every sweep, as make test-all does")
    parser.addoption("--all-damage", action="store_true", help="try every single-character deletion, not a sample")
    parser.addoption("--all-mutations", action="store_true", help="try every mutation of every program, not a sample")


def pytest_configure(config: pytest.Config) -> None:
    """Decide how much is tried, before a test module asks."""
    config.addinivalue_line("markers", "exhaustive: runs in make test-all alone (pytest --exhaustive)")
    config.addinivalue_line("markers", "worker_process: evaluates in a process of its own, as the command does")
    if threading.current_thread() is threading.main_thread():
        # A shell's background job inherits that SIGINT is ignored, and so would every process that a test interrupts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Trees and graphs of the library fill the heap and stay: searching them for cycles takes a tenth of all time.
    gc.set_threshold(50_000, 20, 100)
    sampling.set_exhaustive(config.getoption("--exhaustive"))
    hypothesis.settings.load_profile("as before" if _is_as_before(config) else "something new")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if _is_as_before(item.config):
        random.seed(item.nodeid)


def _is_as_before(config: pytest.Config) -> bool:
    """Return whether random draws are the same each time: a verdict on a change must not depend on chance."""
    return bool(os.environ.get("CI")) or not config.getoption("--exhaustive")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--exhaustive"):
        return
    left_out = [item for item in items if item.get_closest_marker("exhaustive")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file in ``goldens`` beside the test; ``pytest --update-goldens`` rewrites the file."""

    def compare(name: str, text: str) -> None:
        file = request.path.parent / "goldens" / name
        if request.config.getoption("--update-goldens"):
            file.write_text(text, encoding="utf-8", newline="")
        assert text == file.read_bytes().decode()

    return compare
