"""The check of an exported model: snd's own rules of the dialect, and tract or the parser of Khronos."""

from __future__ import annotations

import os

from msgspec import Struct

from snd_analysis.base import Severity
from snd_analysis.nnef1.syntax import Dialect
from snd_server.checking.checker import Checker
from snd_server.exchange.engine_process import InferenceCrashError, InferenceError, InferenceLimitError
from snd_server.exchange.graph_export.limits import LONGEST_REFUSAL
from snd_server.exchange.nnef1_export.exported_file import settings_of
from snd_server.exchange.nnef1_export.packing import GRAPH, write_folder
from snd_server.exchange.nnef1_export.scope import Nnef1Model
from snd_server.exchange.nnef1_export.tract_inference import TractInference, has_khronos_parser, has_tract
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings


class Acceptance(Struct, frozen=True):
    """The reason why a model is refused, or a note that it could not be checked; None for neither."""

    refusal: str | None = None
    note: str | None = None


def accept(folder: str, model: Nnef1Model, inference: TractInference) -> Acceptance:
    """Write a model into a folder below ``folder``, and let snd and the engine of the dialect check it.

    Raise ValueError for a tensor that no file can hold.
    """
    written, dialect = os.path.join(folder, "model"), model.dialect
    write_folder(model, written)
    checker, graph = (
        Checker(Configurations(settings_of(written, dialect)), RuleSettings()),
        os.path.join(written, GRAPH),
    )
    errors = [each for each in checker.check(graph) if each.severity is Severity.ERROR]
    if errors:
        line = checker.source(graph).position(errors[0].location.span.start).line
        return Acceptance(refusal=f"snd does not accept the file, line {line}: {errors[0].message}")
    who = "tract does not load the file" if dialect is Dialect.TRACT else "the parser of Khronos does not read the file"
    try:
        if dialect is Dialect.TRACT:
            if not has_tract():
                return Acceptance(note="tract is not installed, so it was not asked to load the file")
            inference.load(written)
        elif has_khronos_parser():
            inference.parse(written, model.fragments)
    except (InferenceError, InferenceCrashError) as error:
        text = str(error) if len(str(error)) <= LONGEST_REFUSAL else f"{str(error)[:LONGEST_REFUSAL]}…"
        return Acceptance(refusal=f"{who}: {text}")
    except InferenceLimitError as limit:
        return Acceptance(note=str(limit))
    return Acceptance()
