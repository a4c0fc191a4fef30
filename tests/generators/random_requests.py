"""Requests that nobody chose: attributes, types and optional inputs of a definition at random."""

from __future__ import annotations

from random import Random

from snd_analysis.compose import Member, Template
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_runtime.evaluation import EvaluationRequest, InputValue
from snd_runtime.generators import Generator
from snd_runtime.limits import Limits
from snd_runtime.values import PlainValue

_BASES = {"num": ("int", "real"), "arith": ("int", "real", "bool"), "type": ("int", "real", "bool", "str")}


def random_request(template: Template, name: OperatorName, limits: Limits, seed: int) -> EvaluationRequest:
    """Return a request, which the definition may refuse. Seed 0 gives no more than is required."""
    random = Random(seed)
    dtypes = {each.name.text: random.choice(_BASES[each.base.text]) for each in template.generics} if seed else {}
    attributes = {
        member.name: _attribute(member, dtypes, random)
        for member in template.attributes
        if _is_required(member) or (seed and random.random() < 0.5)
    }
    inputs = {
        member.name: _input(member, random)
        for member in template.inputs
        if seed and not _is_required(member) and random.random() < 0.7
    }
    return EvaluationRequest(
        name, attributes, dtypes, inputs, seed=seed, limits=limits, quantize=seed % 2 == 1, steps=2
    )


def _is_required(member: Member) -> bool:
    return not member.node.optional and member.node.default is None


def _attribute(member: Member, dtypes: dict[str, str], random: Random) -> PlainValue:
    dtype = dtypes.get(member.node.type.text, member.node.type.text)
    if member.node.pack is None or random.random() < 0.2:
        return _value(dtype, random)
    return tuple(_value(dtype, random) for _ in range(random.choice((0, 1, 2, 2, 3))))


def _value(dtype: str, random: Random) -> PlainValue:
    match dtype:
        case "real":
            return random.choice((0.5, 1.0, 2.0, 0.0, -1.5))
        case "bool":
            return random.random() < 0.5
        case "str":
            return random.choice(("", "SAME", "NCX", "ZERO"))
    return random.choice((0, 1, 1, 2, 2, 3, -1))


def _input(member: Member, random: Random) -> InputValue:
    size = random.choice((1, 2, 2, 3))
    shape = tuple(_extent(each, size) for each in member.extents if each.expansion is None or random.random() < 0.5)
    if member.node.type.text == "str":
        return None
    tensor = Generator("random", shape)
    return tensor if member.node.pack is None else (tensor,) * random.choice((0, 1, 2, 2))


def _extent(extent: nodes.Extent, size: int) -> int:
    return extent.value.value if isinstance(extent.value, nodes.Literal) else size
