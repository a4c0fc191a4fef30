"""Exceptions of the functions of ``snd``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from snd_analysis import base
from snd_analysis.base import Source
from snd_server.running.arguments import ArgumentError

__all__ = [
    "ArgumentError",
    "ConversionError",
    "Diagnostic",
    "ExportError",
    "ModelError",
    "WeightsError",
    "WeightsWarning",
    "diagnostic_of",
]


ArgumentError.__module__ = __name__  # users see and catch it under one name


class Diagnostic(Struct, frozen=True):
    """A broken rule at a place in a file; lines and columns count from 1."""

    rule: str
    severity: str
    """``error``, ``warning`` or ``hint``. Only errors make a model invalid."""
    message: str
    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.severity}[{self.rule}]: {self.message}"


class ModelError(Exception):
    """A model with mistakes, a run that failed, or one that went beyond its limits: ``diagnostics`` say where."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = tuple(diagnostics)


class ExportError(Exception):
    """Operators that can't be written in another format: ``reasons`` says why, by operator."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("\n".join(f"{operator}: {reason}" for operator, reason in reasons.items()))
        self.reasons = dict(reasons)


class WeightsError(Exception):
    """Weights that do not fit a model by their names.

    ``drawn`` are variables without a weight, ``unused`` are weights without a variable.
    """

    def __init__(self, message: str, drawn: Sequence[str] = (), unused: Sequence[str] = ()) -> None:
        super().__init__(message, tuple(drawn), tuple(unused))
        self.drawn = tuple(drawn)
        self.unused = tuple(unused)

    def __str__(self) -> str:
        return str(self.args[0])


class WeightsWarning(UserWarning):
    """Variables of a model that are drawn at random, or weights beside a model that no variable takes."""


class ConversionError(Exception):
    """An ONNX model with nodes that no operator takes the place of: ``problems`` has their names and the reasons."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def diagnostic_of(found: base.Diagnostic, source: Source) -> Diagnostic:
    """Return a diagnostic of the analysis, with its place in the text of its file."""
    at = source.position(found.location.span.start)
    return Diagnostic(found.rule.name, found.severity.value, found.message, found.location.path, at.line, at.column)
