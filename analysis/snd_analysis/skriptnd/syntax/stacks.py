"""The stacks of the automaton, and runs of it over states alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from snd_analysis.skriptnd.syntax.table import END, ParseTable


class Stacks(Struct):
    """The state of the automaton: values read and not yet reduced, and one state more than values."""

    states: list[int]
    values: list[Any]
    starts: list[int]

    def remember(self) -> Remembered:
        """Return how the stacks are now. Lists on them may grow later, so their lengths are part of it."""
        lengths = [len(value) if isinstance(value, list) else -1 for value in self.values]
        return Remembered(Stacks(self.states.copy(), self.values.copy(), self.starts.copy()), lengths)

    def cut(self, depth: int) -> None:
        """Take off everything above the lowest ``depth`` values."""
        del self.states[depth + 1 :], self.values[depth:], self.starts[depth:]


class Remembered(Struct, frozen=True):
    """The stacks at an earlier point, to go back to."""

    stacks: Stacks
    lengths: list[int]

    def restore(self) -> Stacks:
        """Return the stacks as they were."""
        for value, length in zip(self.stacks.values, self.lengths, strict=True):
            if length >= 0:
                del value[length:]
        return self.stacks


def run_states(table: ParseTable, states: list[int], kinds: Iterable[str]) -> int:
    """Return how many of ``kinds`` the automaton could take in turn; ``states`` is left as the last of them left it."""
    taken = 0
    for kind in kinds:
        while True:
            state = states[-1]
            number = table.defaults[state]
            if number < 0:
                action = table.actions[state].get(kind)
                if action is None:
                    return taken + (kind == END and state in table.ends.values())
                if not action & 1:
                    states.append(action >> 1)
                    break
                number = action >> 1
            production = table.productions[number]
            if production.length:
                del states[-production.length :]
            states.append(table.gotos[states[-1]][production.origin])
        taken += 1
    return taken
