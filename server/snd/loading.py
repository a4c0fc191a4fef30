"""Loads a model from a path."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
from msgspec.structs import replace

from snd.demands import by_name, demand_int, demand_number, demand_text, path_of
from snd.errors import ArgumentError, ConversionError
from snd.model import Missing, Model
from snd_analysis.base import UNFORKABLE
from snd_runtime.limits import Limits
from snd_server.checking.checker import Checker
from snd_server.cli import allow_deep_recursion
from snd_server.running.evaluate import RunRequest, prepare
from snd_server.running.weight_maps import rules_of
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.model_folder import SOURCE_SUFFIXES, main_file, no_file, no_graph


def load(
    path: str | os.PathLike[str],
    graph: str | None = None,
    *,
    attributes: Mapping[str, Any] | None = None,
    types: Mapping[str, str] | None = None,
    weights: str | os.PathLike[str] | None = None,
    map: str | os.PathLike[str] | Mapping[str, str] | None = None,
    missing: Missing | None = None,
    pulse: tuple[str, int] | None = None,
    seed: int = 0,
    seconds: float | None = None,
    memory: int = 4 << 30,
) -> Model:
    """Load a model: a SkriptND file, an NNEF 1.0 graph, the folder or an archive of these, or a file to translate.

    Files of ONNX (``.onnx``) and of ``torch.export.save`` (``.pt2``) are translated. No code of a file is executed.

    ``graph`` names one of several graphs; by default it is the first that no other invokes. ``attributes`` and
    generic ``types`` are those of the graph. ``weights`` is a folder or file as ``snd run --weights`` takes it; by
    default it is what lies beside the model. ``map`` renames weights: a file as ``snd run --map`` takes it, or new
    names by old ones, with ``*`` for a part without dots. A run may take as many ``seconds``, and ``memory`` in bytes
    for its tensors.

    With ``pulse``, as in ``("S", 10)``, a graph in NNEF 1.0 sees the symbol ``S`` as a stream: each run takes the next
    10 items, as with ``snd run --pulse``.

    A variable without a weight is drawn, which depends on ``seed``. With ``weights``, or ``missing="error"``, such a
    variable and a weight that no variable takes raise WeightsError. Without ``weights``, the first run warns of them.
    ``missing="random"`` accepts both in silence.

    A model with mistakes can be loaded: see ``Model.diagnostics``. Raise ArgumentError if there is no such file,
    graph, attribute or type, or if the weights can't be read, and ConversionError for an ONNX model with nodes that no
    operator takes the place of: ``snd.convert`` writes the rest of it. Raise TypeError for arguments of other types.
    """
    demand_text("graph", graph)
    demand_int("seed", seed)
    demand_int("memory", memory)
    demand_number("seconds", seconds)
    given, dtypes = by_name("attributes", attributes), by_name("types", types)
    for name, dtype in dtypes.items():
        demand_text(f"types['{name}']", dtype)
    name = path_of("path", path)
    place = None if weights is None else path_of("weights", weights)
    if missing not in (None, *get_args(Missing)):
        raise ArgumentError(f"'missing' must be 'error' or 'random', not {missing!r}")
    if missing is None and weights is not None:
        missing = "error"
    request = RunRequest(
        name, graph, weights=place, seed=int(seed), memory_bytes=int(memory), strict=missing == "error",
        pulse=None if pulse is None else _pulse(pulse),
    )  # fmt: skip
    if isinstance(map, Mapping):
        for old, new in by_name("map", map).items():
            demand_text(f"map['{old}']", new, is_optional=False)
        request = replace(request, rules=rules_of(map))
    elif map is not None:
        request = replace(request, map=path_of("map", map))
    with UNFORKABLE:
        return _loaded(request, given, dtypes, Limits(seconds=seconds, tensor_bytes=int(memory)), missing)


def _pulse(given: tuple[str, int]) -> tuple[str, int]:
    """Return a symbol and a number of items, if they are these. Raise ArgumentError."""
    match given:
        case (str(symbol), int(number)) if number > 0:
            return symbol, number
    raise ArgumentError(f"'pulse' must be a symbol and a positive number of items, not {given!r}")


def _loaded(
    request: RunRequest,
    attributes: Mapping[str, Any],
    types: Mapping[str, str],
    limits: Limits,
    missing: Missing | None,
) -> Model:
    allow_deep_recursion()
    file = main_file(request.path)
    checker = Checker(Configurations(None, pulse=request.pulse), RuleSettings())
    arrays = None
    if file.endswith(SOURCE_SUFFIXES):
        file, arrays = _translated(file, checker, request.memory_bytes)
    snapshot = checker.snapshot(file)
    if snapshot.file(file) is None:
        raise ArgumentError(no_file(file))
    if request.graph is None and not snapshot.main_graphs(file):
        raise ArgumentError(no_graph(snapshot, file))
    request = replace(request, path=file, arrays=arrays)
    prepared = prepare(snapshot, request, checker.configurations.of_file(file).weights)
    return Model(checker, prepared, attributes, types, limits, missing)


def _translated(path: str, checker: Checker, memory: int) -> tuple[str, dict[str, np.ndarray[Any, Any]]]:
    """Give the checker the text of a model in ONNX or of PyTorch; return where it finds it, and the variables."""
    from snd_server.exchange.onnx_conversion import convert_onnx
    from snd_server.exchange.onnx_import import tensor_array

    converted, _ = convert_onnx(path, memory)
    if converted.problems:
        raise ConversionError([str(each) for each in converted.problems])
    text = f"{path}.sknd"
    checker.provide(text, converted.text.encode())
    return text, {name: tensor_array(array) for name, array in converted.weights.items()}
