"""Changes the signature of an operator: adds, removes, moves and renames parameters, also in all invocations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec
from msgspec import Struct

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.refactoring.change import (
    Asked,
    Refactored,
    RefactoringError,
    checked,
    edited_files,
    file_edits,
    fresh,
    named_definition_at,
    whole_line,
    words,
)
from snd_analysis.ide.refactoring.named_operators import PlacedInvocation, invocations_of, users_of
from snd_analysis.ide.rename import RenameRefused, rename
from snd_analysis.skriptnd.lints import DEAD_OPERATION, UNUSED_VARIABLE
from snd_analysis.skriptnd.names import OperatorName, Role, ShapeMember, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

# ---- reorders, adds and removes items of lists in a text: arguments, attributes and declarations ---------------------
_TRAILING_COMMENT = re.compile(r"[ \t]*#[^\r\n]*")


def rebuilt(text: str, items: Sequence[Span], new: Sequence[int | str], separator: str, keep: bool = True) -> str:
    """Return the text of ``items`` with the ``new`` items: numbers of old ones, or texts.

    Separators stay at their positions; ``separator`` is put between further items. Raise RefactoringError if
    ``keep`` is True and a comment in a separator would be lost.
    """
    separators = [text[first.end : second.start] for first, second in pairwise(items)]
    if keep and any("#" in each for each in separators[max(len(new) - 1, 0) :]):
        raise RefactoringError("a comment between the items of a list would be lost")
    parts: list[str] = []
    for slot, item in enumerate(new):
        if slot:
            before = separators[slot - 1] if slot <= len(separators) else separator
            is_commented = "#" in parts[-1].rpartition("\n")[2]
            parts.append(before if not is_commented or "\n" in before else "\n")
        parts.append(item if isinstance(item, str) else text[items[item].start : items[item].end])
    return "".join(parts)


def units_of(text: str, block: nodes.Block, start: int) -> list[Span]:
    """Return the places of the entries of a block, each with the comments above and behind it."""
    spans = [entry.span.shifted(start) for entry in block.entries]
    found: list[Span] = []
    end = 0
    for span in spans:
        first = span.start
        between = text[end : span.start] if found else ""
        if "#" in between:
            first = end + len(between) - len(between.lstrip())
        comment = _TRAILING_COMMENT.match(text, span.end)
        end = comment.end() if comment else span.end
        found.append(Span(first, end))
    return found


# ---- changes the signature of an operator ----------------------------------------------------------------------------
_INDENT = "    "
_BEFORE = {BlockKind.ATTRIB: (BlockKind.DTYPE,), BlockKind.INPUT: (BlockKind.DTYPE, BlockKind.ATTRIB)}
_OMITTED = "~"
_UNUSED = frozenset({DEAD_OPERATION, UNUSED_VARIABLE})
"""Warnings that a removed argument may cause in the definitions around invocations."""


class NewParameter(Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter of the new signature: an old one, named ``was`` and perhaps renamed, or a new one."""

    was: str | None = None
    name: str = ""
    type: str = ""
    """The type of a new parameter, such as ``optional real[n]``."""
    default: str | None = None
    """The default of a new parameter."""
    argument: str | None = None
    """The value of a new parameter in all invocations; None leaves it out."""

    @property
    def new_name(self) -> str:
        """The name in the new signature."""
        return self.name or self.was or ""

    @property
    def declaration(self) -> str:
        """The declaration of a new parameter."""
        return f"{self.name}: {self.type}{'' if self.default is None else f' = {self.default}'};"


class NewSignature(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of an operator after the change, in order; None leaves a list as it is."""

    attributes: tuple[NewParameter, ...] | None = None
    inputs: tuple[NewParameter, ...] | None = None


class ParameterList(Struct, frozen=True):
    """The attributes or the inputs of an operator, with the new list."""

    kind: BlockKind
    old: tuple[str, ...]
    new: tuple[NewParameter, ...]

    @property
    def is_other(self) -> bool:
        """Return whether more than names changes."""
        return tuple(each.was for each in self.new) != self.old

    @property
    def removed(self) -> list[str]:
        """The names of the removed parameters."""
        kept = {each.was for each in self.new}
        return [each for each in self.old if each not in kept]

    @property
    def items(self) -> list[int | NewParameter]:
        """The new list, with numbers of old parameters."""
        return [each if each.was is None else self.old.index(each.was) for each in self.new]


def parameters_of(definition: nodes.Definition, kind: BlockKind) -> tuple[str, ...]:
    """Return the names of the attributes or inputs of a definition, in order."""
    return tuple(each.name.text for _, each in nodes.entries_of(definition, kind, nodes.Parameter))


def change_signature(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that give an operator the signature in the options. Raise RefactoringError."""
    found = named_definition_at(snapshot, asked.path, asked.span.start)
    if found is None or found[1].kind == "graph":
        raise RefactoringError("choose the name of an operator")
    try:
        wanted = msgspec.convert(dict(asked.options), NewSignature)
    except msgspec.ValidationError as problem:
        raise RefactoringError(f"the signature can't be read: {problem}") from None
    return (with_signature(snapshot, asked, found, wanted),)


def with_signature(
    snapshot: Snapshot, asked: Asked, found: tuple[int, nodes.Definition], wanted: NewSignature, what: str = ""
) -> Refactored:
    """Return the edits that give an operator a new signature. Raise RefactoringError."""
    start, definition = found
    name, files = OperatorName(asked.path, definition.name.text), [*dict.fromkeys((asked.path, *asked.files))]
    if snapshot.definition(name) is not definition:
        raise RefactoringError(f"there are two definitions with the name '{name.name}'")
    lists = [
        _list(definition, BlockKind.ATTRIB, wanted.attributes),
        _list(definition, BlockKind.INPUT, wanted.inputs),
    ]
    edits = _structural_edits(snapshot, name, start, definition, lists, files)
    texts = _renamed(snapshot, edited_files(snapshot, edits), name, lists, files)
    new = [each for parameters in lists for each in parameters.new]
    removed = [each for parameters in lists for each in parameters.removed]
    renamed = {each.was: each.name for each in new if each.was is not None and each.name not in ("", each.was)}
    users = [(each, each) for each in users_of(snapshot, name, files)]
    # An operator with an input that has no default can't be given the arguments of before.
    is_comparable = all(each.argument is None for each in new)
    refactored = Refactored(
        name,
        file_edits(snapshot, texts),
        what or f"changed the signature of '{name.name}'",
        ((name, name), *users) if is_comparable else tuple(users),
        parameters={**renamed, **dict.fromkeys(removed)},
        is_by_name=True,
    )
    if not refactored.edits:
        raise RefactoringError(f"'{name.name}' has this signature already")
    return checked(snapshot, refactored, files, _UNUSED if removed else frozenset())


def _list(definition: nodes.Definition, kind: BlockKind, new: Sequence[NewParameter] | None) -> ParameterList:
    old = parameters_of(definition, kind)
    found = ParameterList(kind, old, tuple(map(NewParameter, old)) if new is None else tuple(new))
    kept = [each.was for each in found.new if each.was is not None]
    noun = "attribute" if kind is BlockKind.ATTRIB else "input"
    for each in kept:
        if each not in old or kept.count(each) > 1:
            raise RefactoringError(f"'{each}' is no {noun} of '{definition.name.text}', or stands twice")
    for parameter in found.new:
        if parameter.was is None and not (parameter.name and parameter.type):
            raise RefactoringError(f"a new {noun} has a name and a type")
        if parameter.was is not None and (parameter.type or parameter.default or parameter.argument):
            raise RefactoringError(f"'{parameter.was}' keeps its type and its default")
    return found


# ---- the declarations ------------------------------------------------------------------------------------------------
def _structural_edits(
    snapshot: Snapshot,
    name: OperatorName,
    start: int,
    definition: nodes.Definition,
    lists: Sequence[ParameterList],
    files: Sequence[str],
) -> list[TextEdit]:
    """Return the edits of declarations and invocations, with the names that parameters have before the change."""
    edits: list[TextEdit] = []
    attributes, inputs = lists
    for each in lists:
        for removed in each.removed:
            _demand_unused(snapshot, name, definition, removed)
        if each.is_other:
            edits.append(declarations_edit(snapshot, name.path, start, definition, each))
    if attributes.is_other or inputs.is_other:
        for invocation in invocations_of(snapshot, name, files):
            edits += _invocation_edits(snapshot, invocation, attributes, inputs)
    return edits


def _demand_unused(snapshot: Snapshot, name: OperatorName, definition: nodes.Definition, parameter: str) -> None:
    if is_used(snapshot, name.path, definition, parameter):
        raise RefactoringError(f"'{parameter}' is used in '{name.name}'")


def is_used(snapshot: Snapshot, path: str, definition: nodes.Definition, parameter: str) -> bool:
    """Return whether a definition names one of its attributes or inputs besides the declaration."""
    for use in snapshot.resolution(path, definition).uses_named(parameter):
        target = use.target.tensor if isinstance(use.target, ShapeMember) else use.target
        is_own = isinstance(target, Symbol) and isinstance(target.node, nodes.Parameter)
        if is_own and use.role is not Role.DECLARATION:
            return True
    return False


def declarations_edit(
    snapshot: Snapshot, path: str, start: int, definition: nodes.Definition, parameters: ParameterList
) -> TextEdit:
    """Return the edit that gives a definition a new list of attributes or inputs, without new names of old ones."""
    text = snapshot.source(path).text
    blocks = [each for each in definition.blocks if isinstance(each, nodes.Block)]
    own = [each for each in blocks if each.kind is parameters.kind]
    new = [each if isinstance(each, int) else each.declaration for each in parameters.items]
    if not own:
        return _new_block(text, path, start, definition, parameters.kind, [str(each) for each in new])
    if len(own) > 1 or len(own[0].entries) != len(parameters.old):
        raise RefactoringError(f"'{definition.name.text}' has several blocks '@{parameters.kind}', or a broken one")
    (block,) = own
    if not new:
        return TextEdit(Location(path, whole_line(text, block.span.shifted(start))), "")
    units = units_of(text, block, start)
    if not units:
        at = text.index("{", start + block.start) + 1
        return TextEdit(Location(path, Span(at, at)), f" {' '.join(map(str, new))}")
    region = Span(units[0].start, units[-1].end)
    line = text[text.rfind("\n", 0, region.start) + 1 : region.start]
    separator = " " if line.strip() else f"\n{line}"
    rewritten = rebuilt(text, units, new, separator)
    is_open = "#" in rewritten.rpartition("\n")[2] and text[region.end : block.end + start].lstrip(" \t")[:1] == "}"
    return TextEdit(Location(path, region), f"{rewritten}\n" if is_open else rewritten)


def _new_block(
    text: str, path: str, start: int, definition: nodes.Definition, kind: BlockKind, entries: Sequence[str]
) -> TextEdit:
    blocks = [each for each in definition.blocks if isinstance(each, nodes.Block)]
    before = [each.end for each in blocks if each.kind in _BEFORE[kind]]
    at = start + max(before) if before else text.index("{", start + definition.name.end) + 1
    line_break = "\r\n" if "\r\n" in text else "\n"
    return TextEdit(Location(path, Span(at, at)), f"{line_break}{_INDENT}@{kind} {{ {' '.join(entries)} }}")


# ---- the invocations -------------------------------------------------------------------------------------------------
def _invocation_edits(
    snapshot: Snapshot, invocation: PlacedInvocation, attributes: ParameterList, inputs: ParameterList
) -> Iterator[TextEdit]:
    text, node, base = snapshot.source(invocation.path).text, invocation.node, invocation.base
    items = () if node.attributes is None else node.attributes.items
    kept = [at for at, each in enumerate(items) if each.name.text not in attributes.removed]
    added = [f"{each.name}={each.argument}" for each in attributes.new if each.argument is not None]
    spans = [each.span.shifted(base) for each in items]

    def replaced(region: Span, old: Sequence[Span], new: Sequence[int | str]) -> Iterator[TextEdit]:
        if [*new] != [*range(len(old))]:
            rewritten = rebuilt(text, old, new, ", ", not invocation.is_sample)
            yield TextEdit(Location(invocation.path, region), rewritten)

    if isinstance(node, nodes.Call):
        arguments = [each.span.shifted(base) for each in node.arguments]
        end = base + node.end - 1
        region = Span(arguments[0].start, arguments[-1].end) if arguments else Span(end, end)
        yield from replaced(region, arguments, _new_arguments(len(arguments), inputs))
    elif inputs.is_other:
        raise RefactoringError("an operator of '@quantize' has exactly one input")
    if items and (kept or added):
        yield from replaced(Span(spans[0].start, spans[-1].end), spans, [*kept, *added])
    elif items or added:
        start = invocation.function.end if node.generics is None else node.generics.end
        end = start if node.attributes is None else node.attributes.end
        written = f"{{{', '.join(added)}}}" if added else ""
        yield TextEdit(Location(invocation.path, Span(start, end).shifted(base)), written)


def _new_arguments(count: int, inputs: ParameterList) -> list[int | str]:
    """Return the new arguments of an invocation with ``count`` arguments: numbers of old ones, or texts."""
    found: list[int | str] = []
    for each in inputs.items:
        if isinstance(each, int):
            found.append(each if each < count else _OMITTED)
        else:
            found.append(_OMITTED if each.argument is None else each.argument)
    while found and found[-1] == _OMITTED:
        found.pop()
    return found


# ---- names -----------------------------------------------------------------------------------------------------------
def _renamed(
    snapshot: Snapshot,
    texts: Mapping[str, str],
    name: OperatorName,
    lists: Sequence[ParameterList],
    files: Sequence[str],
) -> dict[str, str]:
    """Return the new texts of the files, with all uses of parameters renamed."""
    pairs = [(each.was, each.name) for one in lists for each in one.new if each.was is not None]
    pairs = [(old, new) for old, new in pairs if new not in ("", old)]
    olds = {old for one in lists for old in one.old}
    taken = {*olds, *words("".join(snapshot.source(path).text for path in files))}
    first, last = [], []
    for old, new in pairs:
        if new in olds:  # perhaps a swap
            between = fresh("renamed", taken)
            first.append((old, between))
            last.append((between, new))
        else:
            first.append((old, new))
    found = dict(texts)
    for old, new in (*first, *last):
        changed = snapshot.changed(found)
        placed = changed.definitions(name.path)[name.name]
        kinds = (BlockKind.ATTRIB, BlockKind.INPUT)
        places = [each for kind in kinds for each in nodes.entries_of(placed.definition, kind, nodes.Parameter)]
        offset = next(placed.start + base + each.name.start for base, each in places if each.name.text == old)
        try:
            done = rename(changed, name.path, offset, new, files)
        except RenameRefused as refused:
            raise RefactoringError(str(refused)) from None
        found.update(edited_files(changed, done.edits))
    return found
