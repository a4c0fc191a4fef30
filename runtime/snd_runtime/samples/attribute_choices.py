"""Values for the attributes of a definition that is evaluated without anybody giving any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from snd_analysis.compose import Member, Template
from snd_analysis.skriptnd.syntax import nodes
from snd_runtime.values import PlainValue

_SHIFTS = 4
_PRIMES = (2, 3, 5, 7, 11, 13)


def needed_attributes(template: Template) -> Iterator[Mapping[str, PlainValue]]:
    """Yield values for the attributes that have no default; then values for these and one of the others."""
    needed = _needed(template)
    others = [each for each in template.attributes if each not in needed]
    for members in (needed, *([*needed, other] for other in others)):
        for values in product(*(attribute_values(template, each) for each in members)):
            yield {member.name: value for member, value in zip(members, values, strict=True)}


def different_attributes(template: Template) -> Iterator[Mapping[str, PlainValue]]:
    """Yield values such that no two attributes of one type are equal, as far as there are enough values.

    Ints are primes at first. Attributes with a default have it, then another value.
    """
    for members in (_needed(template), template.attributes):
        ints = [each.name for each in members if each.node.type.text == "int"]
        values = {each.name: attribute_values(template, each) for each in members}
        for shift in range(_SHIFTS):
            chosen = {name: each[(at + shift) % len(each)] for at, (name, each) in enumerate(values.items())}
            primes = {name: _PRIMES[(at + shift) % len(_PRIMES)] for at, name in enumerate(ints)}
            single = {each.name for each in members if each.node.pack is None}
            yield {**chosen, **{name: prime for name, prime in primes.items() if name in single}}
            yield chosen


def attribute_values(template: Template, member: Member) -> Sequence[PlainValue]:
    """Return the values of an attribute that may matter: small ones, and literals of the definition."""
    single: Sequence[PlainValue] = _single_values(template, member.node.type.text)
    if member.node.pack is None:
        return single
    lists: list[PlainValue] = [(value,) * length for length in (2, 1, 3, 4) for value in single[:3]]
    different = [tuple(single[:count]) for count in (2, 3)]
    return list(dict.fromkeys([*lists, *different, *(each[::-1] for each in different), ()]))


def _needed(template: Template) -> list[Member]:
    return [each for each in template.attributes if each.node.default is None and not each.node.optional]


def _single_values(template: Template, dtype: str) -> Sequence[PlainValue]:
    literals = [each.value for each in nodes.descendants(template.definition) if isinstance(each, nodes.Literal)]
    match dtype:
        case "int":
            named = [each for each in literals if type(each) is int and 3 < each <= 64]
            return list(dict.fromkeys((2, 1, 0, 3, -1, *named)))
        case "bool":
            return (True, False)
        case "str":
            parts = [each.parts for each in nodes.descendants(template.definition) if isinstance(each, nodes.String)]
            texts = [each[0].value for each in parts if len(each) == 1 and isinstance(each[0], nodes.Text)]
            return list(dict.fromkeys((*texts, "a")))
        case _:
            return (0.5, 1.0, 2.0, 0.0, -1.0)
