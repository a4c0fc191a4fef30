"""A body that is composed and run at once, statement by statement, because its shapes depend on data (3.1).

Each result has the shape of its array when the next statement is composed: so extents, lengths of packs, compile-time
conditions and assertions are all known where they are needed, by the same code that composes graphs.
"""

from snd_runtime.execution.stepwise.body import Stepwise

__all__ = ["Stepwise"]
