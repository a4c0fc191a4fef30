"""Hovers about conditions for all sizes: of an operator, and at a place in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from snd_analysis.base import counted
from snd_analysis.ide.hover import Hover
from snd_analysis.ide.limits import MOST_SHOWN_CONDITIONS
from snd_analysis.ide.markdown import bullets, code, paragraphs, plain
from snd_analysis.ide.proofs.operators import Provable
from snd_analysis.proofs import Proof, Verdict


def conditions_hover(operator: Provable, proofs: Sequence[Proof], offset: int) -> Hover | None:
    """Return the verdicts on an operator at its name, or on the conditions around an offset elsewhere in it.

    None if there are none.
    """
    if not proofs:
        return None
    if operator.head.start <= offset <= operator.head.end:
        return Hover(operator.head, _summary(proofs))
    around = [each for each in proofs if each.span.start <= offset < each.span.end]
    if not around:
        return None
    # Outer conditions concern something else: the formula, for an index in it.
    span = min((each.span for each in around), key=lambda each: each.end - each.start)
    return Hover(span, paragraphs(["for all sizes:", bullets([_told(each) for each in around if each.span == span])]))


def _summary(proofs: Sequence[Proof]) -> str:
    counts = Counter(each.verdict for each in proofs)
    listed = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    open_ones = [each for verdict in (Verdict.REFUTED, Verdict.UNKNOWN) for each in proofs if each.verdict is verdict]
    lines = [_told(each) for each in open_ones[:MOST_SHOWN_CONDITIONS]]
    more = len(open_ones) - len(lines)
    return paragraphs(
        [
            f"{counted(len(proofs), 'condition')} for all sizes: {listed}",
            bullets([*lines, *([f"and {more} more"] if more else [])]),
        ]
    )


def _told(proof: Proof) -> str:
    told = f"{proof.verdict}: {plain(proof.condition)}"
    match proof.verdict:
        case Verdict.REFUTED:
            found = proof.candidates[0]
            sizes = f" with {plain(found.sizes)}" if found.sizes else ""
            return f"{told}{sizes}: {plain(proof.reason)}; {code(f'# >>> {found.sample}')}"
        case Verdict.UNKNOWN:
            return f"{told}: {plain(proof.reason)}"
    return told
