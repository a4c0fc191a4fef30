"""Programs for repeated runs, with fewer and longer steps."""

from snd_runtime.execution.flat.repeated import repeated_program
from snd_runtime.execution.flat.shortcut import Shortcut, shortcut_of

__all__ = ["Shortcut", "repeated_program", "shortcut_of"]
