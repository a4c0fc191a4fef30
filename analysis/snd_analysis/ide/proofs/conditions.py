"""Hovers about conditions for all sizes: of an operator, and at a place in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Fix, Location, Span, TextEdit, counted
from snd_analysis.ide.evaluation import Digests
from snd_analysis.ide.hover import Hover
from snd_analysis.ide.limits import MOST_SHOWN_CONDITIONS
from snd_analysis.ide.markdown import bullets, code, paragraphs, plain
from snd_analysis.proofs import Proof, Verdict, condition_text
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


# ---- the operators of a file with conditions that can be proved, and the dependencies of their verdicts --------------
class Provable(Struct, frozen=True, dict=True):
    """An operator in one state of the files. Spans are those of the file."""

    name: OperatorName
    head: Span
    """Span of its name."""
    span: Span
    text: str
    """Text of the definition; verdicts refer to places in it."""
    digests: Digests

    @cached_property
    def digest(self) -> str:
        """The same as long as nothing that its verdicts depend on has changed."""
        return self.digests.of(self.text, self.name)


def provable(snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[Provable]:
    """Yield the operators of a file, or those that touch a part of it."""
    digests, text = Digests(snapshot), snapshot.source(path).text
    for name, placed in snapshot.definitions(path).items():
        definition = placed.definition
        span = definition.span.shifted(placed.start)
        if definition.kind != "operator" or (within is not None and not _touch(span, within)):
            continue
        head = definition.name.span.shifted(placed.start)
        yield Provable(OperatorName(path, name), head, span, text[span.start : span.end], digests)


def _touch(span: Span, other: Span) -> bool:
    return span.start <= other.end and other.start <= span.end


# ---- hovers about conditions for all sizes ---------------------------------------------------------------------------
def conditions_hover(operator: Provable, proofs: Sequence[Proof], offset: int) -> Hover | None:
    """Return the verdicts on an operator at its name, or on the conditions around an offset elsewhere in it.

    None if there are none.
    """
    if not proofs:
        return None
    if operator.head.start <= offset <= operator.head.end:
        return Hover(operator.head, _summary(operator, proofs))
    around = [each for each in proofs if each.span.start <= offset < each.span.end]
    if not around:
        return None
    # Outer conditions concern something else: the formula, for an index in it.
    span = min((each.span for each in around), key=lambda each: each.end - each.start)
    return Hover(
        span,
        paragraphs(["for all sizes:", bullets([_told(each, each.condition) for each in around if each.span == span])]),
    )


def _summary(operator: Provable, proofs: Sequence[Proof]) -> str:
    counts = Counter(each.verdict for each in proofs)
    listed = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    open_ones = [each for verdict in (Verdict.REFUTED, Verdict.UNKNOWN) for each in proofs if each.verdict is verdict]
    start = operator.span.start
    lines = [
        _told(each, condition_text(replace(each, span=each.span.shifted(-start)), operator.text))
        for each in open_ones[:MOST_SHOWN_CONDITIONS]
    ]
    more = len(open_ones) - len(lines)
    return paragraphs(
        [
            f"{counted(len(proofs), 'condition')} for all sizes: {listed}",
            bullets([*lines, *([f"and {more} more"] if more else [])]),
        ]
    )


def _told(proof: Proof, condition: str) -> str:
    told = f"{proof.verdict}: {plain(condition)}"
    match proof.verdict:
        case Verdict.REFUTED:
            found = proof.candidates[0]
            sizes = f" with {plain(found.sizes)}" if found.sizes else ""
            return f"{told}{sizes}: {plain(proof.reason)}; {code(f'# >>> {found.sample}')}"
        case Verdict.UNKNOWN:
            return f"{told}: {plain(proof.reason)}"
    return told


# ---- refuted conditions as diagnostics: sizes that break them, an assertion that fixes them, and a sample to keep ----
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
    from snd_analysis.proofs import assertion_edit  # it loads z3, and no start of an editor has time for that

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
