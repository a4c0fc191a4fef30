"""Names that SkriptND allows, each once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from snd_analysis.convert.limits import LONGEST_NAME
from snd_analysis.skriptnd.names import BUILT_INS
from snd_analysis.skriptnd.syntax import keywords

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")


class DefinitionNames:
    """The names of one definition, or of one module."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*taken, *keywords(), *BUILT_INS, "_"}
        self._numbers: dict[str, int] = {}
        """The next number of names that were wanted before: thousands may want the same."""

    def new(self, wanted: str) -> str:
        """Return a name that nothing has yet, and take it: the one that is wanted if possible."""
        plain = _NOT_IN_NAMES.sub("_", wanted)[:LONGEST_NAME] or "_"
        if plain[0].isdigit():
            plain = f"_{plain}"
        name, number = plain, self._numbers.get(plain, 2)
        while name in self._taken:
            name, number = (f"{plain}_" if number == 2 and plain in keywords() else f"{plain}_{number}"), number + 1
        self._numbers[plain] = number
        self._taken.add(name)
        return name


def statement_names(names: Sequence[str]) -> dict[str, str]:
    """Return better names for parts of expressions: the result of the last operation has the name of the statement.

    ``names`` are the names of results in order: ``mean.sub`` and ``mean.div`` are the operations of the statement
    ``mean``.
    """
    last = {name.partition(".")[0]: name for name in names}
    return {name: statement for statement, name in last.items() if statement not in names}
