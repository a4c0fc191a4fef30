"""Allowed values of the switches of features, and the mistakes in those that a client sent.

Wrong values are ignored; the features read the rest for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from snd_analysis.ide.inlay_hints import HintKind
from snd_server.settings.rule_selection import nearest

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
_Check = Callable[[Any], str | None]
"""Function that returns the demand a value violates, or None."""


def spelled(key: object) -> str:
    """Return a key in the spelling of files: ``line-width`` for ``lineWidth``."""
    return _CAPITAL.sub("-", str(key)).lower()


def spelled_switches(switches: Mapping[str, Any]) -> dict[str, Any]:
    """Return switches of features, and of their kinds, in the spelling of files."""
    return {
        spelled(key): {spelled(kind): each for kind, each in value.items()} if isinstance(value, Mapping) else value
        for key, value in switches.items()
    }


def is_on(switches: Mapping[str, Any], feature: str, kind: str) -> bool:
    """Return whether a kind of a feature is on, by ``spelled_switches``; it is by default."""
    given = switches.get(feature)
    return given is not False and not (isinstance(given, Mapping) and given.get(kind) is False)


def _as_written(name: str, key: object) -> str:
    """Return a key of files in the spelling of one that a user wrote; that of editors if both are the same."""
    if "-" in str(key):
        return name
    first, *others = name.split("-")
    return first + "".join(map(str.capitalize, others))


def mistakes_of_switches(switches: Mapping[str, Any], others: Iterable[str]) -> Iterator[str]:
    """Yield one sentence about each mistake.

    Clients have keys of their own in the section: one that is not known is a mistake if it was probably meant to be one
    of these, or of ``others``.
    """
    for key, value in switches.items():
        kinds = _SWITCHES.get(spelled(key), {})
        if spelled(key) not in (*_SWITCHES, *_CHOICES):
            meant = nearest(spelled(key), [*_SWITCHES, *_CHOICES, *others])
            if meant is not None:
                yield f"unknown key '{key}'; did you mean '{_as_written(meant, key)}'?"
        elif spelled(key) in _CHOICES:
            if value is not False and value not in _CHOICES[spelled(key)]:
                yield f"'{key}' must be {' or '.join(map(repr, _CHOICES[spelled(key)]))}"
        elif isinstance(value, Mapping):
            yield from _mistakes(key, value, kinds)
        elif not isinstance(value, bool):
            yield f"'{key}' must be true, false or an object of switches"


def _mistakes(feature: str, given: Mapping[str, Any], kinds: Mapping[str, _Check]) -> Iterator[str]:
    for key, value in given.items():
        check = kinds.get(spelled(key))
        if check is None:
            meant = nearest(spelled(key), kinds)
            suggestion = "" if meant is None else f"; did you mean '{_as_written(meant, key)}'?"
            yield f"'{feature}': unknown switch '{key}'{suggestion}"
        elif value is not None and (demand := check(value)) is not None:
            yield f"'{feature}.{key}' must be {demand}"


def _truth(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _positive(value: Any) -> str | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return None if is_number and 0 < value < 1e9 else "a number above 0"


def _seed(value: Any) -> str | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return None if is_whole and 0 <= value < 1e9 else "a whole number from 0"


def _precision(value: Any) -> str | None:
    return None if value in ("f32", "f64") else "'f32' or 'f64'"


_SWITCHES: Mapping[str, Mapping[str, _Check]] = {
    "inlay-hints": {kind.value: _truth for kind in HintKind},
    "code-lenses": {"samples": _truth, "graphs": _truth, "references": _truth},
    "evaluation": {
        "automatic": _truth, "graphs": _truth, "timeout": _positive, "memory": _positive, "budget": _positive,
        "seed": _seed, "real": _precision, "pictures": _truth,
        "quantize": _truth,
    },
}  # fmt: skip
_CHOICES: Mapping[str, Sequence[str]] = {"proofs": ("off", "onSave", "onType")}
"""Features that have no switches of their own: one of these words, or false for the first."""


def choice(switches: Mapping[str, Any], feature: str, default: str) -> str:
    """Return the choice for a feature, by ``spelled_switches``; ``default`` if it is missing or wrong."""
    given = switches.get(feature)
    if given is False:
        return _CHOICES[feature][0]
    return given if isinstance(given, str) and given in _CHOICES[feature] else default
