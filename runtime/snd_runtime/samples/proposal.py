"""A sample for a definition that has none: small valid attributes and inputs, and the results."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Session, Template
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import format_value
from snd_analysis.workspace import CheckedSample, Snapshot
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import Bound, bound
from snd_runtime.evaluation.request import EvaluationRequest
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.limits import Budget
from snd_runtime.samples.attribute_choices import needed_attributes
from snd_runtime.samples.evaluation import evaluate_sample
from snd_runtime.samples.limits import MOST_BINDINGS, WIDEST_LINE
from snd_runtime.samples.outcome import SampleOutcome, Status
from snd_runtime.samples.request import SampleRequest
from snd_runtime.samples.written_arguments import STYLES, argument_text
from snd_runtime.values import PlainValue

SEARCH_SECONDS = 3.0
"""Time for finding attributes and shapes."""
_SHAPE_SECONDS = 0.5
"""Time for finding the shapes of inputs with certain attributes."""


class ProposalRequest(Struct, frozen=True):
    """``around`` has the texts, and how samples in them are evaluated."""

    around: SampleRequest
    name: OperatorName


class SampleProposal(Struct, frozen=True):
    """The lines of an invocation without their ``# >>>`` and ``# ...``, and its outcome."""

    code: tuple[str, ...]
    outcome: SampleOutcome


class NoProposal(Struct, frozen=True):
    """The reason that there is no proposal."""

    reason: str


def propose_sample(snapshot: Snapshot, request: ProposalRequest) -> SampleProposal | NoProposal:
    """Return the best of some samples that check and can be evaluated: one without NaN if there is one."""
    session = snapshot.session()
    template = session.template(request.name)
    if template is None or template.errors:
        return NoProposal("what is wrong with it must be mended first")
    found = next(bindings(session, template, request.around), None)
    if found is None:
        return NoProposal("no attributes and inputs were found with which it can be invoked")
    codes = list(dict.fromkeys(_codes(template, *found)))
    proposals = [*_evaluated(snapshot, request, codes)]
    best = min(proposals, key=_fault, default=None)
    if best is None:
        return NoProposal("no invocation was found that is right")
    if best.outcome.status is not Status.UNRECORDED:
        return NoProposal(best.outcome.message or "nothing comes out of it")
    return best


def _fault(proposal: SampleProposal) -> int:
    """Return the rank of a proposal by its faults; the first of equal ones counts."""
    outcome = proposal.outcome
    if outcome.status is not Status.UNRECORDED:
        return 2
    tensors = [tensor.summary for result in outcome.results for tensor in result.shown]
    return any(summary is not None and (summary.nan or summary.infinite) for summary in tensors)


# ---- binding ---------------------------------------------------------------------------------------------------------
def bindings(
    session: Session, template: Template, around: SampleRequest
) -> Iterator[tuple[Mapping[str, PlainValue], Bound]]:
    """Yield attributes with which the definition binds to some inputs; required ones if none are given."""
    end = time.thread_time() + SEARCH_SECONDS
    for attributes in islice(needed_attributes(template), MOST_BINDINGS):
        given = EvaluationRequest(template.name, attributes, seed=around.seed)
        try:
            budget = Budget(around.limits)
            yield attributes, bound(session, template, given, around.real, budget, search_seconds=_SHAPE_SECONDS)
        except (InvalidRequest, EvaluationFailed):
            pass
        if time.thread_time() > end:
            return


# ---- code ------------------------------------------------------------------------------------------------------------
def _codes(template: Template, attributes: Mapping[str, PlainValue], binding: Bound) -> Iterator[tuple[str, ...]]:
    """Yield invocations in several styles; with generic types, too, where arguments may not determine them."""
    given = ", ".join(f"{name}={_plain_text(value)}" for name, value in attributes.items())
    dtypes = ", ".join(binding.specialization.scope.dtypes.get(each.name.text, "real") for each in template.generics)
    head = template.name.name
    for generics in ("", f"<{dtypes}>") if dtypes else ("",):
        for style in STYLES:
            arguments = [argument_text(each, style) for each in binding.arguments]
            while arguments and arguments[-1] == "~":
                arguments.pop()
            yield tuple(_lines(f"{head}{generics}{f'{{{given}}}' if given else ''}(", arguments))


def _lines(head: str, arguments: Sequence[str]) -> Iterator[str]:
    """On one line, or on one for each argument where that is too long."""
    whole = f"{head}{', '.join(arguments)})"
    if len(whole) <= WIDEST_LINE or len(arguments) < 2:
        yield whole
        return
    blanks = " " * min(len(head), WIDEST_LINE // 2)
    for at, argument in enumerate(arguments):
        yield f"{blanks if at else head}{argument}{')' if at == len(arguments) - 1 else ','}"


def _plain_text(value: PlainValue) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain_text, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_value(value, quoted=True) if isinstance(value, str) else repr(value)


# ---- trying ----------------------------------------------------------------------------------------------------------
def _evaluated(
    snapshot: Snapshot, request: ProposalRequest, codes: Sequence[tuple[str, ...]]
) -> Iterator[SampleProposal]:
    """Yield all of them as samples above the definition, evaluated in their order until one has no fault.

    Together they may take the time of one.
    """
    around, path = request.around, request.name.path
    found = snapshot.definitions(path)[request.name.name]
    at = found.start + found.definition.start
    text = snapshot.source(path).text
    comments = "".join(f"\n{comment}\n\n" for comment in map(sample_comment, codes))
    changed = snapshot.changed({path: f"{text[:at]}\n{comments}{text[at:]}"})
    placed = [each for each in changed.samples(path) if at <= each.start + each.sample.span.start <= at + len(comments)]
    limits, real = around.limits, np.dtype(around.real)
    for code, each in zip(codes, placed, strict=True):
        checked: CheckedSample = changed.checked_sample(path, each.sample)
        if checked.problems:
            continue
        outcome = evaluate_sample(changed.session(), checked, limits, real, around.seed)
        proposal = SampleProposal(code, outcome)
        yield proposal
        if limits.seconds is not None:
            limits = replace(limits, seconds=limits.seconds - outcome.seconds)
        if not _fault(proposal) or (limits.seconds is not None and limits.seconds <= 0):
            return


def sample_comment(code: Sequence[str], line_break: str = "\n") -> str:
    """Return the lines of an invocation as comments."""
    return line_break.join(f"# {'...' if at else '>>>'} {line}" for at, line in enumerate(code))
