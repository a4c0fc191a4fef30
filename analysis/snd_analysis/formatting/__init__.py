"""One style for all files: how wide lines are is all that can be chosen. See ``docs/formatting.md``."""

from snd_analysis.formatting.edits import format_edits, format_typed
from snd_analysis.formatting.files import DEFAULT_WIDTH, format_text

__all__ = ["DEFAULT_WIDTH", "format_edits", "format_text", "format_typed"]
