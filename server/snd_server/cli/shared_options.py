"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])

seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Seed of random values; 0 by default."
)
memory_option = click.option(
    "--memory", type=click.IntRange(min=1), default=4096, metavar="MB",
    help="Maximum number of megabytes of the tensors; 4096 by default.",
)  # fmt: skip
config_option = click.option("--config", metavar="FILE", help="Use this configuration.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print only mistakes.")


class _PulseType(click.ParamType):  # type: ignore[type-arg]
    """A symbol and the number of its items that a pulse has: ``S=10``."""

    name = "pulse"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """Return the symbol and the number. Fail for another text."""
        if isinstance(value, tuple):
            return value
        symbol, _, number = str(value).partition("=")
        if not symbol or not number.isdecimal() or int(number) == 0:
            self.fail(f"'{value}' is no symbol with a number of items, such as S=10", param, ctx)
        return symbol, int(number)


pulse_option = click.option(
    "--pulse", type=_PulseType(), metavar="S=N",
    help="Let a graph in NNEF 1.0 see the symbol S as a stream, in pulses of N items.",
)  # fmt: skip


def demand_path(value: str | None, option: str, what: str) -> None:
    """Raise UsageError for ``-``, which is standard output, where an option names something else."""
    if value == "-":
        raise click.UsageError(f"{option} names {what}; - is standard output: write ./- for that name")


def examples(*commands: str) -> str:
    """Return the end of the help of a command, which shows how it is called."""
    return "\b\n" + "\n".join(["Examples:", *(f"  {command}" for command in commands)])


def attribute_options(command: _Command) -> _Command:
    """Add ``--attrib`` and ``--type``, which become ``attributes`` and ``types``."""
    attributes = click.option(
        "--attrib", "attributes", multiple=True, metavar="K=V",
        help="Give an attribute a value, as it is written in SkriptND or '~' for null.",
    )  # fmt: skip
    types = click.option(
        "--type", "types", multiple=True, metavar="T=TYPE", help="Give a generic type a type, as in T=int."
    )
    return attributes(types(command))


def argument_options(command: _Command) -> _Command:
    """Add ``--attrib``, ``--type``, and ``--input`` for shapes, which becomes ``inputs``."""
    inputs = click.option(
        "--input", "inputs", multiple=True, metavar="NAME=SHAPE",
        help="Give an input a shape, as in x=1,3,224,224; the tensors of a pack one each, with ';' between them.",
    )  # fmt: skip
    return attribute_options(inputs(command))


def weight_options(verb: str) -> Callable[[_Command], _Command]:
    """Return a decorator that adds ``--weights`` and ``--strict`` to a command that does ``verb``."""

    def add(command: _Command) -> _Command:
        weights = click.option(
            "--weights", metavar="PLACE",
            help="Take variables from this folder or file: NAME.dat, .npy, .npz or .safetensors by their scoped names; "
            "by default from what lies beside the model.",
        )  # fmt: skip
        strict = click.option(
            "--strict/--no-strict", default=None,
            help=f"{verb} only if every variable has a weight and every weight a variable, as is the default with "
            "--weights; or draw missing weights at random, and ignore others.",
        )  # fmt: skip
        return weights(strict(command))

    return add
