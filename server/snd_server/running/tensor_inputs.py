"""Tensors as a command line gives them: values, files, generators."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.evaluation import InputValue, LiteralInput
from snd_runtime.files import InvalidFileError
from snd_runtime.generators import GENERATORS, parse_generator
from snd_server.running.arguments import ArgumentError, named
from snd_server.workspace_files.reading import reason
from snd_server.workspace_files.tensor_files import read_arrays

Array: TypeAlias = np.ndarray[Any, Any]

_NULL = ("~", "null")
_ITEM = re.compile(r"(?P<name>[^:=]+):(?P<at>\d{1,6})")
_SPECIAL = {"inf": "Infinity", "nan": "NaN"}
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_OF_PYTHON = re.compile(r"\d_|\b0[xXoObB]")
"""Numbers that Python reads: ``1_000``, ``0x10``."""
_WORD = re.compile(r"\b(inf|nan)\b")


def given_tensors(
    items: Sequence[str], most_bytes: int, option: str = "--input", names: Collection[str] = ()
) -> dict[str, InputValue]:
    """Read ``NAME=VALUE`` and, for a tensor of a pack, ``NAME:0=VALUE``. Raise ArgumentError, also for bad files.

    Files of more than ``most_bytes`` are refused. ``names`` are the known names; see ``named``.
    """
    found: dict[str, InputValue] = {}
    packs: dict[str, dict[int, InputValue]] = {}
    for item in items:
        target, text = named(item, names)
        if not target:
            raise ArgumentError(f"{option} {item}: write NAME=VALUE")
        match = None if target in names else _ITEM.fullmatch(target)
        name, at = (match["name"], int(match["at"])) if match else (target, None)
        if name in (packs if at is None else found):
            raise ArgumentError(
                f"{option} {_shortened(item)}: '{name}' is given as a whole, and by its tensors as well"
            )
        values = found if at is None else packs.setdefault(name, {})
        key: Any = name if at is None else at
        if key in values:
            raise ArgumentError(f"{option} {item}: '{target}' is given twice")
        try:
            values[key] = _value(text.strip(), most_bytes)
        except (ValueError, OSError, InvalidFileError) as error:
            raise ArgumentError(f"{option} {_shortened(item)}: {_reason(error)}") from None
    return {**found, **packs}


def _value(text: str, most_bytes: int) -> InputValue:
    if text in _NULL:
        return None
    if text.startswith("@"):
        return _from_file(text[1:], most_bytes)
    return parse_generator(text) or LiteralInput(_literal(text))


def _literal(text: str) -> Any:
    """Return numbers, ``true``, ``false``, strings and nested lists, as SkriptND writes them."""
    try:
        return _demanded(json.loads(_with_special(text)))
    except (ValueError, RecursionError):
        pass
    try:
        if _OF_PYTHON.search(_STRING.sub("''", text)):
            raise ValueError("numbers are written otherwise in SkriptND")
        return _demanded(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        kinds = ", ".join(f"{name}[2,3]" for name in GENERATORS)
        message = f"write a number, a nested list, a file (@NAME.npy, @NAME.npz:KEY, @NAME.dat) or one of {kinds}"
        raise ValueError(message) from None


def _with_special(text: str) -> str:
    return text if '"' in text or "'" in text else _WORD.sub(lambda match: _SPECIAL[match[1]], text)


def _demanded(value: Any) -> Any:
    items = [value]
    while items:
        item = items.pop()
        if isinstance(item, list | tuple):
            items.extend(item)
        elif not isinstance(item, int | float | str):
            raise ValueError(f"{item!r} is neither a number nor a bool nor a string")
    return value


# ---- files -----------------------------------------------------------------------------------------------------------
def _from_file(written: str, most_bytes: int) -> Array:
    path, _, key = written.rpartition(":")
    if path.endswith(".npz"):
        return read_arrays(Path(path), most_bytes, key)[key]
    found = read_arrays(Path(written), most_bytes)
    if len(found) != 1:
        known = ", ".join([*found][:10]) or "nothing"
        raise ValueError(f"there are {len(found)} arrays in it ({known}): name one, as in @{written}:KEY")
    return next(iter(found.values()))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {reason(error)}"
    return str(error)


def _shortened(item: str) -> str:
    return item if len(item) <= 80 else f"{item[:77]}…"
