from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.confinement import FAR_SECONDS, confined
from support.sampling import tries
from support.waiting import SILENCE_SECONDS


@pytest.fixture(autouse=True)
def _confined() -> Iterator[None]:
    """Fail a test that hangs or takes gigabytes: the limits are far above all needs here."""
    with confined(FAR_SECONDS * tries(1, 20), SILENCE_SECONDS * tries(1, 20)):
        yield
