"""All operators of the library, and invocations of them with random attributes and inputs that they accept."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, format_modules, library_modules
from snd_analysis.workspace import Snapshot


def library_operators(snapshot: Snapshot) -> Iterator[OperatorName]:
    """Yield the operators that users can name."""
    for module in (*library_modules(), *format_modules()):
        path = f"{LIBRARY_PREFIX}{module}"
        for _, definition in snapshot.tree(path).definitions:
            if definition.kind == "operator" and not definition.name.text.startswith("_"):
                yield OperatorName(path, definition.name.text)
