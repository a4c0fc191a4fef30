"""Programs that run again and again, of fewer and longer steps."""

from snd_runtime.execution.flat.flattening import flattened
from snd_runtime.execution.flat.rows import with_rows

__all__ = ["flattened", "with_rows"]
