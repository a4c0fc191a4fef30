"""Reasons why something has no form in another format."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Unsuitable(Exception):  # noqa: N818 - another way is tried then
    """This form does not fit an operation, and another is tried; the message states the reason."""


class ExportProblem(Struct, frozen=True, order=True):
    """An operator that can't be exported, and why."""

    operator: str
    reason: str

    def __str__(self) -> str:
        return f"{self.operator}: {self.reason}"


class NotExportable(Exception):  # noqa: N818
    """Operators of a model can't be exported: all of them, each once for each reason."""

    def __init__(self, problems: Sequence[ExportProblem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)
