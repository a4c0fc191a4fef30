"""Problems of each definition by its own text and the signatures of others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Problem, Repair, Severity, Span
from snd_analysis.db import Database, query
from snd_analysis.rules import problems_of
from snd_analysis.skriptnd.lints import ValidDefinition
from snd_analysis.skriptnd.names import OperatorName, PassFold, PassResults, Resolution, is_library, with_import
from snd_analysis.skriptnd.syntax import nodes, parse_expression
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types import Context, Others, check_lowering, declare, without_consequences
from snd_analysis.skriptnd.types.compose import check_compose
from snd_analysis.workspace.files import front_end_of, source
from snd_analysis.workspace.limits import LONGEST_SHOWN_INVOCATION
from snd_analysis.workspace.names import chunk, definition, definitions, earlier, imports, module_candidates, resolution
from snd_analysis.workspace.others import OtherDefinitions

_NUMBERED = re.compile(r"_\d+")
"""A number instead of the name of an attribute (``attribute_without_name``)."""


# ---- all checks of one definition, in the order of the flow: structure, names, types ---------------------------------
def type_definition(
    definition: nodes.Definition, resolution: Resolution, others: Others, known: PassResults | None = None
) -> Context:
    """Return the types of a definition. Expressions in ``known`` statements are left out."""
    context, fold = Context(definition, resolution, others), PassFold(known)
    declare(context, fold)
    check_lowering(context)
    check_compose(context, fold)
    return context


def check_definition(
    definition: nodes.Definition,
    resolution: Resolution,
    others: Others,
    syntax_is_right: bool,
    known: PassResults | None = None,
) -> tuple[tuple[Problem, ...], Context]:
    """Return all problems of a definition except syntax errors, and its types. Spans count from the chunk's start.

    ``known`` has reusable results of an earlier version, and learns the new ones.
    """
    context = type_definition(definition, resolution, others, known)
    found = [*problems_of(definition), *context.problems, *problems_of(resolution)]
    clear = [problem for problem in found if resolution.is_clear(problem.span)]
    problems = [*without_consequences(definition, resolution, resolution.problems, clear)]
    if syntax_is_right and not any(problem.rule.severity is Severity.ERROR for problem in problems):
        problems.extend(problems_of(ValidDefinition(resolution, lambda name: _updates(others, name))))
    return tuple(problems), context


def _updates(others: Others, name: OperatorName) -> bool:
    """Return whether an operator updates variables, itself or by an operator that it invokes."""
    pending, seen = [name], {name}
    while pending:
        definition = others.definition(pending[-1])
        blocks = () if definition is None else definition.blocks
        if definition is None or any(
            isinstance(block, nodes.Block) and block.kind is BlockKind.UPDATE for block in blocks
        ):
            return True
        more = set(others.invoked(pending.pop())) - seen
        seen |= more
        pending.extend(more)
    return False


# ---- problems of each definition by its own text and the signatures of others ----------------------------------------
@query
def checked(
    db: Database, path: str, definition: nodes.Definition, syntax: Sequence[Problem], chosen: bool = False
) -> tuple[Problem, ...]:
    """Return the problems of a definition besides the ``syntax`` problems of its chunk.

    A part with repaired syntax gets no other messages: it is one mistake. A graph that is ``chosen`` is judged as a
    main graph.
    """
    if front_end_of(path) is not None:
        return ()  # the maker of a definition has checked its source
    others = OtherDefinitions(db, path, definition if chosen else None)
    before = earlier(db, path, definition)
    names = resolution(db, path, definition)
    types = None if before is None or chosen else before.types
    problems, _ = check_definition(definition, names, others, not syntax, types)
    others.close()
    if types is not None:
        types.forget(names)
    return tuple(problem for problem in problems if not any(_begins_in(problem, each) for each in syntax))


@query
def typing(db: Database, path: str, definition: nodes.Definition) -> Context:
    """Return the types in a definition; a long one lacks those of some expressions, see ``expression_types``."""
    others = OtherDefinitions(db, path)
    before = earlier(db, path, definition)
    names = resolution(db, path, definition)
    context = type_definition(definition, names, others, None if before is None else before.types)
    others.close()
    return context


def _begins_in(problem: Problem, repaired: Problem) -> bool:
    return problem.span.start in range(repaired.span.start, max(repaired.span.end, repaired.span.start + 1))


@query
def errors(db: Database, name: OperatorName) -> tuple[Span, ...]:
    """Return the places in a definition that are reported to be wrong: nothing is built on them."""
    found, around = definition(db, name), chunk(db, name)
    if found is None or around is None or is_library(name.path) or front_end_of(name.path) is not None:
        return ()
    problems = (*around.problems, *checked(db, name.path, found, around.problems))
    wrong = [each.span for each in problems if each.rule.severity is Severity.ERROR]
    wrong += [note.span for each in problems if each.rule is rules.ARGUMENT_RANK for note in each.notes]
    return (*wrong, *resolution(db, name.path, found).unclear)


def importable(db: Database, path: str, problem: Problem) -> Problem:
    """Return a problem of a file, with the import that mends it if that is all that is missing."""
    if problem.rule != rules.UNKNOWN_MODULE or problem.repair is not None:
        return problem
    module = source(db, path).text[problem.span.start : problem.span.end]
    found = next(iter(module_candidates(db, module, path)), path)
    return problem if found == path or is_library(found) else with_import(problem, module)


# ---- named arguments, as in `nn.softmax(x, axis=1)` ------------------------------------------------------------------
def explained(db: Database, path: str, problem: Problem) -> Problem:
    """Return a syntax error of named arguments with the operator's own names, other problems unchanged."""
    repair = problem.repair
    if repair is None or not rules.syntax.is_in_braces(repair):
        return problem
    edit = repair.edits[0]
    call, wrong = parse_expression(edit.text)
    found = _named_operator(db, path, call.function) if isinstance(call, nodes.Call) else None
    if wrong or not isinstance(call, nodes.Call) or call.attributes is None or found is None:
        return replace(problem, repair=None)
    attributes = [each.name.text for _, each in entries_of(found, BlockKind.ATTRIB, nodes.Parameter)]
    inputs = [each.name.text for _, each in entries_of(found, BlockKind.INPUT, nodes.Parameter)]
    named = [each.name.text for each in call.attributes.items]
    if any(map(_NUMBERED.fullmatch, named)):
        return _with_attribute_names(problem, edit, call, attributes)
    operator = call.function.text
    others = [edit.text[each.start : each.end] for each in call.arguments]
    given = [_as_attribute(each, edit.text, attributes) for each in call.attributes.items]
    known = [each for each in given if each is not None]
    if len(known) == len(given):
        text = f"{operator}{{{', '.join(known)}}}({', '.join(others)})"
        written = f"write {text}" if len(text) <= LONGEST_SHOWN_INVOCATION else "write attributes in braces"
        message = f"arguments have no names, and attributes of '{operator}' stand in braces: {written}"
        return replace(problem, message=message, repair=Repair(written, (Edit(edit.span, text),)))
    expected = inputs[len(call.arguments) : len(call.arguments) + len(named)]
    if all(name in inputs for name in named):
        taken = (
            f"takes its inputs in the order {_listed(inputs)}" if len(inputs) > 1 else f"has the input '{inputs[0]}'"
        )
        message = f"arguments have no names: '{operator}' {taken}"
        if named != expected:
            return replace(problem, message=message, repair=None)
        values = [edit.text[each.value.start : each.value.end] for each in call.attributes.items]
        text = f"{operator}({', '.join([*others, *values])})"
        return replace(problem, message=message, repair=Repair(f"write {text}", (Edit(edit.span, text),)))
    return replace(problem, repair=None)


def _with_attribute_names(problem: Problem, edit: Edit, call: nodes.Call, attributes: list[str]) -> Problem:
    """Return the problem of attributes without names, ``linear{8}(x)``, with the names in the operator's order."""
    items = () if call.attributes is None else call.attributes.items
    if len(items) > len(attributes):
        return replace(problem, repair=None)
    names = [attributes[at] if _NUMBERED.fullmatch(each.name.text) else each.name.text for at, each in enumerate(items)]
    values = [edit.text[each.value.start : each.value.end] for each in items]
    given = ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
    others = ", ".join(edit.text[each.start : each.end] for each in call.arguments)
    text = f"{call.function.text}{{{given}}}({others})"
    repair = Repair(f"write {text}", (Edit(edit.span, text),), safe=False)
    return replace(problem, message=f"attributes have names: write '{{{given}}}'", repair=repair)


def _named_operator(db: Database, path: str, name: nodes.Qualified) -> nodes.Definition | None:
    """Return the operator that an invocation names: of an imported module, of this file, or the only one so called."""
    parts = [part.text for part in name.parts]
    imported = {item.node.text: item.path for item in imports(db, path) if item.path is not None}
    if len(parts) > 1:
        module = imported.get(".".join(parts[:-1]))
        found = None if module is None else definitions(db, module).get(parts[-1])
        return None if found is None else found.definition
    places = [each for each in (path, *imported.values()) if parts[0] in definitions(db, each)]
    return definitions(db, places[0])[parts[0]].definition if len(places) == 1 or path in places else None


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _as_attribute(given: nodes.Attribute, text: str, attributes: list[str]) -> str | None:
    """Return how an attribute is written that is given as an argument in ``text``; None if there is none like it."""
    name, value = given.name.text, text[given.value.start : given.value.end]
    if name in attributes:
        return f"{name}={value}"
    if name in ("axis", "dim") and "axes" in attributes and not isinstance(given.value, nodes.List):
        return f"axes=[{value}]"
    return f"axis={value}" if name == "dim" and "axis" in attributes else None
