"""Failures of a graph that occur only if an optional input is given, or only if it is omitted (2.6, 2.10.1).

The user who runs the graph decides that, so the graph must be right for every choice. It is composed with each choice
that no assertion of the graph excludes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TypeAlias

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.failure import Failure
from snd_analysis.compose.limits import MOST_OMISSIONS
from snd_analysis.compose.specialization import Specialization
from snd_analysis.symbolic.values import Maybe

Omissions: TypeAlias = "Mapping[str, bool]"
"""For each optional input, True if it is omitted."""


def open_inputs(root: Specialization) -> list[str]:
    """Return the names of the inputs of a composed graph that may be given or omitted."""
    if not root.template.is_graph:
        return []
    inputs = zip(root.template.inputs, root.inputs, strict=False)  # there are none where nothing could be composed
    return [member.name for member, value in inputs if isinstance(value, Maybe)]


def failures_by_omission(root: Specialization, composed: Callable[[Omissions], Specialization]) -> list[Failure]:
    """Return the failures that occur for some choices of optional inputs only, each once, with such a choice."""
    names = open_inputs(root)
    if not names:
        return []
    known = {(failure.rule, failure.sites) for failure in root.failures}
    failing: dict[tuple[object, ...], list[tuple[Omissions, Failure]]] = {}
    tried: list[Omissions] = []
    for omitted in islice(_choices(names), MOST_OMISSIONS):
        failures = composed(omitted).failures
        if any(_is_own_assertion(failure) for failure in failures):
            continue
        tried.append(omitted)
        for failure in failures:
            if (failure.rule, failure.sites) not in known:
                failing.setdefault((failure.rule, failure.sites), []).append((omitted, failure))
    return [_explained(found, tried) for found in failing.values()]


def _choices(names: Sequence[str]) -> Iterator[Omissions]:
    """Yield whether each input is omitted: first none, then all, then one or all but one, then the rest."""
    rows = sorted(product((False, True), repeat=len(names)), key=lambda row: min(sum(row), len(row) - sum(row)))
    yield from (dict(zip(names, row, strict=True)) for row in rows)


def _is_own_assertion(failure: Failure) -> bool:
    return failure.rule == rules.ASSERTION_FAILS and failure.sites[-1].place.statement is None


def _explained(found: Sequence[tuple[Omissions, Failure]], tried: Sequence[Omissions]) -> Failure:
    """Return the first of equal failures, saying which inputs it depends on."""
    omitted, failure = found[0]
    failing = [each for each, _ in found]

    def matters(name: str) -> bool:
        other = {**omitted, name: not omitted[name]}
        return other in tried and other not in failing

    parts = [f"'{name}' is {'omitted' if omitted[name] else 'given'}" for name in omitted if matters(name)]
    return replace(failure, message=f"{failure.message}, if {' and '.join(parts)}") if parts else failure
