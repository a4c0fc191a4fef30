"""Refuted conditions as diagnostics: sizes that break them, an assertion that fixes them, and a sample to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Fix, Location, Span, TextEdit
from snd_analysis.proofs import Proof, Verdict, assertion_edit
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


def refutations(proofs: Iterable[Proof], snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each condition that is refuted."""
    for proof in proofs:
        if proof.verdict is Verdict.REFUTED:
            message = f"not for all sizes: {proof.condition}\n{_shown(proof)}"
            rule = rules.NOT_FOR_ALL_SIZES
            location = Location(proof.path, proof.span)
            keeping = tuple(_keeping(proof, snapshot))
            yield Diagnostic(
                rule, rule.severity, message, location, fix=_fix(proof, snapshot), alternatives=keeping
            )  # fmt: skip


def _shown(proof: Proof) -> str:
    """Return the failure with the sizes that cause it, and a sample that an author can keep."""
    found = proof.candidates[0]
    sizes = f"with {found.sizes}: " if found.sizes else ""
    return f"{sizes}{proof.reason}\n# >>> {found.sample}"


def _fix(proof: Proof, snapshot: Snapshot) -> Fix | None:
    if not proof.assertions:
        return None
    edit = assertion_edit(snapshot, OperatorName(proof.path, proof.operator), proof.assertions)
    if edit is None:
        return None
    where = TextEdit(Location(proof.path, edit.span), edit.text)
    shown = " and ".join(f"'{each}'" for each in proof.assertions)
    return Fix(f"assert {shown}", (where,), safe=False)


def _keeping(proof: Proof, snapshot: Snapshot) -> Iterator[Fix]:
    """Yield the change that puts the sample above the operator, where it fails until the operator is mended."""
    placed = snapshot.definitions(proof.path).get(proof.operator)
    if placed is None:
        return
    text = snapshot.source(proof.path).text
    at = placed.start + placed.definition.start
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    if text[start:at].strip() or f"# >>> {proof.candidates[0].sample}" in text:  # behind another definition, or kept
        return
    line_break = next((each for each in ("\r\n", "\n", "\r") if each in text), "\n")
    line = f"# >>> {proof.candidates[0].sample}{line_break}{text[start:at]}"
    edit = TextEdit(Location(proof.path, Span(at, at)), line)
    yield Fix("keep the counterexample as a sample", (edit,), safe=False)
