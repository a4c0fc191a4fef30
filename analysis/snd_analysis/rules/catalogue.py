"""Every rule, found by the pages in the folders of subjects: a new rule needs no registration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from msgspec import Struct

from snd_analysis.base import Rule

_PAGE = (
    r"# (?P<name>.+)\n\n(?P<summary>(?:.+\n)+)\n(?P<why>(?:.+\n)+)"
    r"(?:\n## Reported\n\n```(?:sknd|nnef)\n(?P<bad>(?s:.*?))```\n)?"
    r"(?:\n## Not reported\n\n```(?:sknd|nnef)\n(?P<good>(?s:.*?))```\n)?"
)


class Page(Struct, frozen=True):
    """The explanation of a rule: the Markdown file in the folder beside its module.

    ``bad`` and ``good`` are whole files, in SkriptND or NNEF 1.0: the first breaks this rule and no other, the second
    breaks none. If several files are needed, a line ``# file: NAME`` begins each of them. An example without such a
    line is a main module if it has a graph, and a module of operators otherwise. Both are empty for a rule that no text
    can break.
    """

    summary: str
    """One sentence that states the reported problem."""
    why: str
    """Why it is a mistake."""
    bad: str
    good: str


_PACKAGES = ("rules", "skriptnd.lints", "nnef1.lints")
"""Packages with modules of rules. A module and the folder with the pages of its rules have the same name."""
_SUBJECTS = {"nnef1": "NNEF 1.0"}
"""Titles of subjects that are not called as their modules."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of all rules, in alphabetical order. Loads no declaration."""
    return tuple(sorted(_modules()))


@cache
def rule(name: str) -> Rule:
    """Return the rule of this name. Raise KeyError if it has no page."""
    declared: Rule = getattr(import_module(_modules()[name]), _file_name(name).upper())
    return declared


@cache
def rules() -> Mapping[str, Rule]:
    """Return all rules by name, in alphabetical order. Loads every declaration."""
    return {name: rule(name) for name in names()}


@cache
def by_subject() -> Mapping[str, tuple[str, ...]]:
    """Return the names of the rules of each subject, both in alphabetical order."""
    found: dict[str, list[str]] = {}
    for name in names():
        _, package, *_, module = _modules()[name].split(".")
        subject = _SUBJECTS.get(package) or _SUBJECTS.get(module) or module.replace("_", " ").capitalize()
        found.setdefault(subject, []).append(name)
    return {subject: tuple(found[subject]) for subject in sorted(found)}


@cache
def page(rule: Rule) -> Page:
    """Return the page of a rule."""
    from importlib.resources import files

    package, _, module = _modules()[rule.name].rpartition(".")
    text = files(package).joinpath(module, f"{_file_name(rule.name)}.md").read_text(encoding="utf-8")
    found = re.fullmatch(_PAGE, text)
    assert found is not None, f"the page of {rule.name} is in another form"
    summary, why = (" ".join(found[part].split("\n")).strip() for part in ("summary", "why"))
    return Page(summary, why, found["bad"] or "", found["good"] or "")


@cache
def _modules() -> Mapping[str, str]:
    """Return the name of the declaring module for each name of a rule."""
    from importlib.resources import files

    found = {}
    for package in (f"snd_analysis.{each}" for each in _PACKAGES):
        for folder in (each for each in files(package).iterdir() if each.is_dir()):
            pages = (page.name.removesuffix(".md") for page in folder.iterdir() if page.name.endswith(".md"))
            found.update({page.replace("_", "-"): f"{package}.{folder.name}" for page in pages})
    return found


def _file_name(rule: str) -> str:
    return rule.replace("-", "_")
