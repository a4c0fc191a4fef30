"""The outcome of an evaluation, as a table for people: a line for each tensor, and the elements of small ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from snd_analysis.base import Diagnostic
from snd_analysis.compose import shown
from snd_analysis.symbolic.values import Value
from snd_runtime.evaluation import EvaluationAnswer, ShownStep, ShownTensor
from snd_runtime.execution import QuantizedTensor
from snd_runtime.values import value_text
from snd_server.console.colours import Paint, plain
from snd_server.console.visible import visible
from snd_server.limits import MOST_LISTED_NAMES


class Evaluated(Struct, frozen=True):
    """The data to show. ``answer`` is None if nothing was evaluated, since the diagnostics forbid it."""

    name: str
    kind: str
    seed: int
    double: bool
    attributes: Mapping[str, Value]
    diagnostics: tuple[Diagnostic, ...] = ()
    answer: EvaluationAnswer | None = None
    trace: tuple[ShownStep, ...] = ()
    differing: tuple[str, ...] = ()
    """Differences between outputs and their expected values."""
    equal: tuple[str, ...] = ()
    """Labels of the outputs that are as expected."""
    names_labels: bool = False
    """True if weights have the labels of variables as names, as in NNEF 1.0."""
    idle_rules: str | None = None
    """Rules of a map that rename no weight, in words."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about the run."""
        answer = () if self.answer is None else self.answer.notes
        return answer if self.idle_rules is None else (self.idle_rules, *answer)


def evaluated_table(evaluated: Evaluated, paint: Paint = plain) -> str:
    """Return the evaluated graph and its generated inputs, then its outputs."""
    answer = evaluated.answer
    if answer is None:
        return ""
    attributes = ", ".join(f"{name}={shown(value)}" for name, value in evaluated.attributes.items())
    head = [f"{evaluated.kind} {evaluated.name}{f' {{{attributes}}}' if attributes else ''}"]
    seed = f"(seed {evaluated.seed})"
    head += [f"{tensor.label}: {_type(tensor)} is random {seed}" for tensor in answer.inputs]
    if answer.drawn:
        head.append(f"{_named(answer.drawn, 'variable')} drawn at random {seed}")
    if answer.unused:
        name = "label" if evaluated.names_labels else "name"
        head.append(f"{_named(answer.unused, 'weight')} not used: no variable has that {name}")
    head += [
        f"'{weight}' has the shape of the variable '{variable}', which was drawn: --map FILE can rename it"
        for weight, variable in list(answer.suggestions.items())[:MOST_LISTED_NAMES]
    ]
    head += _quantization(answer.quantized)
    head += evaluated.notes
    tail = [f"{_named(evaluated.equal, 'output')} as expected"] if evaluated.equal else []
    tail += [paint("red", visible(line)) for line in evaluated.differing]
    return "".join(f"{line}\n" for line in [*map(visible, head), *tensor_lines(answer.outputs, paint), *tail])


def step_lines(step: ShownStep, paint: Paint = plain) -> Iterator[str]:
    """Yield a tensor on the way, with the numbers of the iterations it was computed in."""
    iterations = "".join(f"#{number}" for number in step.iterations)
    yield from tensor_lines(step.tensors, paint, f" {iterations}" if iterations else "")


def tensor_lines(tensors: Iterable[ShownTensor], paint: Paint = plain, suffix: str = "") -> Iterator[str]:
    """``y: real[1,1000] n=1000 x∈[-2.12, 2.64] μ=-0.39 σ=1.07 nan=0``, and below it the elements, if they are few."""
    for tensor in tensors:
        label = paint("bold", visible(f"{tensor.label}{suffix}"))
        if tensor.summary is None:
            yield f"{label}: {'[]' if tensor.is_pack else 'null'}"
            continue
        yield f"{label}: {tensor.summary}"
        if tensor.values is not None and tensor.values.size:
            yield from (f"  {visible(line)}" for line in value_text(tensor.values).split("\n"))


def _quantization(tensors: tuple[QuantizedTensor, ...]) -> Iterator[str]:
    """Yield lines about the application of ``@quantize``."""
    left_out = tuple(each.name for each in tensors if each.change is None)
    if tensors and len(left_out) == len(tensors):
        yield f"quantization was not applied ({_listed(left_out)}): use --quantize"
        return
    for each in tensors:
        if each.change is not None:
            yield f"{each.name} is quantized by {each.operator}: no element changes by more than {each.change:.3g}"
    if left_out:
        yield f"{_named(left_out, 'tensor')} not quantized: the run computes no tensor of that name"


def _type(tensor: ShownTensor) -> str:
    if tensor.summary is None:
        return "[]" if tensor.is_pack else "null"
    return str(tensor.summary).partition(" ")[0]


def _named(names: tuple[str, ...], what: str) -> str:
    return (
        f"{len(names)} {what}{'' if len(names) == 1 else 's'} ({_listed(names)}) {'is' if len(names) == 1 else 'are'}"
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:MOST_LISTED_NAMES]) + (", …" if len(names) > MOST_LISTED_NAMES else "")
