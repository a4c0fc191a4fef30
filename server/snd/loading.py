"""From a path to a model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from snd.errors import ArgumentError
from snd.model import Model
from snd_runtime.limits import Limits
from snd_server.checking import Checker
from snd_server.cli import allow_deep_recursion
from snd_server.config import Configurations
from snd_server.model_folder import main_file
from snd_server.running import RunRequest, prepare
from snd_server.selection import RuleSettings


def load(
    path: str | os.PathLike[str],
    graph: str | None = None,
    *,
    attributes: Mapping[str, Any] | None = None,
    types: Mapping[str, str] | None = None,
    weights: str | os.PathLike[str] | None = None,
    seed: int = 0,
    seconds: float | None = None,
    memory: int = 4 << 30,
) -> Model:
    """Load a model: a SkriptND file, an NNEF 1.0 graph, the folder of either, or an NNEF 1.0 archive.

    ``graph`` names one of several graphs; by default it is the first that no other invokes. ``attributes`` and
    generic ``types`` are those of the graph. ``weights`` is a folder or file as ``snd run --weights`` takes it; by
    default it is what lies beside the model. Variables without a file are drawn, which depends on ``seed``. A run may
    take as many ``seconds``, and ``memory`` in bytes for its tensors.

    A model with mistakes can be loaded: see ``Model.diagnostics``. Raises ArgumentError if there is no such file,
    graph, attribute or type, or if the weights can't be read.
    """
    allow_deep_recursion()
    file = main_file(os.fspath(path))
    checker = Checker(Configurations(None), RuleSettings())
    snapshot = checker.snapshot(file)
    if snapshot.file(file) is None:
        raise ArgumentError(f"there is no file {file}")
    request = RunRequest(
        file, graph, weights=None if weights is None else os.fspath(weights), seed=seed, memory_bytes=memory
    )
    prepared = prepare(snapshot, request, checker.configurations.of_file(file).weights)
    limits = Limits(seconds=seconds, tensor_bytes=memory)
    return Model(checker, prepared, attributes or {}, types or {}, limits)
