"""Attributes of the operator that is invoked, and its types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.base import TextEdit
from snd_analysis.ide.completion.expected import signature_at
from snd_analysis.ide.completion.item import Completion, CompletionKind
from snd_analysis.ide.completion.operators import not_imported
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.completion.stack import OpenBracket
from snd_analysis.ide.declarations import declared
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.skriptnd.syntax import Token, nodes, tokenize
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types import STR, Signature
from snd_analysis.workspace import Snapshot

_REQUIRED, _OTHERS = 0, 1
# The end of an attribute list is not further away than this.
_FAR = 2000


def attributes(snapshot: Snapshot, place: CompletionPlace, files: Sequence[str]) -> Iterator[Completion]:
    """Yield the attributes that are not given yet, required ones first.

    Attributes of an operator whose module is not imported also import the module.
    """
    opener = place.stack.openers[-1]
    edits: tuple[TextEdit, ...] = ()
    found = signature_at(snapshot, place, opener)
    if found is None:
        found, edits = _of_module_to_import(snapshot, place, opener, files)
    if found is None:
        return
    operator, signature = found
    given = {each.name.text for each in place.stack.above(opener) if isinstance(each, nodes.Attribute)}
    given |= _given_after(place)
    texts = {entry.name: entry.text for entry in declared(snapshot, operator, (BlockKind.ATTRIB,))}
    for name, parameter in signature.attributes.items():
        if name in given:
            continue
        group = _REQUIRED if parameter.required else _OTHERS
        text = name if place.following in ("=", ":") else f"{name}="
        yield Completion(
            name, CompletionKind.ATTRIBUTE, group, text=text, detail=texts.get(name, "").partition(":")[2].strip(),
            edits=edits, subject=("attribute", operator.path, operator.name, name),
        )  # fmt: skip


def _of_module_to_import(
    snapshot: Snapshot, place: CompletionPlace, opener: int, files: Sequence[str]
) -> tuple[tuple[OperatorName, Signature] | None, tuple[TextEdit, ...]]:
    """Return the invoked operator of a module that could be imported, and the edit that imports it."""
    called = place.stack.call(opener)
    if called is None or len(called.parts) < 2 or is_library(place.path):
        return None, ()
    *qualifier, name = (part.text for part in called.parts)
    module = ".".join(qualifier)
    target = next((names for other, names in not_imported(snapshot, place.path, files) if other == module), None)
    if target is None or name not in target.definitions:
        return None, ()
    operator = OperatorName(target.path, name)
    signature = snapshot.signature(operator)
    return None if signature is None else (operator, signature), (snapshot.import_edit(place.path, module),)


def _given_after(place: CompletionPlace) -> set[str]:
    """Return the attributes that are given after the cursor."""
    text = place.text[place.end : place.end + _FAR]
    tokens = tokenize(text).tokens
    given: set[str] = set()
    depth = 0
    for at, token in enumerate(tokens):
        if token.kind in ("LBRACE", "LPAR", "LSQB"):
            depth += 1
        elif token.kind in ("RBRACE", "RPAR", "RSQB"):
            depth -= 1
        if depth < 0 or token.kind == "SEMI":
            break
        following = tokens[at + 1].kind if at + 1 < len(tokens) else ""
        if depth == 0 and at and token.kind == "ID" and following == "ASSIGN":
            given.add(token.spelling(text))
    return given


# ---- allowed strings of an attribute: the strings that its operator compares it with ---------------------------------
_COMPARISONS = ("==", "!=", "in")


def string_values(snapshot: Snapshot, place: CompletionPlace, *, quoted: bool) -> Iterator[Completion]:
    """Yield the allowed strings of the attribute at a place, its default first; empty for other types."""
    stack = place.stack
    if (
        stack.frame is not OpenBracket.ATTRIBUTES
        or stack.top != "ASSIGN"
        or not isinstance(stack.values[-2], nodes.Name)
    ):
        return
    found = signature_at(snapshot, place, stack.openers[-1])
    name = stack.values[-2].text
    parameter = None if found is None else found[1].attributes.get(name)
    if found is None or parameter is None or parameter.type is None or parameter.type.dtype != STR:
        return
    operator, signature = found
    default = parameter.node.default
    values = [] if default is None else [*_texts(default.value)]
    for value in dict.fromkeys([*values, *compared(signature.definition, name)]):
        yield Completion(
            f"'{value}'" if quoted else value, CompletionKind.VALUE, 0, detail="by default" if value in values else "",
            subject=("attribute", operator.path, operator.name, name),
        )  # fmt: skip


def compared_values(place: CompletionPlace) -> Iterator[Completion]:
    """Yield the strings that a string is compared with elsewhere in its definition, its default first."""
    stack, definition = place.stack, place.definition
    at = len(stack.symbols) - 1
    if stack.frame is OpenBracket.LIST and at == stack.openers[-1]:
        at -= 1
    if definition is None or at < 1 or not isinstance(stack.values[at], Token) or not place.stands_alone:
        return
    left = stack.values[at - 1]
    left = left[-1] if isinstance(left, list) and left else left
    if stack.values[at].kind not in (("EQ", "NE") if at == len(stack.symbols) - 1 else ("IN",)):
        return
    if not isinstance(left, nodes.Qualified):
        return
    attributes = [
        each for _, each in entries_of(definition, BlockKind.ATTRIB, nodes.Parameter) if each.name.text == left.text
    ]
    defaults = [each.default.value for each in attributes if each.default is not None]
    values = [value for default in defaults for value in _texts(default)]
    for value in dict.fromkeys([*values, *compared(definition, left.text)]):
        yield Completion(f"'{value}'", CompletionKind.VALUE, 0, detail="by default" if value in values else "")


def compared(definition: nodes.Definition, name: str) -> Iterator[str]:
    """Yield the strings that an operator compares a symbol with, by itself or as the items of a list."""
    lists = {
        name.text: entry.value
        for _, entry in entries_of(definition, BlockKind.USING, nodes.Using)
        for name in (entry.target.names if isinstance(entry.target, nodes.NameTarget) else ())
    }
    for node in nodes.descendants(definition):
        if not isinstance(node, nodes.Binary) or node.operator.text not in _COMPARISONS:
            continue
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, nodes.Qualified) and one.text == name:
                known = lists.get(other.text, other) if isinstance(other, nodes.Qualified) else other
                yield from _texts(known)


def _texts(node: nodes.Node) -> Iterator[str]:
    """Yield the strings that a string or a list spells."""
    for item in node.items if isinstance(node, nodes.List) else (node,):
        if isinstance(item, nodes.String) and all(isinstance(part, nodes.Text) for part in item.parts):
            yield "".join(part.value for part in item.parts if isinstance(part, nodes.Text))
