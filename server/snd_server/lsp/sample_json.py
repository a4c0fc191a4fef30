"""What came of a sample, as an object of JSON (docs/lsp.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snd_server.lsp.ages import age_of

if TYPE_CHECKING:
    from snd_runtime.samples import SampleOutcome


def sample_content(outcome: SampleOutcome) -> dict[str, Any]:
    """The outcome of an evaluation that has just ended."""
    from snd_server.render.evaluated_json import tensors_content

    return {
        "age": age_of(outcome).value,
        "status": outcome.status.value,
        "rule": outcome.rule,
        "message": outcome.message,
        "seconds": round(outcome.seconds, 6),
        "results": [
            {
                "name": result.name,
                "text": result.now,
                "recorded": result.recorded,
                "difference": result.difference,
                "tensors": tensors_content(result.shown),
            }
            for result in outcome.results
        ],
    }
