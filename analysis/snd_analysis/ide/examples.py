"""Definitions bound by one invocation: symbolic values have numbers there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose import Arguments, Member, Specialization
from snd_analysis.ide.evaluation import KnownSample, samples_in
from snd_analysis.ide.limits import LONGEST_CODE
from snd_analysis.ide.markdown import code
from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.integers import constant
from snd_analysis.symbolic.values import NULL, Pack, Value
from snd_analysis.workspace import Snapshot

KnownShapes: TypeAlias = "tuple[tuple[int, ...], ...] | None"
"""The shape of an input, or the shapes of the tensors in a pack; None for null."""


class Example(Struct, frozen=True):
    """One invocation of a definition."""

    specialization: Specialization
    phrase: str
    """Phrase that names the binding: ``in the sample …``."""


Examples: TypeAlias = "Callable[[OperatorName], Example | None]"
"""The invocation that explains a definition."""


def no_example(name: OperatorName) -> Example | None:
    """Return None: the language has no examples."""
    return None


def first_sample(snapshot: Snapshot, name: OperatorName) -> Example | None:
    """Return the first sample of a definition in its file that composes."""
    for sample in samples_in(snapshot, name.path):
        if sample.target == name and (found := example_of(sample)) is not None:
            return found
    return None


def example_of(sample: KnownSample) -> Example | None:
    """Return the binding of a sample; None if it does not compose."""
    specialization = sample.specialization
    written = " ".join(line.lstrip("#").strip().lstrip(">.").strip() for line in sample.name.code.splitlines())
    short = written if len(written) <= LONGEST_CODE else f"{written[: LONGEST_CODE - 1].rstrip()}…"
    return None if specialization is None else Example(specialization, f"in the sample {code(short)}")


def run_of(
    snapshot: Snapshot,
    name: OperatorName,
    attributes: Mapping[str, Value],
    dtypes: Mapping[str, str],
    shapes: Mapping[str, KnownShapes],
) -> Example | None:
    """Return the binding of a run with these attributes, generic types and shapes of inputs.

    None if it does not compose.
    """
    session = snapshot.session()
    template = session.template(name)
    if template is None or any(generic.name.text not in dtypes for generic in template.generics):
        return None
    inputs = tuple(_input(member, dtypes, shapes.get(member.name)) for member in template.inputs)
    types = tuple(dtypes[generic.name.text] for generic in template.generics)
    specialization = session.specialization(template, Arguments(types, attributes, inputs))
    return Example(specialization, "in this run") if specialization.valid and not specialization.failures else None


def _input(member: Member, dtypes: Mapping[str, str], shapes: KnownShapes) -> TensorValue:
    written = member.node.type.text
    dtype = dtypes.get(written, written)
    if shapes is None:
        return NULL
    if member.node.pack is None:
        return _tensor(member.name, dtype, shapes[0])
    return Pack([_tensor(f"{member.name}[{at}]", dtype, shape) for at, shape in enumerate(shapes)], dtype=dtype)


def _tensor(name: str, dtype: str, shape: tuple[int, ...]) -> Tensor:
    return Tensor(name, dtype, tuple(constant(extent) for extent in shape), TensorKind.INPUT)
