"""One style for texts in NNEF 1.0: how wide lines are is all that can be chosen. See ``docs/formatting.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used

if TYPE_CHECKING:
    from snd_analysis.nnef1.format.files import format_edits, format_text, format_typed
else:
    __getattr__ = loaded_when_used(__name__, "files")

__all__ = ["format_edits", "format_text", "format_typed"]
