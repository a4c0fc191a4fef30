"""The text of the invocation at a place."""

from __future__ import annotations

from snd_analysis.base import descendants
from snd_analysis.model import Place
from snd_analysis.skriptnd.syntax import nodes


def written_call(place: Place) -> nodes.Call | None:
    """Return the invocation whose operator is named at a place; None if it is written in another way."""
    if not isinstance(place.statement, nodes.Node):
        return None
    calls = (each for each in descendants(place.statement) if isinstance(each, nodes.Call))
    return next((each for each in calls if each.function.span.shifted(place.start) == place.span), None)
