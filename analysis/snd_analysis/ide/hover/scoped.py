"""Hovers of the names of tensors below labels: ``block.conv1.filter`` in ``@quantize`` (2.10, 2.14)."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.base import Span
from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.ide.cursor import PlacedNode
from snd_analysis.ide.hover.symbols import quantization_facts
from snd_analysis.ide.knowledge import Knowledge, operations_in
from snd_analysis.ide.markdown import bullets, code_block, paragraphs
from snd_analysis.ide.values import is_tensor, tensor_facts, type_text
from snd_analysis.model import Tensor, TensorValue
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import UNDEFINED


def scoped_hover(knowledge: Knowledge, around: Sequence[PlacedNode], offset: int) -> tuple[Span, str] | None:
    """Return the tensor that a scoped name leads to, at any of its parts but the first; None if it is unknown."""
    placed = next((each for each in reversed(around) if isinstance(each.node, nodes.Qualified)), None)
    if placed is None or not any(isinstance(each.node, nodes.Quantization) for each in around):
        return None
    assert isinstance(placed.node, nodes.Qualified)
    parts = [part for part in placed.node.parts if part.start + placed.base <= offset]
    name = ".".join(part.text for part in parts)
    value = UNDEFINED if knowledge.specialization is None else tensor_below(knowledge.specialization, name)
    if len(parts) < 2 or not is_tensor(value):
        return None
    kind = value.kind if isinstance(value, Tensor) else "pack"
    facts = [*tensor_facts(value), *quantization_facts(knowledge, name)]
    text = paragraphs([code_block(f"{name}: {type_text(value)}"), f"{kind} below a label", bullets(facts)])
    return parts[-1].span.shifted(placed.base), text


def tensor_below(specialization: Specialization, name: str) -> TensorValue:
    """Return the tensor of a scoped name, seen from a composed definition; UNDEFINED if there is none."""
    for members in (
        specialization.variables,
        specialization.constants,
        specialization.body.tensors if specialization.body else {},
    ):
        if name in members:
            return members[name]
    for operation in operations_in(specialization.body) if specialization.body is not None else ():
        label, inner = operation.label, specialization_of(operation)
        if label is not None and inner is not None and name.startswith(f"{label}."):
            found = tensor_below(inner, name.removeprefix(f"{label}."))
            if found is not UNDEFINED:
                return found
    return UNDEFINED
