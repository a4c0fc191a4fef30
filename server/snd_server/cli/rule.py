"""``snd rule``."""

from __future__ import annotations

import json
from typing import Any

import click

from snd_analysis.skriptnd.lints.rule import Rule
from snd_server import rule_url
from snd_server.render.rule_page import index, page
from snd_server.rules import known_rules
from snd_server.selection import UnknownRuleError, nearest


@click.command(short_help="Explain the rules.")
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help="Explain every rule.")
@click.option("--format", "format", type=click.Choice(["text", "json"]), default="text", help="text is Markdown.")
def rule(name: str | None, everything: bool, format: str) -> None:
    """Explain a rule: what it reports, why, and an example of each kind. Without NAME, list the rules."""
    rules = known_rules()
    if name is not None and everything:
        raise click.UsageError("give either NAME or --all")
    if name is not None and name not in rules:
        raise click.UsageError(str(UnknownRuleError(name, nearest(name, rules))))
    chosen = [rules[name]] if name is not None else list(rules.values())
    if format == "json":
        records = [_record(each) for each in chosen]
        click.echo(json.dumps(records if name is None else records[0], indent=2, ensure_ascii=False))
    elif name is None and not everything:
        click.echo(index(chosen), nl=False)
    else:
        click.echo("\n".join(map(page, chosen)), nl=False)


def _record(rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "severity": rule.severity.value,
        "summary": rule.summary,
        "why": rule.why,
        "bad": rule.bad,
        "good": rule.good,
        "section": rule.section,
        "url": rule_url(rule.name),
    }
