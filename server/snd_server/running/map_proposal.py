"""A proposal of rules that rename weights: ``--write-map`` pairs weights and variables by shape and by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import product
from typing import TypeAlias

from snd_server.running.weight_maps import MapRule

Shape: TypeAlias = "tuple[int | None, ...]"
"""Extents, None for one that is not known."""

_PARTS = (2, 3, 4)
"""Numbers of tensors that frameworks keep as one: gates, and queries, keys and values."""
_CHANNELS_LAST: Mapping[int, tuple[int, ...]] = {2: (1, 0), 3: (2, 1, 0), 4: (3, 2, 0, 1)}
"""The order of dimensions of filters of Keras and TensorFlow, by rank."""
_SAME = {
    "weight": "filter", "kernel": "filter", "gamma": "scale", "beta": "offset", "running_mean": "mean",
    "running_var": "variance", "var": "variance", "shift": "offset", "q": "query", "k": "key", "v": "value",
    "o": "output", "out": "output", "w": "filter", "b": "bias",
}  # fmt: skip


def proposed_rules(weights: Mapping[str, Shape], variables: Mapping[str, Shape]) -> list[MapRule]:
    """Return rules that give weights the names of variables, by shape first and then by the likeness of names.

    A weight that is left then may hold several variables of one scope, or be a part of one, along axis 0.
    """
    same = {name for name in weights.keys() & variables.keys() if _order(weights[name], variables[name]) == ()}
    left = {name: shape for name, shape in weights.items() if name not in same}
    open_ = {name: shape for name, shape in variables.items() if name not in same}
    rules: list[MapRule] = []
    for weight, variable in [*_pairs(left, open_)]:
        rules.append(MapRule(weight, variable, transpose=_order(left.pop(weight), open_.pop(variable)) or None))
    for name, parts in [*_fused(left, open_)]:
        rules.append(MapRule(name, tuple(parts)))
        for each in parts:
            del open_[each]
    rules += [MapRule(tuple(parts), name) for name, parts in _fused(open_, left)]
    return rules


def map_text(rules: Iterable[MapRule], notes: Iterable[str]) -> str:
    """Return the rules as a file for ``--map``, after comments."""
    lines = [f"# {note}" for note in notes]
    for rule in rules:
        lines += ["", "[[rule]]", f"from = {_written(rule.source)}", f"to = {_written(rule.target)}"]
        if rule.transpose is not None:
            lines.append(f"transpose = {list(rule.transpose)}")
    return "\n".join(lines) + "\n"


def _written(names: str | tuple[str, ...]) -> str:
    quoted = [f'"{_escaped(each)}"' for each in ((names,) if isinstance(names, str) else names)]
    return quoted[0] if isinstance(names, str) else f"[{', '.join(quoted)}]"


def _escaped(name: str) -> str:
    name = name.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(each if each.isprintable() else f"\\U{ord(each):08X}" for each in name)


def _order(weight: Shape, variable: Shape) -> tuple[int, ...] | None:
    """Return the order of dimensions with which a weight fits a variable, ``()`` for that it has; None if none does."""
    if len(weight) != len(variable):
        return None
    same = tuple(range(len(weight)))
    for order in (same, _CHANNELS_LAST.get(len(weight), same)):
        if all(variable[at] in (None, weight[source]) for at, source in enumerate(order)):
            return () if order == same else order
    return None


def _fused(wholes: Mapping[str, Shape], parts: Mapping[str, Shape]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each tensor that fits no other one, with tensors of one scope that it has along axis 0, in order."""
    taken: set[str] = set()
    for name, shape in wholes.items():
        if not shape or any(_order(shape, other) is not None for other in parts.values()):
            continue
        groups: dict[tuple[str, Shape], list[str]] = {}
        for other, extents in parts.items():
            if other not in taken and extents[1:] == shape[1:] and None not in extents:
                groups.setdefault((_around(other), extents), []).append(other)
        found = [
            group
            for (_, extents), group in groups.items()
            if extents and len(group) in _PARTS and shape[0] == len(group) * (extents[0] or 0)
        ]
        if found:
            best = max(found, key=lambda group: _likeness(name, group[0]))
            taken.update(best)
            yield name, sorted(best, key=_place)


def _place(name: str) -> int:
    """Return the place of a tensor among queries, keys and values, which every framework keeps in this order."""
    words = _words(name)
    return next((at for at, word in enumerate(("query", "key", "value")) if word in words), 0)


def _around(name: str) -> str:
    """Return the scope that the parts of a layer have in common: ``attention.query.filter`` is in ``attention``."""
    scopes = name.split(".")
    return ".".join((*scopes[:-2], "", scopes[-1])) if len(scopes) > 2 else ".".join(scopes[:-1])


def _pairs(weights: Mapping[str, Shape], variables: Mapping[str, Shape]) -> Iterator[tuple[str, str]]:
    """Yield weights and variables that fit each other, the most alike first, each once."""
    fitting = [
        (_order(shape, extents) != (), -_likeness(weight, variable), at, weight, variable)
        for (at, (weight, shape)), (variable, extents) in product(enumerate(weights.items()), variables.items())
        if _order(shape, extents) is not None
    ]
    taken: set[str] = set()
    paired: set[str] = set()
    for *_, weight, variable in sorted(fitting, key=lambda each: (each[1], each[0], each[2])):
        if weight not in paired and variable not in taken:
            paired.add(weight)
            taken.add(variable)
            yield weight, variable


@cache
def _words(name: str) -> tuple[str, ...]:
    found = re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    joined = " ".join(found).replace("running mean", "mean").replace("running var", "variance").split(" ")
    return tuple(_SAME.get(word, word) for word in joined)


def _likeness(weight: str, variable: str) -> float:
    """Return how alike two names are: words in the same order count, the last of them twice."""
    one, other = _words(weight), _words(variable)
    in_order = SequenceMatcher(None, one, other, autojunk=False).ratio()
    letters = SequenceMatcher(None, "".join(one), "".join(other), autojunk=False).ratio()
    return in_order + letters / 2 + (one[-1:] == other[-1:]) + (_numbers(one) == _numbers(other)) / 2


def _numbers(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.isdecimal()]
