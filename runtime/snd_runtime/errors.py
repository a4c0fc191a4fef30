"""What stops an evaluation."""

from __future__ import annotations

from snd_analysis.model import Place


class EvaluationFailed(Exception):  # noqa: N818
    """An operation without a value, or a limit that is exceeded: by which rule, why, and where.

    ``place`` has the path, the definition and a span of it; None if there is no text to blame.
    """

    def __init__(self, rule: str, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.place = place
