"""Tables of counterparts: functions that write an operator of a library in the operations of another format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Call = TypeVar("Call")


class CounterpartTable(dict[str, Callable[[Call], None]], Generic[Call]):
    """Counterparts by ``module.operator``.

    One that does not fit an invocation raises Unsuitable; another way is taken then.
    """

    def of(self, *operators: str) -> Callable[[Callable[[Call], None]], Callable[[Call], None]]:
        """Return a decorator that registers a function for these operators."""

        def declare(write: Callable[[Call], None]) -> Callable[[Call], None]:
            self.update(dict.fromkeys(operators, write))
            return write

        return declare
