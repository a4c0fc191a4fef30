"""One style for all files: how wide lines are is all that can be chosen. See ``docs/formatting.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used

if TYPE_CHECKING:
    from snd_analysis.skriptnd.format.blocks import new_assertion
    from snd_analysis.skriptnd.format.files import format_edits, format_text, format_typed
    from snd_analysis.skriptnd.format.width import DEFAULT_WIDTH
else:
    # The width comes first: every configuration needs it, and earlier modules would be searched before it.
    __getattr__ = loaded_when_used(__name__, "width", "files", "blocks")

__all__ = ["DEFAULT_WIDTH", "format_edits", "format_text", "format_typed", "new_assertion"]
