"""The page of a rule, in Markdown, for ``snd rule`` and ``docs/rules.md``."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import chain, takewhile

from snd_analysis.base import Rule
from snd_analysis.rules import catalogue
from snd_server.limits import MOST_CHANGED_LINES

_SHORT = 14
"""Lines of a program that a page shows as a whole."""
_CONTEXT = 3
"""Lines around each change in a longer program."""


def rule_page(rule: Rule) -> str:
    """Return the page of a rule: heading, summary, reason, and the examples."""
    page = catalogue.page(rule)
    parts = [f"## {rule.name}", page.summary, f"*Severity: {rule.severity}. {_origin(rule.section)}*", page.why]
    change = _change(page.bad, page.good)
    if change:
        parts.append(f"The mistake and its correction:\n\n```diff\n{change}```")
    else:
        shown = (("Reported", page.bad), ("Not reported", page.good))
        parts += [f"{title}:\n\n```{_language(code)}\n{code.strip(chr(10))}\n```" for title, code in shown if code]
    return "\n\n".join(parts) + "\n"


def rule_pages() -> str:
    """Return the document with an index by subject and the pages of all rules."""
    subjects = (
        f"## {subject}\n\n"
        + "".join(f"- [{name}](#{name}): {catalogue.page(catalogue.rule(name)).summary}\n" for name in names)
        for subject, names in catalogue.by_subject().items()
    )
    head = "# Rules\n\nEach message names its rule. Here are the rules by subject, then the page of each.\n"
    return "\n".join([head, *subjects, *map(rule_page, catalogue.rules().values())])


def _change(bad: str, good: str) -> str:
    """Return the changed lines with their context, and a mark below the wrong part; empty if all lines differ."""
    before, after = bad.strip("\n").split("\n"), good.strip("\n").split("\n")
    if not bad or not good:
        return ""
    lines: list[str] = []
    changed = 0
    context = _CONTEXT if len(before) > _SHORT else len(before)
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(context)
    for at, group in enumerate(groups):
        lines += ["  ..."] if at else []
        for kind, start, end, other_start, other_end in group:
            if kind == "equal":
                lines += [f"  {line}" for line in before[start:end]]
                continue
            old, new = before[start:end], after[other_start:other_end]
            changed += len(old) + len(new)
            if len(old) == len(new):
                lines += chain.from_iterable((f"- {was}", _mark(was, now)) for was, now in zip(old, new, strict=True))
            else:
                lines += [f"- {line}" for line in old]
            lines += [f"+ {line}" for line in new]
    return "".join(f"{line}\n" for line in lines) if changed <= MOST_CHANGED_LINES else ""


def _mark(old: str, new: str) -> str:
    """Return a line with a mark below the part that differs from another line."""
    start = _equal(old, new)
    rest = _equal(old[start:][::-1], new[start:][::-1])
    return f"  {' ' * start}{'^' * max(1, len(old) - rest - start)}"


def _equal(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


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
