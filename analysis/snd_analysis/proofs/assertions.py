"""Where an assertion goes that mends a condition."""

from __future__ import annotations

from snd_analysis.base import Edit
from snd_analysis.skriptnd.format import new_assertion
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


def assertion_edit(snapshot: Snapshot, name: OperatorName, assertion: str) -> Edit | None:
    """Return the edit of a file that lets an operator assert something; None if it has no block to put it at."""
    placed = snapshot.definitions(name.path).get(name.name)
    if placed is None:
        return None
    return new_assertion(snapshot.source(name.path).text, placed.start, placed.definition, assertion)
