"""``snd rule``."""

from __future__ import annotations

from typing import Any

import click

from snd_analysis.base import Rule
from snd_analysis.rules import catalogue
from snd_server import rule_url
from snd_server.cli.shared_options import examples
from snd_server.console.terminal import json_text, show_document
from snd_server.render.rule_page import index, rule_page
from snd_server.settings.rule_selection import UnknownRuleError, nearest


@click.command(short_help="Explain rules.", epilog=examples("snd rule unused-import"))
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help="Explain every rule.")
@click.option(
    "--format",
    "format",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Output format; text, the default, is Markdown.",
)
def rule(name: str | None, everything: bool, format: str) -> None:
    """Explain a rule: its summary, its reason, and an example of each kind. Without NAME, list the rules."""
    names = catalogue.names()
    if name is not None and everything:
        raise click.UsageError("give either NAME or --all")
    if name is not None and name not in names:
        raise click.UsageError(str(UnknownRuleError(name, nearest(name, names))))
    chosen = [catalogue.rule(each) for each in (names if name is None else (name,))]
    if format == "json":
        records = [_record(each) for each in chosen]
        show_document(json_text(records if name is None else records[0], 2))
    elif name is None and not everything:
        show_document(index(chosen))
    else:
        show_document("\n".join(map(rule_page, chosen)))


def _record(rule: Rule) -> dict[str, Any]:
    page = catalogue.page(rule)
    return {
        "name": rule.name,
        "severity": rule.severity.value,
        "summary": page.summary,
        "why": page.why,
        "bad": page.bad,
        "good": page.good,
        "section": rule.section,
        "url": rule_url(rule.name),
    }
