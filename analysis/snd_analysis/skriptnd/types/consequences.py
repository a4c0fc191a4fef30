"""Problems of a definition that follow from others of it: to mend the others mends them, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.names import Resolution, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of


def without_consequences(
    definition: nodes.Definition, resolution: Resolution, names: Sequence[Problem], types: Sequence[Problem]
) -> Iterator[Problem]:
    """Yield the problems of names and types of a definition without those that follow from others."""
    counts = [problem.span for problem in types if problem.rule is rules.RESULT_COUNT]
    for problem in names:
        # `_, y = f(x);` with one result: to leave `_` out mends both.
        if problem.rule is not rules.RESERVED_NAME or not any(_is_in(problem, span) for span in counts):
            yield problem
    has_lost_length = _has_lost_length(definition, names)
    has_ambiguous_rank = any(problem.rule is rules.AMBIGUOUS_SHAPE for problem in types)
    has_lost_statement = any(problem.rule is rules.OUTPUT_NOT_ASSIGNED for problem in types)
    for problem in types:
        if has_lost_length and problem.rule is rules.PACK_EXPECTED and _is_input(resolution, problem.span):
            continue  # the declaration of the input, `xs: real[n]`, has lost `..(k)`
        if has_ambiguous_rank and problem.rule is rules.INDEX_COUNT:
            continue  # an input has lost the extent that tells the rank, and an index has it still
        if has_lost_statement and problem.rule is rules.UNKNOWN_QUANTIZED_TENSOR:
            continue  # the statement that assigns the output had the label
        yield problem


def _is_in(problem: Problem, span: Span) -> bool:
    return span.start <= problem.span.start < span.end


def _has_lost_length(definition: nodes.Definition, names: Sequence[Problem]) -> bool:
    """Return whether an output has a length that no input declares."""
    missing = {problem.span for problem in names if problem.rule is rules.UNDEFINED_NAME}
    lengths = (
        entry.pack.length.span.shifted(base)
        for base, entry in entries_of(definition, BlockKind.OUTPUT, nodes.Parameter)
        if missing and entry.pack is not None and entry.pack.length is not None
    )
    return any(length in missing for length in lengths)


def _is_input(resolution: Resolution, span: Span) -> bool:
    uses = (use for use in resolution.uses_in(span) if use.span == span)
    return any(getattr(use.target, "kind", None) is SymbolKind.INPUT for use in uses)
