"""The language of a file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from posixpath import splitext
from typing import Final

from snd_analysis.ide.language_features import FrontEnd
from snd_analysis.ide.skriptnd import SKRIPTND

_OTHERS: Final[Mapping[str, str]] = {
    ".nnef": "snd_analysis.ide.nnef1.front_end",
    ".quant": "snd_analysis.ide.nnef1.quantization",
}
"""Modules with a ``FRONT_END``, by suffixes of files. A session without such files does not load them."""


def front_end(path: str) -> FrontEnd:
    """Return the front end for a file, by its name. Documents without a suffix are SkriptND."""
    module = _OTHERS.get(splitext(path)[1])
    if module is None:
        return SKRIPTND
    found: FrontEnd = import_module(module).FRONT_END
    return found
