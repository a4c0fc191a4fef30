"""Hovers of operators, graphs, modules and the attributes of other definitions."""

from __future__ import annotations

from snd_analysis.ide.declarations import (
    comment_of,
    declared,
    module_comment,
    module_name,
    parameter_comment,
    signature_text,
)
from snd_analysis.ide.markdown import code, code_block, documentation_text, paragraphs
from snd_analysis.names.library import is_library
from snd_analysis.names.symbols import OperatorName
from snd_analysis.workspace import Snapshot

_MOST_NAMES = 60


def definition_text(snapshot: Snapshot, name: OperatorName) -> str:
    """A definition: its signature, its module and its documentation."""
    signature = signature_text(snapshot, name)
    if not signature:
        return ""
    return paragraphs(
        [code_block(signature), f"in {module_phrase(name.path)}", documentation_text(comment_of(snapshot, name))]
    )


def module_phrase(path: str) -> str:
    """``the module `nn` of the standard library``."""
    of_library = " of the standard library" if is_library(path) else ""
    return f"the module {code(module_name(path))}{of_library}"


def module_text(snapshot: Snapshot, path: str, name: str) -> str:
    """A module: its documentation and what it defines."""
    kinds: dict[str, list[str]] = {}
    definitions = snapshot.definitions(path)
    for each in definitions:
        kind = "operator" if is_library(path) else definitions[each].definition.kind
        if not each.startswith("_"):
            kinds.setdefault(kind, []).append(each)
    lists = [
        f"{kind}s: {', '.join(map(code, names[:_MOST_NAMES]))}{', …' if len(names) > _MOST_NAMES else ''}"
        for kind, names in kinds.items()
    ]
    origin = "module of the standard library" if is_library(path) else f"module {code(path)}"
    return paragraphs(
        [code_block(f"import {name};"), origin, documentation_text(module_comment(snapshot, path)), *lists]
    )


def attribute_text(snapshot: Snapshot, operator: OperatorName, name: str, given: str) -> str:
    """An attribute of an invoked operator, and what it is ``given``, if that is known."""
    entry = next((each for each in declared(snapshot, operator, ("attrib",)) if each.name == name), None)
    if entry is None:
        return ""
    return paragraphs(
        [
            code_block(entry.text),
            f"attribute of {code(operator.name)} in {module_phrase(operator.path)}",
            given,
            parameter_comment(snapshot, operator, name),
        ]
    )
