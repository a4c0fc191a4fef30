"""Outcome of a sample, or of a graph that it runs, as an object of JSON (docs/lsp.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snd_analysis.ide.evaluation import GraphName, SampleName
from snd_server.lsp.session.freshness import freshness_of

if TYPE_CHECKING:
    from snd_runtime.samples import GraphTrace, SampleOutcome


def sample_content(outcome: SampleOutcome) -> dict[str, Any]:
    """Return the outcome of an evaluation that has just ended."""
    from snd_server.render.evaluated_json import tensors_content

    return {
        "age": freshness_of(outcome).value,
        "status": outcome.status.value,
        "rule": outcome.rule and outcome.rule.name,
        "message": outcome.message,
        "seconds": round(outcome.seconds, 6),
        "results": [
            {
                "name": result.name,
                "text": result.now,
                "brief": result.brief,
                "recorded": result.recorded,
                "difference": result.difference,
                "tensors": tensors_content(result.shown),
            }
            for result in outcome.results
        ],
    }


def trace_content(graph: GraphName, sample: SampleName, trace: GraphTrace) -> dict[str, Any]:
    """Return the tensors of the graph's own statements, as a sample gave them."""
    from snd_server.render.evaluated_json import tensors_content

    tensors = [
        content for name, each in trace.values.items() if not name.updated for content in tensors_content(each.shown)
    ]
    return {
        "version": 1,
        "graph": graph.name,
        "sample": {"code": sample.code, "occurrence": sample.occurrence},
        "age": freshness_of(trace).value,
        "rule": trace.rule and trace.rule.name,
        "message": trace.message,
        "seconds": round(trace.seconds, 6),
        "trace": tensors,
    }
