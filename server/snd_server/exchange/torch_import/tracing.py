"""Modules of PyTorch as files of ``torch.export``, in memory. Only this module and its callers import PyTorch."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from snd_server.exchange.onnx_import import ConvertedModel, InvalidModelError, convert_graph
from snd_server.exchange.torch_import.program import read_program
from snd_server.running.arguments import ArgumentError


def demand_torch() -> Any:
    """Return the package ``torch``. Raise ArgumentError if it is not installed."""
    try:
        import torch
    except ImportError:
        raise ArgumentError("this needs the package torch: pip install torch installs it") from None
    return torch


def export_program(module: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], dynamic: Any) -> Any:
    """Return a module as an exported program, in evaluation mode. Raise ArgumentError if PyTorch can't export it."""
    torch = demand_torch()
    with _evaluating(torch, module):
        try:
            return torch.export.export(
                module, tuple(arguments), dict(keywords), dynamic_shapes=_named(torch, dynamic), strict=False
            )
        except Exception as error:  # torch.export has no base class of its errors
            raise ArgumentError(f"torch.export can't export this module: {_first_line(error)}") from error


def converted_program(program: Any, source: str, dynamic: Any, memory: int) -> ConvertedModel:
    """Return an exported program as a SkriptND model.

    The calls of the program as it is give the most readable text. If some of them can't be translated, the program is
    translated in its functional form. Raise ArgumentError for a program that has none in SkriptND.
    """
    extents = extent_names(program, dynamic)
    try:
        found = _converted(program, source, extents, memory)
        if not found.problems:
            return found
    except InvalidModelError:
        found = None
    try:
        other = _converted(program.run_decompositions({}), source, extents, memory)
    except InvalidModelError as problem:
        if found is None:
            raise ArgumentError(f"the exported program can't be read: {problem}") from None
        return found
    return other if found is None or len(other.problems) < len(found.problems) else found


def _converted(program: Any, source: str, extents: Mapping[str, str], memory: int) -> ConvertedModel:
    content = io.BytesIO()
    demand_torch().export.save(program, content)
    content.seek(0)
    return convert_graph(read_program(content, memory, extents), source)


def extent_names(program: Any, dynamic: Any) -> dict[str, str]:
    """Return the names that ``dynamic`` gives to the symbols of a program."""
    if dynamic is None:
        return {}
    specs = list(dynamic.values()) if isinstance(dynamic, Mapping) else list(dynamic)
    names = program.graph_signature.user_inputs
    shapes = {
        node.name: node.meta["val"].shape for node in program.graph.nodes if hasattr(node.meta.get("val"), "shape")
    }
    found: dict[str, str] = {}
    for name, spec in zip(names, specs, strict=False):
        axes = spec.items() if isinstance(spec, Mapping) else enumerate(spec if isinstance(spec, list | tuple) else ())
        for axis, each in axes:
            wanted = each if isinstance(each, str) else getattr(each, "__name__", "")
            symbol = str(shapes[name][axis])
            if wanted.isidentifier() and symbol.isidentifier():
                found[symbol] = wanted
    return found


def _named(torch: Any, dynamic: Any) -> Any:
    """Return a specification of dynamic extents with names replaced by the dimensions of PyTorch."""
    known: dict[str, Any] = {}

    def dimension(spec: Any) -> Any:
        match spec:
            case str():
                return known.setdefault(spec, torch.export.Dim(spec))
            case Mapping():
                return {key: dimension(each) for key, each in spec.items()}
            case list() | tuple():
                return type(spec)(map(dimension, spec))
        return spec

    return dimension(dynamic)


@contextmanager
def _evaluating(torch: Any, module: Any) -> Iterator[None]:
    """Set a module to evaluation for a while, without the fused kernels that hide its layers."""
    training = [(each, each.training) for each in module.modules()]
    mha = torch.backends.mha
    is_fast = mha.get_fastpath_enabled()
    mha.set_fastpath_enabled(False)
    module.eval()
    try:
        yield
    finally:
        mha.set_fastpath_enabled(is_fast)
        for each, was in training:
            each.training = was


def _first_line(error: Exception) -> str:
    lines = [each.strip() for each in str(error).splitlines() if each.strip()]
    return lines[0][:300] if lines else type(error).__name__
