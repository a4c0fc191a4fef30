"""Modules that a Python function returns, saved as a file of ``torch.export``."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from snd_server.exchange.torch_import.tracing import demand_torch, export_program, extent_names
from snd_server.running.arguments import ArgumentError

_INPUT = re.compile(r"^(real|int|bool)?\[([\w\s,]*)\]$")
_EXAMPLE = 4
"""Example of an extent that has a name."""
_DTYPES = {"real": "float32", "int": "int64", "bool": "bool"}


def save_program(function: str, inputs: Sequence[str], path: str) -> dict[str, str]:
    """Execute ``package.module:function``, export the module that it returns; return the names of its extents.

    Raise ArgumentError.
    """
    torch = demand_torch()
    if not inputs:
        raise ArgumentError("torch.export takes example inputs: --input '[1,3,224,224]' for each")
    examples, dynamic = zip(*(_example(torch, each) for each in inputs), strict=True)
    module = _module(torch, function)
    program = export_program(module, examples, {}, dynamic if any(dynamic) else None)
    torch.export.save(program, path)
    return extent_names(program, dynamic)


def _module(torch: Any, function: str) -> Any:
    place, _, name = function.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(place), name)
        module = found if isinstance(found, torch.nn.Module) else found()
    except Exception as error:  # the code is the user's, and may raise anything
        raise ArgumentError(f"{function} can't be executed: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(os.getcwd())
    if not isinstance(module, torch.nn.Module):
        raise ArgumentError(f"{function} returns a {type(module).__name__}, not a torch.nn.Module")
    return module


def _example(torch: Any, text: str) -> tuple[Any, dict[int, str]]:
    """Return an example of a type such as ``int[batch,16]``, and the names of its extents by axis."""
    found = _INPUT.match(text.strip())
    if found is None:
        raise ArgumentError(f"--input {text} is no type of a tensor, such as [1,3,224,224] or int[batch,16]")
    dtype = getattr(torch, _DTYPES[found[1] or "real"])
    extents = [each.strip() for each in found[2].split(",") if each.strip()]
    names = {axis: each for axis, each in enumerate(extents) if not each.isdigit()}
    if not all(each.isidentifier() for each in names.values()):
        raise ArgumentError(f"--input {text}: an extent is a number or a name")
    shape = [int(each) if each.isdigit() else _EXAMPLE for each in extents]
    return torch.zeros(shape, dtype=dtype), names
