"""The group that holds the subcommands."""

from __future__ import annotations

from importlib import import_module

import click

from snd_server import __version__
from snd_server.console.tracebacks import show_tracebacks
from snd_server.workspace_files.reading import note_reads

_SUBCOMMANDS = {
    "check": "Find the mistakes in SkriptND and NNEF 1.0 files.",
    "convert": "Turn a model in NNEF 1.0 or ONNX into a SkriptND model.",
    "doc": "Explain operators of the library.",
    "export": "Write a model as ONNX, NNEF 1.0 or PyTorch.",
    "fmt": "Format SkriptND and NNEF 1.0 files.",
    "graph": "Draw a graph.",
    "init": "Create a small model.",
    "lsp": "Serve editors: the language server.",
    "mcp": "Serve coding agents: tools over the Model Context Protocol.",
    "rule": "Explain rules.",
    "run": "Run a graph or an operator.",
    "shapes": "Show the shape of every tensor in a graph.",
    "test": "Run the samples in the comments of SkriptND files.",
    "weights": "List the tensors of a file of weights.",
}

_OTHER_NAMES = {
    "lint": "check", "validate": "check", "import": "convert", "help": "--help", "explain": "rule", "format": "fmt",
    "draw": "graph", "plot": "graph", "new": "init", "server": "lsp", "infer": "run", "eval": "run", "save": "export",
}  # fmt: skip
"""Names that other tools give such commands."""


def _show(ctx: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Let internal errors show their traceback. ``snd -v check`` is ``snd check -v``."""
    if value:
        show_tracebacks()
        if ctx.parent is None:  # a command takes its own defaults from here, and '--graph' is named like a command
            ctx.default_map = {name: {"verbose": True} for name in _SUBCOMMANDS}
    return value


def _let_show_tracebacks(command: click.Command) -> None:
    """Let ``-v`` of a command show tracebacks, and add the option to a command that has none."""
    for parameter in command.params:
        if "-v" in parameter.opts:
            parameter.callback = _show
            return
    command.params.append(
        click.Option(
            ["-v", "--verbose"], is_flag=True, expose_value=False, callback=_show,
            help="Show the traceback of an internal error.",
        )
    )  # fmt: skip


def _meant(word: str) -> str:
    """Return a question about the command that a word may mean, or nothing."""
    from difflib import get_close_matches

    names = {**{name: name for name in _SUBCOMMANDS}, **_OTHER_NAMES}
    found = get_close_matches(word.lower(), names, n=1)
    return f"; did you mean 'snd {names[found[0]]}'?" if found else ""


class _LazyGroup(click.Group):
    """Imports ``snd_server.cli.NAME`` for the subcommand ``NAME``, and none for the list of them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if any("\0" in each for each in args):  # from programs: no shell can write one
            raise click.UsageError("an argument contains a null character", ctx)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _SUBCOMMANDS:
            return None
        command: click.Command = getattr(import_module(f"snd_server.cli.{cmd_name}"), cmd_name)
        _let_show_tracebacks(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _SUBCOMMANDS:
            raise click.UsageError(f"there is no command '{args[0]}'{_meant(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_SUBCOMMANDS.items()))


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="snd")
@click.option(
    "-v", "--verbose", is_flag=True, expose_value=False, callback=_show,
    help="Show the traceback of an internal error; before a command as after it.",
)  # fmt: skip
def snd() -> None:
    """Check, run, convert and draw models in SkriptND, the language of NNEF 2.0, and in NNEF 1.0.

    'snd init' begins a model, 'snd check' checks it.
    """
    note_reads()
