"""A time limit on the command line."""

from __future__ import annotations

import click

from snd_server.limits import MOST_SECONDS


def seconds(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Demand that an option is a number of seconds above 0: NaN and infinity are usage errors, too."""
    if value is not None and not 0 < value <= MOST_SECONDS:
        raise click.BadParameter(f"it must be above 0, and at most {MOST_SECONDS:,.0f}")
    return value
