"""The page of a rule, in Markdown: what ``snd rule`` prints and ``docs/rules.md`` consists of."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.base import Rule
from snd_analysis.rules import catalogue


def rule_page(rule: Rule) -> str:
    """Heading, what is reported, why, and the examples."""
    page = catalogue.page(rule)
    parts = [f"## {rule.name}", page.summary, f"*Severity: {rule.severity}. {_origin(rule.section)}*", page.why]
    parts += [
        f"{title}:\n\n```{_language(code)}\n{code.strip(chr(10))}\n```"
        for title, code in (("Reported", page.bad), ("Not reported", page.good))
        if code
    ]
    return "\n\n".join(parts) + "\n"


def index(rules: Iterable[Rule]) -> str:
    """Return one line per rule."""
    rows = list(rules)
    wide = max((len(rule.name) for rule in rows), default=0)
    return "".join(f"{rule.name:<{wide}}  {rule.severity:<7}  {catalogue.page(rule).summary}\n" for rule in rows)


def _origin(section: str) -> str:
    if section == "tool":
        return "A rule of snd, not of the language."
    if section == "LANGUAGE":
        return "See docs/language.md."
    if section.startswith("NNEF 1.0"):
        return f"{section.replace(',', ', section')}."
    return f"NNEF 2.0 draft, section {section}."


def _language(code: str) -> str:
    return "nnef" if code.startswith("version 1.") else "sknd"
