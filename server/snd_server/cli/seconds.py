"""A time limit on the command line."""

from __future__ import annotations

import click

_MOST = 1_000_000.0
"""More than eleven days; timers of the system don't count much further."""


class Seconds(click.ParamType):
    """A number of seconds above 0."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a usage error for anything else, NaN and infinity among it."""
        try:
            seconds = float(str(value))
        except ValueError:
            self.fail(f"{value!r} is no number", param, ctx)
        if not 0 < seconds <= _MOST:
            self.fail(f"it must be above 0, and at most {_MOST:,.0f}", param, ctx)
        return seconds
