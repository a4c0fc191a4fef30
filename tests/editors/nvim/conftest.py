from __future__ import annotations

from collections.abc import Callable

import pytest

from support.editors.downloads import UnavailableError, skip
from support.editors.neovim_programs import Neovim, newest, oldest

_PROGRAMS: dict[str, Callable[[], Neovim]] = {"oldest": oldest, "newest": newest}


@pytest.fixture(scope="session", params=sorted(_PROGRAMS, reverse=True))
def neovim(request: pytest.FixtureRequest) -> Neovim:
    """Neovim 0.10, and the newest one."""
    try:
        return _PROGRAMS[request.param]()
    except UnavailableError as reason:
        skip(reason)
