"""Options of several commands for the arguments of a composed graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def argument_options(command: _Command) -> _Command:
    """Add ``--attrib``, ``--type`` and ``--input``, which become ``attributes``, ``types`` and ``inputs``."""
    inputs = click.option(
        "--input", "inputs", multiple=True, metavar="NAME=SHAPE",
        help="Give an input a shape, as in x=1,3,224,224; the tensors of a pack one each, with ';' between them.",
    )  # fmt: skip
    attributes = click.option(
        "--attrib", "attributes", multiple=True, metavar="K=V",
        help="Give an attribute a value, as it is written in SkriptND or '~' for null.",
    )  # fmt: skip
    types = click.option(
        "--type", "types", multiple=True, metavar="T=TYPE", help="Give a generic type a type, as in T=int."
    )
    return attributes(types(inputs(command)))
