"""Results of composing an invocation: results, attributes and generic types, given and deduced (2.6.2, 2.10, 2.13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.base import Elsewhere
from snd_analysis.compose import multiply_adds, specialization_of
from snd_analysis.ide.declarations import comment_of, module_comment, signature_text
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.limits import MOST_CHECKS
from snd_analysis.ide.markdown import bullets, code, code_block, documentation_text, paragraphs
from snd_analysis.ide.mathematics import LATEX, PLAIN, Notation, mathematics_of
from snd_analysis.ide.values import tensor_facts, type_text, value_text
from snd_analysis.model import Operation
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, counterparts
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.values import UNDEFINED
from snd_analysis.workspace import Snapshot


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


# ---- pages of the library: the output of `snd doc`, and the contents of docs/library ---------------------------------
_TITLES = {
    BlockKind.ASSERT: "Demands",
    BlockKind.LOWER: "Formula",
    BlockKind.COMPOSE: "Composition",
}
PICTURED = frozenset(
    {
        "image.area_downsample", "image.cubic_resize", "image.linear_resize", "image.linear_upsample",
        "image.nearest_downsample", "image.nearest_resize", "image.nearest_upsample", "image.resize", "layout.pad",
        "layout.shuffle", "nn.avg_pool", "nn.conv", "nn.deconv", "nn.lp_pool", "nn.max_pool", "nn.rms_pool",
        "nn.sum_pool",
    }
)  # fmt: skip
"""Operators for which a picture of their samples says more than words (`snd doc NAME --picture`)."""


def operator_names(snapshot: Snapshot, module: str) -> list[OperatorName]:
    """Return the public operators of a module of the library, in the order of its text."""
    path = LIBRARY_PREFIX + module
    return [OperatorName(path, name) for name in snapshot.definitions(path) if not name.startswith("_")]


def operator_page(snapshot: Snapshot, name: OperatorName, notation: Notation = PLAIN) -> str:
    """Return an operator of the library in Markdown: signature, description with samples, demands and formula.

    Its counterparts in other formats follow. Formulas are plain text for a terminal, or LaTeX for a page.
    """
    module = name.path.removeprefix(LIBRARY_PREFIX)
    full = f"{module}.{name.name}"
    elsewhere = [f"{where} {', '.join(f'`{each}`' for each in names)}" for where, names in counterparts(full) if names]
    return paragraphs(
        [
            f"## {full}",
            code_block(signature_text(snapshot, name)),
            documentation_text(comment_of(snapshot, name)),
            f"![Which elements each result of `{full}` is computed from](images/{full}.svg)"
            if notation is LATEX and full in PICTURED
            else "",
            *_blocks(snapshot, name, notation),
            f"Counterparts: {' · '.join(elsewhere)}" if elsewhere else "",
        ]
    )


def module_page(snapshot: Snapshot, module: str) -> str:
    """Return a module of the library in Markdown: its description, a list of its operators, and the page of each."""
    names = operator_names(snapshot, module)
    rows = [f"- [`{name}`](#{module}{name.lower()}): {text}" for name, text in summaries(snapshot, module)]
    head = [f"# {module}", documentation_text(module_comment(snapshot, LIBRARY_PREFIX + module)), "\n".join(rows)]
    return paragraphs([*head, *(operator_page(snapshot, each, LATEX) for each in names)]) + "\n"


def summaries(snapshot: Snapshot, module: str) -> list[tuple[str, str]]:
    """Return the operators of a module of the library, each with the first sentence of its description."""
    return [(each.name, _summary(snapshot, each)) for each in operator_names(snapshot, module)]


def _summary(snapshot: Snapshot, name: OperatorName) -> str:
    text = documentation_text(comment_of(snapshot, name), samples=False).replace("\n", " ")
    sentence, dot, _ = text.partition(". ")
    return sentence + ("." if dot else "")


def _blocks(snapshot: Snapshot, name: OperatorName, notation: Notation) -> Iterator[str]:
    definition = snapshot.definition(name)
    if definition is None:
        return
    text = snapshot.source(name.path).text
    for block in definition.blocks:
        if isinstance(block, nodes.Block) and block.kind in _TITLES:
            span = snapshot.locate(Elsewhere(name.path, name.name, span=block.span)).span
            yield f"{_TITLES[block.kind]}:"
            if block.kind is BlockKind.LOWER:
                yield from _mathematics(definition, notation)
            yield code_block(_dedented(text[span.start : span.end]))


def _mathematics(definition: nodes.Definition, notation: Notation) -> Iterator[str]:
    found = mathematics_of(definition, notation)
    if found is not None:
        yield code_block(found.equations, "math" if notation is LATEX else "text")
        yield " ".join(found.notes)
        yield "As code:"


def _dedented(block: str) -> str:
    lines = block.split("\n")
    return "\n".join(line.removeprefix("    ") for line in lines)
