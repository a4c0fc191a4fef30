"""The reference pages of the command line and of the settings, from the code: ``python -m support.reference``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import click

from snd_server.cli.root import snd
from support.server.processes import ROOT

_SCHEMA = ROOT / "vscode-extension" / "schemas" / "snd.schema.json"


def pages() -> dict[str, str]:
    """Return the text of each page by its file name in ``docs``."""
    return {"cli.md": _cli(), "settings.md": _settings()}


# ---- the command line ------------------------------------------------------------------------------------------------
def _cli() -> str:
    context = click.Context(snd, info_name="snd")
    names = snd.list_commands(context)
    parts = [
        "# Command line",
        "Every command of `snd`, with its options. `snd COMMAND --help` shows the same in the terminal.",
        "`make docs` writes this page from the code.",
        "\n".join(f"- [`snd {name}`](#snd-{name}): {snd.get_command(context, name).get_short_help_str(200)}"
                  for name in names),
    ]  # fmt: skip
    for name in names:
        command = snd.get_command(context, name)
        assert command is not None
        parts += _command(command, click.Context(command, info_name=name, parent=context))
    return "\n\n".join(parts) + "\n"


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## snd {command.name}"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```text\n{usage}\n```"
    yield from (_paragraph(each) for each in (command.help or "").split("\n\n"))
    if command.epilog:
        yield "Examples:"
        shown = (line.strip() for line in command.epilog.splitlines()[2:])
        yield "```sh\n{}\n```".format("\n".join(shown))
    records = [
        record
        for each in command.params
        if isinstance(each, click.Option) and (record := each.get_help_record(context)) is not None
    ]
    if records:
        yield _table(("option", "meaning"), [(f"`{option}`", text) for option, text in records])


def _paragraph(text: str) -> str:
    return " ".join(text.split()).replace("<", "\\<")


# ---- settings --------------------------------------------------------------------------------------------------------
def _settings() -> str:
    schema: dict[str, Any] = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    rows = [(f"`{key}`", _kind(value), value["description"]) for key, value in schema["properties"].items()]
    return "\n\n".join(
        [
            "# Settings",
            "snd reads `snd.toml`, or the table `[tool.snd]` of `pyproject.toml`. The file that is nearest to the "
            "checked file counts. Options of the command line outweigh it.",
            "`make docs` writes this page from the schema that editors check `snd.toml` with.",
            _table(("key", "value", "meaning"), rows),
        ]
    ) + "\n"  # fmt: skip


def _kind(value: dict[str, Any]) -> str:
    if "enum" in value:
        return " or ".join(f"`{each}`" for each in value["enum"])
    if "$ref" in value:
        return "list of rules"
    return {"object": "table", "array": "list of strings"}.get(value["type"], value["type"])


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


if __name__ == "__main__":
    for name, text in pages().items():
        (ROOT / "docs" / name).write_text(text, encoding="utf-8", newline="")
