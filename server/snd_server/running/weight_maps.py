"""Rules that rename weights: ``--map rules.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from snd_analysis.base import counted
from snd_runtime.evaluation import StoredArray
from snd_server.limits import MOST_LISTED_NAMES, MOST_SOURCE_BYTES
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.reading import read_file, reason

_STAR = r"([^.]*)"


Names: TypeAlias = "str | tuple[str, ...]"


class MapRule(Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """Weights that match ``from`` get the name ``to``; each ``*`` matches a part without dots, in order.

    Several weights are joined along ``axis``; several names get equal parts along it.
    """

    source: Names
    target: Names
    transpose: tuple[int, ...] | None = None
    """The order of the dimensions, if the variable has another one. It is applied first."""
    axis: int = 0

    @property
    def sources(self) -> tuple[str, ...]:
        """The patterns of the weights."""
        return (self.source,) if isinstance(self.source, str) else self.source

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of the variables."""
        return (self.target,) if isinstance(self.target, str) else self.target


class _Rules(Struct, frozen=True, forbid_unknown_fields=True):
    rule: tuple[MapRule, ...] = ()


def read_rules(path: str) -> tuple[MapRule, ...]:
    """Return the rules of a file. Raise ArgumentError."""
    import tomllib  # most runs have no rules

    try:
        text = read_file(path, MOST_SOURCE_BYTES).decode()
        rules = msgspec.convert(tomllib.loads(text), _Rules).rule
    except OSError as error:
        raise ArgumentError(f"map {path}: {reason(error)}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ArgumentError(f"map {path}: {error}") from None
    _demand_same_stars(f"map {path}", rules)
    return rules


def is_map(path: str) -> bool:
    """Return whether a file has rules that rename weights. The file is not read as an input of the command."""
    import tomllib

    try:
        with open(path, "rb") as file:
            msgspec.convert(tomllib.load(file), _Rules)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError):
        return False
    return True


def rules_of(names: Mapping[str, str]) -> tuple[MapRule, ...]:
    """Return the rules that give new names to old ones. Raise ArgumentError."""
    rules = tuple(MapRule(old, new) for old, new in names.items())
    _demand_same_stars("map", rules)
    return rules


def _demand_same_stars(what: str, rules: tuple[MapRule, ...]) -> None:
    for rule in rules:
        if not rule.sources or not rule.targets:
            raise ArgumentError(f"{what}: a rule needs a name in 'from' and one in 'to'")
        first = rule.sources[0]
        for each in (*rule.sources, *rule.targets):
            if each.count("*") != first.count("*"):
                raise ArgumentError(f"{what}: '{first}' and '{each}' have different numbers of '*'")


def renamed(weights: Mapping[str, Any], rules: tuple[MapRule, ...]) -> dict[str, Any]:
    """Return weights by the names that the first rule that matches gives them; others keep theirs.

    Raise ArgumentError if two get the same name, or if a rule does not fit the shape of its weights.
    """
    found: dict[str, Any] = {}
    index = _Index(rules)
    for name, value in weights.items():
        for new, array in _mapped(name, value, weights, index):
            if new in found:
                raise ArgumentError(f"map: two weights get the name '{new}', the second of them is '{name}'")
            found[new] = array
    return found


def idle_rules(weights: Iterable[str], rules: Sequence[MapRule]) -> str | None:
    """Return how many rules rename no weight, in words; None if each renames one. An earlier rule may take them all."""
    index = _Index(rules)
    used = {id(found[0]) for found in map(index.match, weights) if found is not None}
    idle = [rule.sources[0] for rule in rules if id(rule) not in used]
    if not idle:
        return None
    listed = ", ".join(f"'{each}'" for each in idle[:MOST_LISTED_NAMES]) + (", …" if idle[MOST_LISTED_NAMES:] else "")
    return (
        f"{counted(len(idle), 'rule')} of the map {'renames' if len(idle) == 1 else 'rename'} no weight (from {listed})"
    )


class _Index:
    """Rules by the names that they match. A thousand rules for a thousand weights would take a million comparisons."""

    def __init__(self, rules: Sequence[MapRule]) -> None:
        self._exact: dict[str, tuple[int, int]] = {}
        self._starred: list[tuple[re.Pattern[str], int, int]] = []
        self._rules = rules
        for number, rule in enumerate(rules):
            for at, source in enumerate(rule.sources):
                if "*" in source:
                    self._starred.append((_pattern(source), number, at))
                else:
                    self._exact.setdefault(source, (number, at))

    def match(self, name: str) -> tuple[MapRule, int, tuple[str, ...]] | None:
        """Return the first rule that matches a name, the position of its pattern, and the text for each star."""
        number, at = self._exact.get(name, (len(self._rules), 0))
        for pattern, other, position in self._starred:
            if other > number:
                break
            match = pattern.fullmatch(name)
            if match is not None:
                return self._rules[other], position, match.groups()
        return (self._rules[number], at, ()) if number < len(self._rules) else None


def _mapped(name: str, value: Any, weights: Mapping[str, Any], index: _Index) -> Iterator[tuple[str, Any]]:
    found = index.match(name)
    if found is None:
        yield name, value
        return
    rule, at, parts = found
    sources = [_filled(each, parts) for each in rule.sources]
    missing = next((each for each in sources if each not in weights), None)
    if missing is not None:
        raise ArgumentError(f"map: '{name}' can't be joined with '{missing}': there is no such weight")
    if at == 0:  # the others are joined to the first
        arrays = [_transposed(each, weights[each], rule.transpose) for each in sources]
        yield from zip((_filled(each, parts) for each in rule.targets), _divided(rule, sources, arrays), strict=True)


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(_STAR.join(map(re.escape, source.split("*"))))


def matched(names: Iterable[str], rule: MapRule) -> set[str]:
    """Return the names of the weights that a rule renames or joins."""
    index = _Index((rule,))
    return {name for name in names if index.match(name) is not None}


def _filled(pattern: str, parts: tuple[str, ...]) -> str:
    left = iter(parts)
    return re.sub(r"\*", lambda _: next(left), pattern)


def _divided(rule: MapRule, sources: Sequence[str], arrays: Sequence[Any]) -> Sequence[Any]:
    """Return the arrays joined and split as a rule has it. Raise ArgumentError."""
    count = len(rule.targets)
    if len(arrays) == count == 1:
        return arrays
    plain = [each.array() if isinstance(each, StoredArray) else each for each in arrays]
    shapes = ", ".join(f"'{name}' with {list(each.shape)}" for name, each in zip(sources, plain, strict=True))
    try:
        whole = np.concatenate(plain, axis=rule.axis)
        return [np.ascontiguousarray(each) for each in np.split(whole, count, axis=rule.axis)]
    except (ValueError, IndexError):
        what = f"split into {count} equal parts" if count > 1 else "joined"
        raise ArgumentError(f"map: {shapes} can't be {what} along axis {rule.axis}") from None


def _transposed(name: str, value: Any, order: tuple[int, ...] | None) -> Any:
    if order is None:
        return value
    array = value.array() if isinstance(value, StoredArray) else value
    if sorted(order) != [*range(array.ndim)]:
        raise ArgumentError(
            f"map: '{name}' has {array.ndim} dimensions, which 'transpose = {list(order)}' does not fit"
        )
    return np.ascontiguousarray(array.transpose(order))
