"""The edit that adds the assertions that mend a condition."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.base import Edit
from snd_analysis.skriptnd.format import new_assertion
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


def assertion_edit(snapshot: Snapshot, name: OperatorName, assertions: Sequence[str]) -> Edit | None:
    """Return the edit of a file that adds assertions to an operator; None if it has no block to put them at."""
    placed = snapshot.definitions(name.path).get(name.name)
    if placed is None:
        return None
    return new_assertion(snapshot.source(name.path).text, placed.start, placed.definition, *assertions)
