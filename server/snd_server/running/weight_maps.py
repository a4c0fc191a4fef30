"""Rules that rename weights: ``--map rules.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from snd_runtime.evaluation import StoredArray
from snd_server.limits import MOST_SOURCE_BYTES
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.reading import read_file, reason

_STAR = r"([^.]*)"


class Rule(Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """Weights that match ``from`` get the name ``to``; each ``*`` stands for a part without dots, in order."""

    source: str
    target: str
    transpose: tuple[int, ...] | None = None
    """The order of the dimensions, where the variable has them in another one."""


class _Rules(Struct, frozen=True, forbid_unknown_fields=True):
    rule: tuple[Rule, ...] = ()


def read_rules(path: str) -> tuple[Rule, ...]:
    """Return the rules of a file. Raises ArgumentError."""
    try:
        text = read_file(path, MOST_SOURCE_BYTES).decode()
        rules = msgspec.convert(tomllib.loads(text), _Rules).rule
    except OSError as error:
        raise ArgumentError(f"map {path}: {reason(error)}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ArgumentError(f"map {path}: {error}") from None
    _demand_same_stars(f"map {path}", rules)
    return rules


def rules_of(names: Mapping[str, str]) -> tuple[Rule, ...]:
    """Return the rules that give new names to old ones. Raises ArgumentError."""
    rules = tuple(Rule(str(old), str(new)) for old, new in names.items())
    _demand_same_stars("map", rules)
    return rules


def _demand_same_stars(what: str, rules: tuple[Rule, ...]) -> None:
    for rule in rules:
        if rule.source.count("*") != rule.target.count("*"):
            raise ArgumentError(f"{what}: '{rule.source}' and '{rule.target}' have different numbers of '*'")


def renamed(weights: Mapping[str, Any], rules: tuple[Rule, ...]) -> dict[str, Any]:
    """Return weights by the names that the first rule that matches gives them; others keep theirs.

    Raises ArgumentError if two get the same name, or one has not as many dimensions as its rule says.
    """
    found: dict[str, Any] = {}
    for name, value in weights.items():
        new, array = name, value
        for rule in rules:
            pattern = _STAR.join(map(re.escape, rule.source.split("*")))
            match = re.fullmatch(pattern, name)
            if match is not None:
                parts = iter(match.groups())
                new = re.sub(r"\*", lambda _, parts=parts: next(parts), rule.target)  # type: ignore[misc]
                array = _transposed(name, value, rule.transpose)
                break
        if new in found:
            raise ArgumentError(f"map: two weights get the name '{new}', the second of them is '{name}'")
        found[new] = array
    return found


def _transposed(name: str, value: Any, order: tuple[int, ...] | None) -> Any:
    if order is None:
        return value
    array = value.array() if isinstance(value, StoredArray) else value
    if sorted(order) != [*range(array.ndim)]:
        raise ArgumentError(
            f"map: '{name}' has {array.ndim} dimensions, which 'transpose = {list(order)}' does not fit"
        )
    return np.ascontiguousarray(array.transpose(order))
