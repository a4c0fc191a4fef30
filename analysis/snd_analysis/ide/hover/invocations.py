"""Results of composing an invocation: results, attributes and generic types, given and deduced (2.6.2, 2.10, 2.13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.compose import multiply_adds, specialization_of
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.limits import MOST_CHECKS
from snd_analysis.ide.markdown import bullets, code, code_block
from snd_analysis.ide.values import tensor_facts, type_text, value_text
from snd_analysis.model import Operation
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import UNDEFINED


def invocation_texts(knowledge: Knowledge, call: nodes.Call, base: int, several: str = "") -> tuple[str, str]:
    """Return the types of the results of an invocation, and its bound values; empty if it was not composed.

    ``several`` describes the operations of an invocation with several outside a loop; only the first is shown.
    """
    operations = knowledge.operations_of(call, base)
    if not operations:
        return "", ""
    operation = operations[0]
    callee = specialization_of(operation)
    members = () if callee is None else callee.template.outputs
    results = [
        f"{member.name}: {text}"
        for member, value in zip(members, operation.outputs, strict=False)
        if (text := type_text(value))
    ]
    facts = [*_facts(call, operations, several), *_example_facts(knowledge, call, base, operation)]
    return code_block("\n".join(results)) if results else "", bullets(facts)


def _example_facts(knowledge: Knowledge, call: nodes.Call, base: int, operation: Operation) -> Iterator[str]:
    """Yield the results and attributes in an example of the surrounding definition, if they differ."""
    if knowledge.by_example is None:
        return
    known, phrase = knowledge.by_example
    found = next(iter(known.operations_of(call, base)), None)
    callee = None if found is None else specialization_of(found)
    if found is None or callee is None:
        return
    outputs = zip(callee.template.outputs, operation.outputs, found.outputs, strict=False)
    changed = [
        f"{member.name}: {text}"
        for member, before, now in outputs
        if (text := type_text(now)) and text != type_text(before)
    ]
    changed += [
        f"{name}={text}"
        for name, value in found.attributes.items()
        if (text := value_text(value, 60)) and text != value_text(operation.attributes.get(name, UNDEFINED), 60)
    ]
    if changed:
        yield f"{', '.join(map(code, changed))} {phrase}"


def _facts(call: nodes.Call, operations: Sequence[Operation], several: str) -> Iterator[str]:
    operation = operations[0]
    if several:
        yield several
    elif len(operations) > 1:
        yield f"invoked {len(operations)} times in an unrolled loop; this is the first"
    if len(operation.outputs) == 1:
        yield from tensor_facts(operation.outputs[0])
    given = {item.name.text for item in call.attributes.items} if call.attributes is not None else set[str]()
    texts = {name: f"{name}={text}" for name, value in operation.attributes.items() if (text := value_text(value, 60))}
    for title, chosen in (
        ("given", [text for name, text in texts.items() if name in given]),
        ("not given", [text for name, text in texts.items() if name not in given]),
    ):
        if chosen:
            yield f"attributes {title}: {', '.join(map(code, chosen))}"
    if operation.dtypes:
        types = ", ".join(code(f"{name} = {dtype}") for name, dtype in operation.dtypes.items())
        yield f"{'types' if call.generics is not None else 'types deduced'}: {types}"
    cost = multiply_adds(operation)
    if cost.most:
        yield f"{'' if cost.exact else 'at most '}{cost.most:,} multiply-adds"
    if operation.label is not None and operation.callee is not None and _is_needed(operation):
        yield f"tensors below the label {code(operation.label)}"
    for check in operation.checks[:MOST_CHECKS]:
        yield f"checked at run time: {code(str(check.condition))}"
    if len(operation.checks) > MOST_CHECKS:
        yield f"and {len(operation.checks) - MOST_CHECKS} further checks at run time"


def _is_needed(operation: Operation) -> bool:
    """Return whether a label leads to anything."""
    specialization = specialization_of(operation)
    return operation.labelled or (
        specialization is not None and bool(specialization.variables or specialization.constants)
    )
