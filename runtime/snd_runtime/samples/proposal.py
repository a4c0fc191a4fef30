"""A sample for a definition that has none: small attributes and inputs with which it binds, and what comes out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Member, Session, Template
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import format_value
from snd_analysis.workspace import CheckedSample, Snapshot
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import Bound, bound
from snd_runtime.evaluation.request import EvaluationRequest
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.limits import Budget
from snd_runtime.samples.evaluation import evaluate_sample
from snd_runtime.samples.limits import MOST_BINDINGS, WIDEST_LINE
from snd_runtime.samples.outcome import SampleOutcome, Status
from snd_runtime.samples.request import SampleRequest
from snd_runtime.samples.written_arguments import STYLES, argument_text
from snd_runtime.values import PlainValue

SEARCH_SECONDS = 3.0
_SHIFTS = 4
"""For finding attributes and shapes."""
_SHAPE_SECONDS = 0.5
"""For the shapes of inputs with certain attributes."""


class ProposalRequest(Struct, frozen=True):
    """``around`` has the texts, and how samples in them are evaluated."""

    around: SampleRequest
    name: OperatorName


class SampleProposal(Struct, frozen=True):
    """The lines of an invocation without their ``# >>>`` and ``# ...``, and what comes of it."""

    code: tuple[str, ...]
    outcome: SampleOutcome


class NoProposal(Struct, frozen=True):
    """There is none, for a reason that can be told."""

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
    """Return how much is wrong with a proposal; of those with as little, the first counts."""
    outcome = proposal.outcome
    if outcome.status is not Status.UNRECORDED:
        return 2
    tensors = [tensor.summary for result in outcome.results for tensor in result.shown]
    return any(summary is not None and (summary.nan or summary.infinite) for summary in tensors)


# ---- attributes ------------------------------------------------------------------------------------------------------
def bindings(
    session: Session,
    template: Template,
    around: SampleRequest,
    tried: Iterable[Mapping[str, PlainValue]] | None = None,
) -> Iterator[tuple[Mapping[str, PlainValue], Bound]]:
    """Yield attributes, those that need a value if none are given, with which the definition binds to some inputs."""
    end = time.thread_time() + SEARCH_SECONDS
    for attributes in islice(_attributes(template) if tried is None else tried, MOST_BINDINGS):
        given = EvaluationRequest(template.name, attributes, seed=around.seed)
        try:
            budget = Budget(around.limits)
            yield attributes, bound(session, template, given, around.real, budget, search_seconds=_SHAPE_SECONDS)
        except (InvalidRequest, EvaluationFailed):
            pass
        if time.thread_time() > end:
            return


def _attributes(template: Template) -> Iterator[Mapping[str, PlainValue]]:
    """Those without which nothing goes; then with one of the others, too."""
    needed = [each for each in template.attributes if each.node.default is None and not each.node.optional]
    others = [each for each in template.attributes if each not in needed]
    for members in (needed, *([*needed, other] for other in others)):
        for values in product(*(_attribute_values(template, each) for each in members)):
            yield {member.name: value for member, value in zip(members, values, strict=True)}


def different_attributes(template: Template) -> Iterator[Mapping[str, PlainValue]]:
    """Yield values for all attributes, such that few of one type are equal; none if there are no two attributes."""
    values = {each.name: _attribute_values(template, each) for each in template.attributes}
    for shift in range(_SHIFTS if len(values) > 1 else 0):
        yield {name: each[(at + shift) % len(each)] for at, (name, each) in enumerate(values.items())}


def _attribute_values(template: Template, member: Member) -> Sequence[PlainValue]:
    single: Sequence[PlainValue] = _single_values(template, member.node.type.text)
    if member.node.pack is None:
        return single
    lists: list[PlainValue] = [(value,) * length for length in (2, 1, 3, 4) for value in single[:3]]
    return [*lists, tuple(single[:2]), ()]


def _single_values(template: Template, dtype: str) -> Sequence[PlainValue]:
    literals = [each.value for each in nodes.descendants(template.definition) if isinstance(each, nodes.Literal)]
    match dtype:
        case "int":
            named = [each for each in literals if type(each) is int and 3 < each <= 64]
            return list(dict.fromkeys((2, 1, 0, 3, -1, *named)))
        case "bool":
            return (True, False)
        case "str":
            return list(dict.fromkeys((*(each for each in literals if isinstance(each, str)), "a")))
        case _:
            return (0.5, 1.0, 2.0, 0.0, -1.0)


# ---- code ------------------------------------------------------------------------------------------------------------
def _codes(template: Template, attributes: Mapping[str, PlainValue], binding: Bound) -> Iterator[tuple[str, ...]]:
    """Invocations in several styles; with generic types, too, where arguments may not tell them."""
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
