"""Attributes of the operator that is invoked, and its types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.base import TextEdit
from snd_analysis.ide.completion.expected import signature_at
from snd_analysis.ide.completion.item import Completion, CompletionKind
from snd_analysis.ide.completion.operators import not_imported
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.declarations import declared
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.skriptnd.syntax import nodes, tokenize
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types import Signature
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
