"""Runs mutations and sorts out what was reported about them.

``python -m generators.mutations [WORD…]``, in ``tests``, tries every mutation of every program and prints wrong
reports; with words, only mutations of these kinds, or of programs and definitions so named. ``--every N`` takes one in
N, ``--seed S`` others.
"""

from __future__ import annotations

import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from generators.mutations import (
    composition_mutations,
    declaration_mutations,
    expression_mutations,
    formula_mutations,
    literal_mutations,
    name_mutations,
)
from generators.mutations.mutation import Mutation, Verdict
from generators.mutations.subject import Subject, subjects
from snd_analysis.base import Diagnostic
from support.memory import read_program

ROOT = Path(__file__).parents[3]

OPERATORS: tuple[Callable[[Subject], Iterator[Mutation]], ...] = (
    *name_mutations.OPERATORS, *literal_mutations.OPERATORS, *expression_mutations.OPERATORS,
    *declaration_mutations.OPERATORS, *formula_mutations.OPERATORS, *composition_mutations.OPERATORS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a mutation."""

    subject: Subject
    mutation: Mutation
    errors: list[Diagnostic]
    crash: str | None = None

    @property
    def passed_silently(self) -> bool:
        """Return whether it is illegal, and nothing was said."""
        return self.mutation.verdict is Verdict.MUST and not self.errors and self.crash is None

    @property
    def rejected_wrongly(self) -> bool:
        """Return whether it is legal, and an error was reported."""
        return self.mutation.verdict is Verdict.LEGAL and bool(self.errors)

    @property
    def cascaded(self) -> bool:
        """Return whether more was reported than broke."""
        return len(self.errors) > max(self.mutation.places, 1)

    def __str__(self) -> str:
        text = self.subject.text
        lines = [f"{self.subject.title} [{self.mutation.kind}] {self.mutation.verdict}"]
        for change in self.mutation.changes[:3]:
            start = text.rfind("\n", 0, change.span.start) + 1
            end = text.find("\n", change.span.end)
            new = text[start : change.span.start] + "⟦" + change.text + "⟧" + text[change.span.end : end]
            old = text[change.span.start : change.span.end]
            lines.append(f"    {' '.join(new.split())[:150]}    (was: {' '.join(old.split())[:70]})")
        mutated = self.mutation.apply(text)
        for item in self.errors[:6]:
            line = mutated.count("\n", 0, item.location.span.start) + 1
            marked = " ".join(mutated[item.location.span.start : item.location.span.end].split())[:40]
            lines.append(f"    → {line}: {item.rule.name}: {item.message[:170]} | {marked}")
        return "\n".join(lines + ([self.crash] if self.crash else []))


@dataclass
class Tally:
    """The outcomes of a run, by their kind of failure."""

    tried: Counter[str] = field(default_factory=Counter)
    illegal: int = 0
    silent: list[Outcome] = field(default_factory=list)
    wrong: list[Outcome] = field(default_factory=list)
    crashed: list[Outcome] = field(default_factory=list)
    cascades: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        self.tried[outcome.mutation.kind] += 1
        self.illegal += bool(outcome.errors)
        for found, kept in (
            (outcome.crash is not None, self.crashed), (outcome.passed_silently, self.silent),
            (outcome.rejected_wrongly, self.wrong), (outcome.cascaded, self.cascades),
        ):  # fmt: skip
            if found:
                kept.append(outcome)

    @property
    def cascade_rate(self) -> float:
        """The share of the rejected mutations about which more was reported than broke."""
        return len(self.cascades) / max(self.illegal, 1)


def programs() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the library, the examples, and every valid program among the fixtures."""
    yield "library", read_program(ROOT / "analysis" / "snd_analysis" / "libraries" / "std")
    for path in sorted((ROOT / "examples").glob("*/main.sknd")):
        if path.parent.name != "broken":
            yield path.parent.name, read_program(path.parent)
    for folder in ("valid", "listings"):
        for path in sorted((ROOT / "tests" / "fixtures" / folder).iterdir()):
            yield path.stem, read_program(path)


def mutations(subject: Subject) -> Iterator[Mutation]:
    """Yield all mutations of a definition that change something."""
    for operator in OPERATORS:
        for found in operator(subject):
            if found.apply(subject.text) != subject.text:
                yield found


def outcome(subject: Subject, mutation: Mutation) -> Outcome:
    """Return the diagnostics of a mutation."""
    try:
        return Outcome(subject, mutation, subject.errors(mutation.apply(subject.text)))
    except Exception:  # the tests look for crashes
        return Outcome(subject, mutation, [], traceback.format_exc(limit=-4))


def run(every: int = 1, words: tuple[str, ...] = (), seed: int = 1, definitions: int = 1) -> Tally:
    """Try mutations: all of them, or one in ``every`` of those of one in ``definitions``, chosen by ``seed``."""
    choose = random.Random(seed)
    tally = Tally()
    for title, files in programs():
        for subject in subjects(title, files):
            if choose.randrange(definitions):
                continue
            named = not words or any(word in subject.title for word in words)
            for each in mutations(subject):
                if choose.randrange(every) == 0 and (named or each.kind in words):
                    tally.add(outcome(subject, each))
    return tally


def main(arguments: list[str]) -> None:
    """Print wrong reports."""
    every = int(arguments[arguments.index("--every") + 1]) if "--every" in arguments else 1
    seed = int(arguments[arguments.index("--seed") + 1]) if "--seed" in arguments else 1
    words = tuple(word for word in arguments if not word.startswith("--") and not word.isdigit())
    started = time.monotonic()
    tally = run(every, words, seed)
    for title, found in (
        ("CRASH", tally.crashed), ("REJECTED", tally.wrong), ("SILENT", tally.silent), ("CASCADE", tally.cascades),
    ):  # fmt: skip
        for item in found:
            print(f"{title} {item}")
    for title, found in (("silent", tally.silent), ("cascades", tally.cascades), ("wrong", tally.wrong)):
        print(title, Counter(item.mutation.kind for item in found).most_common(), file=sys.stderr)
    print(
        f"{sum(tally.tried.values())} mutations in {time.monotonic() - started:.0f} s, {tally.illegal} rejected: "
        f"{len(tally.crashed)} crashes, {len(tally.wrong)} wrong errors, {len(tally.silent)} silent, "
        f"{len(tally.cascades)} cascades ({tally.cascade_rate:.2%})",
        file=sys.stderr,
    )
