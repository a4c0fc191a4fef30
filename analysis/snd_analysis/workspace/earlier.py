"""Reusable results of earlier versions of long definitions, by statement. No result may depend on them."""

from __future__ import annotations

from collections.abc import Hashable

from snd_analysis.compose import LastingModel
from snd_analysis.db import Database, query
from snd_analysis.skriptnd.names import ModuleScope, PassResults, Resolution, is_library, is_long
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace.files import is_edited
from snd_analysis.workspace.limits import MOST_KEPT_ARGUMENTS


class Earlier:
    """Reusable results of a long definition across edits, by statement."""

    __slots__ = ("_given", "model", "names", "types")

    def __init__(self) -> None:
        self.names: tuple[ModuleScope | None, Resolution | None] = (None, None)
        self.types = PassResults()
        self.model = LastingModel()
        self._given: dict[Hashable, LastingModel] = {}

    def model_given(self, given: Hashable) -> LastingModel:
        """Return the reusable model for the arguments of an invocation; the latest few are kept."""
        model = self._given.pop(given, None) or LastingModel()
        self._given[given] = model
        while len(self._given) > MOST_KEPT_ARGUMENTS:
            del self._given[next(iter(self._given))]
        return model


def earlier(db: Database, path: str, definition: nodes.Definition) -> Earlier | None:
    """Return the reusable results of a definition, if it is long enough and may be edited."""
    if is_library(path) or not is_long(definition) or not is_edited(db):
        return None
    return _earlier(db, path, definition.name.text)


@query
def _earlier(db: Database, path: str, name: str) -> Earlier:
    # One object for all revisions: its users compare each part with its dependencies.
    return Earlier()
