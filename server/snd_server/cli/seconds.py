"""A time limit on the command line."""

from __future__ import annotations

import click

_MOST = 1_000_000.0
"""More than eleven days; timers of the system don't count much further."""


def seconds(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """The callback of an option that is a number of seconds above 0: NaN and infinity are usage errors, too."""
    if value is not None and not 0 < value <= _MOST:
        raise click.BadParameter(f"it must be above 0, and at most {_MOST:,.0f}")
    return value
