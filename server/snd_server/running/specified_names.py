"""Operators of formats on the command line, by the names and in the forms that their specifications have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from snd_analysis.compose import Member, Template
from snd_analysis.skriptnd.names import LIBRARY_PREFIX
from snd_runtime.evaluation import InputValue, LiteralInput, dtype_of_input
from snd_server.running.arguments import ArgumentError
from snd_server.running.tensor_inputs import given_tensors

_INT = re.compile(r"(?<![\w.])\d+(?![\w.])")
"""A whole number; names of attributes have letters before their digits."""
_PAIRS = {("tennis", "padding"), ("tosa", "padding")}
"""The attributes that a specification shapes as rows of two numbers, one for each dimension."""


def declared_name(name: str, known: Iterable[str]) -> str:
    """Return the name in a library for a name in a specification; the same if none or several may be meant.

    SkriptND reserves words and a leading underscore, and operators of TOSA are in lower case: `type` is `type_`,
    `_field` is `field`, `RESCALE` is `rescale`.
    """
    known = [*known]
    found = [name] if name in known else [each for each in known if _bare(each) == _bare(name)]
    return found[0] if len(found) == 1 else name


def _bare(name: str) -> str:
    return name.strip("_").casefold()


def as_declared(
    template: Template, attributes: Sequence[str], inputs: Sequence[str], most_bytes: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return `--attrib` and `--input` in the names, roles and forms of the library.

    A specification may have an input that must be known to compose the operator, or an attribute that is a tensor; and
    it may shape an attribute. Raise ArgumentError for a file that can't be read.
    """
    attribute_of = {member.name: member for member in template.attributes}
    input_names = [member.name for member in template.inputs]
    known = [*attribute_of, *input_names]
    as_attributes: list[str] = []
    as_inputs: list[str] = []
    for item, is_input in (*((each, False) for each in attributes), *((each, True) for each in inputs)):
        target, equals, text = item.partition("=")
        name, colon, at = target.strip().partition(":")
        name = declared_name(name, known)
        item = f"{name}{colon}{at}{equals}{text}"
        if name in input_names or (is_input and name not in attribute_of):
            as_inputs.append(item)
        elif name not in attribute_of or not equals:
            as_attributes.append(item)
        else:
            text = _value(item, most_bytes) if is_input else text.strip()
            given = f"{'--input' if is_input else '--attrib'} {item}"
            as_attributes.append(f"{name}={_flat(given, text, template, attribute_of[name])}")
    return tuple(as_attributes), tuple(as_inputs)


def _value(item: str, most_bytes: int) -> str:
    """Return an attribute that is given as a tensor, as SkriptND writes it."""
    [value] = given_tensors([item], most_bytes).values()
    if isinstance(value, LiteralInput):
        return item.partition("=")[2].strip()
    if isinstance(value, np.ndarray):
        return json.dumps(value.tolist())
    raise ArgumentError(f"--input {item}: this is known before the run: write NAME=VALUE")


def with_reals(template: Template, attributes: Sequence[str], inputs: Mapping[str, InputValue]) -> tuple[str, ...]:
    """Return attributes in which ints are reals if they have the type of an input of reals.

    A specification writes a zero point or a limit of 0 for every type.
    """
    generics = {generic.name.text for generic in template.generics}
    of_inputs = {
        member.node.type.text for member in template.inputs if dtype_of_input(inputs.get(member.name)) == "real"
    }
    real = {member.name for member in template.attributes if member.node.type.text in generics & of_inputs}
    return tuple(_INT.sub(r"\g<0>.0", item) if item.partition("=")[0] in real else item for item in attributes)


def _flat(item: str, text: str, template: Template, member: Member) -> str:
    """Return a nested list as the pack that an attribute is, or the only item of a list where it is no pack.

    Paddings are the only attributes that a specification shapes as rows. Raise ArgumentError for other rows.
    """
    if text[:1] != "[" or "'" in text or '"' in text:
        return text
    flat = text.replace("[", "").replace("]", "")
    if member.node.pack is None:
        return flat if "," not in flat else text
    if text[1:].lstrip()[:1] != "[" or (template.name.path.removeprefix(LIBRARY_PREFIX), member.name) not in _PAIRS:
        return text
    try:
        shape = np.array(json.loads(text)).shape
    except ValueError:  # rows of different lengths, or no numbers
        shape = ()
    if len(shape) != 2 or shape[1] != 2:
        raise ArgumentError(f"{item}: '{member.name}' has a row of two numbers for each dimension, before and after it")
    return f"[{flat}]"
