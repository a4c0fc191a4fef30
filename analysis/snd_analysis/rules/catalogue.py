"""Every rule, found by walking the folders that hold rules: a new rule needs no registration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from msgspec import Struct

import snd_analysis
from snd_analysis.base import Rule

_PAGE = re.compile(
    r"# (?P<name>.+)\n\n(?P<summary>(?:.+\n)+)\n(?P<why>(?:.+\n)+)"
    r"(?:\n## Reported\n\n```(?:sknd|nnef)\n(?P<bad>(?s:.*?))```\n)?"
    r"(?:\n## Not reported\n\n```(?:sknd|nnef)\n(?P<good>(?s:.*?))```\n)?"
)


class Page(Struct, frozen=True):
    """The explanation of a rule: the Markdown file beside its declaration.

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


_FOLDERS = ("rules", "skriptnd/lints", "nnef1/lints")
"""Folders with rules, relative to the analysis. Their names are found without importing them."""
_SUBJECTS = {"nnef1": "NNEF 1.0"}
"""Titles of subjects that are not called as their folders."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of all rules, in alphabetical order. Loads no declaration."""
    return tuple(sorted(_modules()))


@cache
def rule(name: str) -> Rule:
    """Return the rule of this name. Raise KeyError if no file declares it."""
    module = _modules()[name]
    declared: Rule = getattr(import_module(module), _stem(module).upper())
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
        folder = _modules()[name].split(".")[-2]
        subject = _SUBJECTS.get(folder, folder.replace("_", " ").capitalize())
        if _modules()[name].split(".")[1] == "nnef1":
            subject = _SUBJECTS["nnef1"]
        found.setdefault(subject, []).append(name)
    return {subject: tuple(found[subject]) for subject in sorted(found)}


@cache
def page(rule: Rule) -> Page:
    """Return the page of a rule."""
    from importlib.resources import files

    package, _, stem = _modules()[rule.name].rpartition(".")
    found = _PAGE.fullmatch(files(package).joinpath(f"{stem}.md").read_text(encoding="utf-8"))
    assert found is not None, f"the page of {rule.name} is in another form"
    summary, why = (" ".join(found[part].split("\n")).strip() for part in ("summary", "why"))
    return Page(summary, why, found["bad"] or "", found["good"] or "")


@cache
def _modules() -> Mapping[str, str]:
    """Return the name of the declaring module for each name of a rule."""
    from pkgutil import iter_modules

    modules = []
    for folder in _FOLDERS:
        root = f"{snd_analysis.__path__[0]}/{folder}"
        for subject in (each.name for each in iter_modules([root]) if each.ispkg):
            prefix = f"{snd_analysis.__name__}.{folder.replace('/', '.')}.{subject}."
            modules += [each.name for each in iter_modules([f"{root}/{subject}"], prefix)]
    return {_stem(module).replace("_", "-"): module for module in modules}


def _stem(module: str) -> str:
    return module.rpartition(".")[2]
