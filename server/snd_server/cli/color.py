"""``--color``, which all commands with coloured output have."""

from __future__ import annotations

import click

_CHOICES = {"auto": None, "always": True, "never": False}


def _choose(context: click.Context, parameter: click.Parameter, value: str) -> None:
    context.color = _CHOICES[value]


color_option = click.option(
    "--color",
    type=click.Choice(list(_CHOICES)),
    default="auto",
    expose_value=False,
    callback=_choose,
    help="Print colours; auto, the default, prints them on terminals unless NO_COLOR is set.",
)
"""Sets ``color`` of the context, which ``output.painter`` reads."""
