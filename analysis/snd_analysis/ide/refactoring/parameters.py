"""Removes a single parameter of an operator, moves it by one place, or makes an attribute of a value."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from snd_analysis.base import Location, TextEdit
from snd_analysis.ide.cursor import definition_at, nodes_at
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.refactoring.change import Asked, Refactored, RefactoringError, checked, whole_line
from snd_analysis.ide.refactoring.extract import free_name
from snd_analysis.ide.refactoring.inline import inlined_name_at
from snd_analysis.ide.refactoring.selection import COMPILE_TIME, kinds_of, selected_expression
from snd_analysis.ide.refactoring.signature import (
    NewParameter,
    NewSignature,
    ParameterList,
    declarations_edit,
    is_used,
    parameters_of,
    with_signature,
)
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types import Type
from snd_analysis.workspace import Snapshot

DIRECTION = "to"
LEFT, RIGHT = "left", "right"


class DeclaredParameter(Struct, frozen=True):
    """An attribute or input whose declared name stands at an offset."""

    start: int
    """The offset from which spans of the definition count."""
    definition: nodes.Definition
    kind: BlockKind
    at: int
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the parameter."""
        return self.names[self.at]

    @property
    def noun(self) -> str:
        """The kind of the parameter in words."""
        return "attribute" if self.kind is BlockKind.ATTRIB else "input"


def declared_parameter_at(snapshot: Snapshot, path: str, offset: int) -> DeclaredParameter | None:
    """Return the attribute or input of an operator whose declared name stands at an offset."""
    found = definition_at(snapshot.tree(path), offset)
    if found is None or found[1].kind == "graph":
        return None
    start, definition = found
    for kind in (BlockKind.ATTRIB, BlockKind.INPUT):
        declared = nodes.entries_of(definition, kind, nodes.Parameter)
        for at, (base, each) in enumerate(declared):
            span = each.name.span.shifted(start + base)
            if span.start <= offset <= span.end and each.name.text:
                return DeclaredParameter(start, definition, kind, at, parameters_of(definition, kind))
    return None


def is_unused(snapshot: Snapshot, path: str, parameter: DeclaredParameter) -> bool:
    """Return whether the operator does not name a parameter."""
    return not is_used(snapshot, path, parameter.definition, parameter.name)


def remove_parameter(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that remove an unused parameter and its arguments. Raise RefactoringError."""
    found = _demanded(snapshot, asked)
    names = [each for each in found.names if each != found.name]
    return _with_names(snapshot, asked, found, names, f"removed the {found.noun} '{found.name}'")


def move_parameter(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that exchange a parameter with its neighbour. Raise RefactoringError."""
    found = _demanded(snapshot, asked)
    other = found.at - 1 if asked.text(DIRECTION) == LEFT else found.at + 1
    if not 0 <= other < len(found.names):
        raise RefactoringError(f"'{found.name}' has no place to move to")
    names = [*found.names]
    names[found.at], names[other] = names[other], names[found.at]
    what = f"moved the {found.noun} '{found.name}' {'before' if other < found.at else 'behind'} '{names[found.at]}'"
    return _with_names(snapshot, asked, found, names, what)


def _demanded(snapshot: Snapshot, asked: Asked) -> DeclaredParameter:
    found = declared_parameter_at(snapshot, asked.path, asked.span.start)
    if found is None:
        raise RefactoringError("choose the name of an attribute or input of an operator, where it is declared")
    return found


def _with_names(
    snapshot: Snapshot, asked: Asked, found: DeclaredParameter, names: Sequence[str], what: str
) -> Sequence[Refactored]:
    new = tuple(map(NewParameter, names))
    wanted = NewSignature(attributes=new) if found.kind is BlockKind.ATTRIB else NewSignature(inputs=new)
    return (with_signature(snapshot, asked, (found.start, found.definition), wanted, what),)


# ---- values ----------------------------------------------------------------------------------------------------------
def make_attribute(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that make an attribute of a helper symbol or a selected expression.

    Its value becomes the default of the attribute. Raise RefactoringError.
    """
    helper = inlined_name_at(snapshot, asked.path, asked.span.start) if asked.span.start == asked.span.end else None
    selected = selected_expression(snapshot, asked.path, asked.span)
    found = helper or selected
    if found is None:
        raise RefactoringError("choose a helper symbol of '@using', or select an expression")
    knowledge = Knowledge(snapshot, asked.path, found.start, found.definition)
    source = snapshot.source(asked.path).text
    if helper is not None:
        value = helper.value.shifted(helper.start)
        name, type_ = helper.symbol.name, knowledge.context.typed(helper.symbol).type
        edit = TextEdit(Location(asked.path, whole_line(source, helper.removed.shifted(helper.start))), "")
    else:
        assert selected is not None
        value, name = selected.span, free_name(snapshot, asked, selected)
        around = nodes_at(snapshot.tree(asked.path), value.start)
        known = knowledge.context.expressions
        typed = next((known[each.node] for each in around if each.span == value and each.node in known), None)
        type_ = None if typed is None else typed.type
        edit = TextEdit(Location(asked.path, value), name)
    if not kinds_of(knowledge, value) <= COMPILE_TIME:
        raise RefactoringError("only a value that is known at compile time can be the default of an attribute")
    names = parameters_of(found.definition, BlockKind.ATTRIB)
    default = source[value.start : value.end]
    new = NewParameter(name=name, type=_type_text(type_), default=default)
    attributes = ParameterList(BlockKind.ATTRIB, names, (*map(NewParameter, names), new))
    declared = declarations_edit(snapshot, asked.path, found.start, found.definition, attributes)
    what = f"turned '{default}' into the attribute '{name}'" if helper is None else f"turned '{name}' into an attribute"
    definition = OperatorName(asked.path, found.definition.name.text)
    return (checked(snapshot, Refactored(definition, (declared, edit), what)),)


def _type_text(type_: Type | None) -> str:
    """Return the type of an attribute as its declaration has it. Raise RefactoringError if there is none."""
    if type_ is None or type_.dtype.is_generic:
        raise RefactoringError("the type of this value is not known")
    return f"{'optional ' if type_.optional else ''}{type_.dtype}{'..' if type_.packed else ''}"
