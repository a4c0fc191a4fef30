"""Names of weights and variables as words, and how much two names have in common."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from msgspec import Struct

_KINDS = {
    "weight": "filter", "kernel": "filter", "w": "filter", "gamma": "scale", "beta": "offset", "shift": "offset",
    "b": "bias", "var": "variance",
}  # fmt: skip
"""Words for the kind of a variable, by the words of other frameworks: the last word of a name."""
_SCOPES = {
    "q": "query", "k": "key", "v": "value", "o": "output", "out": "output", "attn": "attention", "mha": "attention",
    "emb": "embedding", "embed": "embedding", "fc": "linear", "dense": "linear", "bn": "norm", "ln": "norm",
    "batchnorm": "norm", "layernorm": "norm", "normalization": "norm",
}  # fmt: skip
"""Words for the parts of a model, by the words of other frameworks."""
_KNOWN_KINDS = frozenset(("filter", "bias", "scale", "offset", "mean", "variance"))
_NEAR_KINDS = ({"filter", "scale"}, {"bias", "offset"})
"""Kinds that PyTorch calls alike: the scale and the offset of a normalization are its ``weight`` and ``bias``."""
SCOPED = 3.0
"""Likeness of two names with one word in common besides the kind."""
_SHORTEST_PART = 3
"""Letters that a word must have to be taken for another word that contains it, such as ``conv`` in ``convolution``."""
_NOISE = re.compile(r":\d+$|(?<=[a-z])[123]d(?![a-z0-9])", re.IGNORECASE)
"""Parts of names that are no numbers of a layer: ``:0`` of TensorFlow, and the ``2d`` of ``conv2d``."""


class Words(Struct, frozen=True):
    """A name, taken apart: its last word, the words before it, and the numbers."""

    kind: str
    scope: tuple[str, ...]
    numbers: tuple[int, ...]
    counted: tuple[tuple[str, ...], ...]
    """The words before each number, with ``#`` for numbers. Numbers with equal words before them count the same."""

    @property
    def pattern(self) -> tuple[str, ...]:
        """The words of the name without the numbers."""
        return (*self.scope, self.kind)


@cache
def words_of(name: str) -> Words:
    """Return the words of a name, with words of other frameworks replaced by snd's."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", _NOISE.sub("", name)).lower()
    spaced = spaced.replace("running_mean", "mean").replace("running_var", "variance").replace("moving_", "")
    found = re.findall(r"[^\W\d_]+|\d+", spaced)
    texts = [each for each in found if not each.isdecimal()]
    last = texts[-1] if texts else ""
    kind = _KINDS.get(last, _SCOPES.get(last, last))
    places = [at for at, each in enumerate(found) if each.isdecimal()]
    return Words(
        kind,
        tuple(_SCOPES.get(each, each) for each in texts[:-1]),
        tuple(int(found[at]) for at in places),
        tuple(tuple("#" if each.isdecimal() else each for each in found[:at]) for at in places),
    )


def same_words(one: Collection[str], other: Collection[str]) -> dict[str, str]:
    """Return the words of one model by words of another model that contain them or are contained in them.

    A word with several partners is left out.
    """
    found: dict[str, str] = {}
    for word in sorted({*one} - {*other}):
        near = [each for each in other if _is_part(word, each) or _is_part(each, word)]
        if len(near) == 1:
            found[word] = near[0]
    return found


def _is_part(short: str, long: str) -> bool:
    return len(short) >= _SHORTEST_PART and short in long


def likeness(one: Words, other: Words, same: Mapping[str, str]) -> float:
    """Return how much the words of two names have in common; 0 for names of different kinds.

    From ``SCOPED``, the names have words in common besides the kind. ``same`` has words of the second name by words of
    the first one (``same_words``).
    """
    scope, kind = tuple(same.get(each, each) for each in one.scope), same.get(one.kind, one.kind)
    has_kinds = kind in _KNOWN_KINDS and other.kind in _KNOWN_KINDS
    kinds = 2.0 if kind == other.kind else 1.0 if has_kinds and {kind, other.kind} in _NEAR_KINDS else 0.0
    if has_kinds and not kinds:
        return 0.0
    common = {*scope, *_unknown(kind)} & {*other.scope, *_unknown(other.kind)}
    is_exact = 0.5 if kind == other.kind and scope == other.scope else 0.0
    return SCOPED * len(common) + kinds + is_exact


def _unknown(kind: str) -> tuple[str, ...]:
    return () if kind in _KNOWN_KINDS else (kind,)
