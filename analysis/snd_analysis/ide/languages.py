"""Which language a file is written in."""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import splitext
from typing import Final

from snd_analysis.ide.language_features import FrontEnd
from snd_analysis.ide.skriptnd import SKRIPTND

_BY_SUFFIX: Final[Mapping[str, FrontEnd]] = {".sknd": SKRIPTND}


def front_end(path: str) -> FrontEnd:
    """Return what answers questions about a file, by its name. Documents without a suffix are SkriptND."""
    return _BY_SUFFIX.get(splitext(path)[1], SKRIPTND)
