"""Markdown explanation at an offset of a file in NNEF 1.0."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.ide.hover import Hover
from snd_analysis.ide.hover.invocations import invocation_texts
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.limits import MOST_FORMULA_LINES
from snd_analysis.ide.markdown import Examples, bullets, code, code_block, paragraphs
from snd_analysis.ide.nnef1.facts import fact_text, operations_of, stored_at, stored_named, value_of
from snd_analysis.ide.nnef1.operations import LANGUAGE, parameter_markdown, signature_markdown, signature_of
from snd_analysis.ide.nnef1.places import definition_at, definitions, entry_at, nodes_around, tree_of, use_at
from snd_analysis.ide.values import tensor_facts, value_text
from snd_analysis.nnef1.elaborate import GraphTensor, StoredVariable, TensorFile
from snd_analysis.nnef1.names import Fragment, LocalSubject, Nnef1Use, OperationSubject, ParameterSubject, SymbolSubject
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.names import OperatorName, SymbolKind
from snd_analysis.skriptnd.syntax import nodes as skriptnd_nodes
from snd_analysis.symbolic.values import UNDEFINED, Pack
from snd_analysis.workspace import Snapshot, elaborated


def hover(snapshot: Snapshot, path: str, offset: int, _: Examples | None) -> Hover | None:
    """Return the explanation at an offset of a file; None if there is none."""
    stored = stored_at(snapshot, path, offset)
    if stored is not None:
        return Hover(stored[0].span, _stored_text(*stored))
    use = use_at(snapshot, path, offset)
    if use is None:
        return None
    text = _text(snapshot, path, use)
    return Hover(use.span, text) if text else None


def _text(snapshot: Snapshot, path: str, use: Nnef1Use) -> str:
    match use.subject:
        case LocalSubject() as local if not _is_inside(snapshot, path, use, local):
            return _declared_text(snapshot, path, local)
        case LocalSubject(name=name):
            return _local_text(snapshot, path, use, name)
        case SymbolSubject(name=name):
            return paragraphs([code_block(name, LANGUAGE), "an extent that is not known before the graph runs"])
        case Fragment(name=name):
            return signature_markdown(signature_of(snapshot, path, name), _kind(snapshot, path, name))
        case ParameterSubject(operation=operation, name=name):
            return parameter_markdown(signature_of(snapshot, path, operation), name)
        case OperationSubject(name=name):
            types, facts = _operation_here(snapshot, path, use)
            signature = signature_of(snapshot, path, name)
            formula = "" if signature is None else _formula(snapshot, signature.operator)
            rule = "---"
            return paragraphs(
                [types, rule if types else "", signature_markdown(signature), formula, rule if facts else "", facts]
            )
    return ""


def _kind(snapshot: Snapshot, path: str, name: str) -> str:
    found = (each.head.kind for each in definitions(tree_of(snapshot, path)) if each.head.name.text == name)
    return next(found, "fragment")


def _is_inside(snapshot: Snapshot, path: str, use: Nnef1Use, local: LocalSubject) -> bool:
    """Return whether a name stands in the definition that it is local to: not in a sample, nor in an invocation."""
    around = definition_at(tree_of(snapshot, path), use.span.start)
    return around is not None and around.head.name.text == local.definition


def _declared_text(snapshot: Snapshot, path: str, local: LocalSubject) -> str:
    """Return the text about a parameter or result named in a sample or an invocation; its value depends on that."""
    tree = tree_of(snapshot, path)
    found = next((each for each in definitions(tree) if each.head.name.text == local.definition), None)
    declared: tuple[nodes.Parameter | nodes.Result, ...] = ()
    if found is not None:
        declared = (*found.head.parameters, *found.head.results)
    node = next((each for each in declared if each.name.text == local.name), None)
    if found is None or node is None:
        return ""
    text = tree.text[found.start + node.start : found.start + node.end]
    return paragraphs([code_block(text, LANGUAGE), f"of the {found.head.kind} {code(local.definition)}"])


# ---- names of a body -------------------------------------------------------------------------------------------------
def _local_text(snapshot: Snapshot, path: str, use: Nnef1Use, name: str) -> str:
    value = value_of(snapshot, path, use)
    fact = fact_text(value)
    separator = "" if not fact else " " if fact.startswith("=") else ": "
    placed = entry_at(tree_of(snapshot, path), use.span.start)
    definition = None if placed is None else placed.definition.head
    inside = ""
    if definition is not None and _is_fragment(definition) and fact:
        inside = f"in the first invocation of {code(definition.name.text)}"
    facts: list[str] = []
    if isinstance(value, GraphTensor) and value.tensor is not None:
        facts += tensor_facts(value.tensor)
    stored = None if value is None else stored_named(snapshot, path, value)
    return paragraphs(
        [
            code_block(f"{name}{separator}{fact}", LANGUAGE),
            inside,
            bullets(facts),
            "" if stored is None else _stored_text(*stored),
        ]
    )


def _is_fragment(head: nodes.Head | None) -> bool:
    return head is not None and head.kind == "fragment"


def _stored_text(variable: StoredVariable, path: str | None, file: TensorFile | None) -> str:
    """Return the text about the file of a variable, with its header. A server that reads the file adds its contents."""
    name = code(f"{variable.label}.dat")
    if path is None:
        return f"the label {code(variable.label)} leads out of the folder of the model"
    if file is None:
        return f"kept in {name}, which is not there"
    if file.fault is not None:
        return f"kept in {name}: {file.fault}"
    blocks = " in blocks" if file.in_blocks else ""
    extents = ",".join(map(str, file.shape))
    return f"kept in {name}: {code(f'{file.dtype}[{extents}]')}{blocks}"


# ---- operations ------------------------------------------------------------------------------------------------------
def _operation_here(snapshot: Snapshot, path: str, use: Nnef1Use) -> tuple[str, str]:
    """Return the types of the results of an operation, and its attributes with consequences."""
    placed = entry_at(tree_of(snapshot, path), use.span.start)
    if placed is None:
        return "", ""
    name = next(
        (each for each in nodes_around(placed.entry, use.span.start) if isinstance(each, nodes.Identifier)), None
    )
    found = None if name is None else operations_of(snapshot, path, placed.entry, name)
    definition = elaborated(snapshot.db, path).definition
    if found is None or definition is None:
        return "", ""
    call, operations = found
    knowledge = Knowledge(snapshot, path, 0, definition)
    specialization = specialization_of(operations[0]) if operations else None
    worked_out = [] if specialization is None else [*_worked_out(specialization)]
    times = ""
    if _is_fragment(placed.definition.head) and len(operations) > 1:
        times = f"the first of {len(operations)} invocations of {code(placed.definition.head.name.text)}"
    types, facts = invocation_texts(knowledge, call, placed.entry.start, times)
    return types, paragraphs([facts, bullets(worked_out)])


def _worked_out(specialization: Specialization) -> Iterator[str]:
    """Yield the padding that is determined automatically, and other short helpers of an operator."""
    helpers = {
        symbol.name: specialization.scope.value_of(symbol)
        for symbol in specialization.template.resolution.symbols
        if symbol.kind is SymbolKind.USING
    }
    before, after = helpers.pop("before", None), helpers.pop("after", None)
    if isinstance(before, Pack) and isinstance(after, Pack):
        pairs = zip(before.items or (), after.items or (), strict=False)
        shown_pairs = ", ".join(f"({first}, {last})" for first, last in pairs)
        yield f"padding: {code(f'[{shown_pairs}]')}"
    shown = [
        f"{name}={text}" for name in ("strides", "dilations") if (text := value_text(helpers.get(name, UNDEFINED), 60))
    ]
    if shown:
        yield f"worked out: {', '.join(map(code, shown))}"


def _formula(snapshot: Snapshot, operator: OperatorName | None) -> str:
    """Return the formula of an operator in the words of the library, if that is short."""
    found = None if operator is None else snapshot.definitions(operator.path).get(operator.name)
    if found is None:
        return ""
    texts = [
        found.chunk.text[block.start : block.end]
        for block in found.definition.blocks
        if isinstance(block, skriptnd_nodes.Block)
        and block.kind in (skriptnd_nodes.BlockKind.LOWER, skriptnd_nodes.BlockKind.COMPOSE)
    ]
    text = "\n".join(_dedented(each) for each in texts)
    return code_block(text) if text and text.count("\n") < MOST_FORMULA_LINES else ""


def _dedented(text: str) -> str:
    return text.replace("\n    ", "\n")
