"""Assertions that snd proposes, compared with runs with many sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from time import thread_time

from snd_analysis.proofs import Proof, Verdict, assertion_edit, proofs_of_operator
from snd_analysis.skriptnd.names import OperatorName
from snd_server.checking import proving
from support.memory import snapshot_of
from support.proofs.agreement import outcomes_of
from support.proofs.enumeration import Broken, Outcome, Sizes, WrongError, integer, truth
from support.proofs.random_operators import Expr, Operator
from support.proofs.reading import ReadOperator, formula_places, read_condition, read_operator

_KINDS = {
    "no extent": ("negative",),
    "no divisor": ("division",),
    "each item": ("item",),
    "each element": ("unwritten", "twice"),
    "'=' writes": ("twice",),
}


class Judged:
    """The refuted conditions of an operator, and the mistakes in the assertions that snd proposes for them."""

    def __init__(self, text: str, tries: int, operator: Operator | None = None) -> None:
        """Judge the proposals for an operator, which is read from its text if it is not given."""
        name = OperatorName("m.sknd", text.removeprefix("operator ").split()[0])
        self._snapshot = snapshot_of({"m.sknd": text})
        self._name = name
        proofs = proofs_of_operator(self._snapshot, name, thread_time)
        confirmed = proving._confirmed(proofs, self._snapshot, proving._evaluated_here)
        self._proofs = [*confirmed]
        self.refuted = [each for each in self._proofs if each.verdict is Verdict.REFUTED]
        self._read = read_operator(text) if operator is None else ReadOperator(operator, [*formula_places(text)])
        outcomes = outcomes_of(self._read.operator, Random(1), tries)
        self._outcomes = [each for each in outcomes if not each[1].is_refused]
        self.idle: list[str] = []
        """Sizes that work and are refused, though the formula of the condition has no point."""

    def wrong(self) -> Iterator[str]:
        """Yield refused sizes that work, allowed sizes that break a condition, and conditions still refuted."""
        for proof in self.refuted:
            if proof.assertions:
                yield from self._wrong(proof)

    def _wrong(self, proof: Proof) -> Iterator[str]:
        about = f"{proof.condition}: {'; '.join(proof.assertions)}"
        conditions = [read_condition(each) for each in proof.assertions]
        formulas = set(_formulas_of(self._read, proof))
        is_alone = sum(each.condition == proof.condition for each in self._proofs) == 1
        refused_idle = 0
        for sizes, outcome in self._outcomes:
            is_allowed = all(_holds(each, sizes, self._read) for each in conditions)
            if not is_allowed and not outcome.broken:
                if formulas & outcome.ran or (not formulas and not _is_empty(self._read, sizes, outcome)):
                    yield f"{about} refuses {sizes}, which work"
                    return
                refused_idle += 1
            if is_alone and is_allowed and any(_is_same(each, proof, formulas) for each in outcome.broken):
                yield f"{about} allows {sizes}, which break it"
                return
        if refused_idle:
            self.idle.append(f"{about} refuses {refused_idle} idle sizes")
        if is_alone and any(
            each.condition == proof.condition and each.verdict is Verdict.REFUTED for each in self.mended(proof)
        ):
            yield f"{about} is still refuted"

    def mended(self, proof: Proof) -> Sequence[Proof]:
        """Return the verdicts with the assertions for a condition."""
        edit = assertion_edit(self._snapshot, self._name, proof.assertions)
        assert edit is not None
        text = edit.apply(self._snapshot.source("m.sknd").text)
        return [*proofs_of_operator(snapshot_of({"m.sknd": text}), self._name, thread_time)]


def _holds(condition: Expr, sizes: Sizes, read: ReadOperator) -> bool:
    known = dict(sizes)
    try:
        for name, value in read.operator.using:
            known[name] = integer(value, known)
        return truth(condition, known)
    except WrongError:
        return False


def _formulas_of(read: ReadOperator, proof: Proof) -> Iterator[int]:
    """Yield the numbers of the formula of a condition, or of all that give a tensor its values."""
    for number, (start, end) in enumerate(read.formulas):
        if start <= proof.span.start and proof.span.end <= end:
            target = read.operator.formulas[number].target
            for other, formula in enumerate(read.operator.formulas):
                is_about_target = proof.condition.startswith(("each element", "'=' writes"))
                if other == number or (is_about_target and formula.target == target):
                    yield other


def _is_empty(read: ReadOperator, sizes: Sizes, outcome: Outcome) -> bool:
    """Return whether an input has no element, and no formula a point."""
    named = {part[1] for each in read.operator.inputs for part in each.shape if part[0] == "var"}
    named |= {each.length for each in read.operator.inputs if each.length}
    has_rank = any(part[0] == "spread" for each in read.operator.inputs for part in each.shape)
    is_empty = any(sizes[each] == 0 for each in named) or (has_rank and 0 in sizes["s"])
    return not outcome.ran and is_empty


def _is_same(broken: Broken, proof: Proof, formulas: set[int]) -> bool:
    if broken.part == "formula" and broken.number not in formulas:
        return False
    if (broken.part == "formula") != bool(formulas):
        return False
    if broken.kind == "index":
        return _plain(f"the index '{broken.text}' of '{broken.name}' is in bounds") == _plain(proof.condition)
    return any(proof.condition.startswith(text) and broken.kind in kinds for text, kinds in _KINDS.items())


def _plain(text: str) -> str:
    return re.sub(r"[() ]", "", text)
