"""Hovers of operators, graphs, modules and the attributes of other definitions."""

from __future__ import annotations

from snd_analysis.ide.declarations import (
    comment_of,
    declared,
    module_comment,
    parameter_comment,
    signature_text,
)
from snd_analysis.ide.limits import MOST_NAMES
from snd_analysis.ide.markdown import code, code_block, documentation_text, paragraphs
from snd_analysis.ide.module_names import module_name
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot


def definition_text(snapshot: Snapshot, name: OperatorName, path: str) -> str:
    """Return a definition as a file sees it: its signature, its module and its documentation."""
    signature = signature_text(snapshot, name)
    if not signature:
        return ""
    module = f"in {module_phrase(snapshot, name.path, path)}"
    return paragraphs([code_block(signature), module, documentation_text(comment_of(snapshot, name))])


def module_phrase(snapshot: Snapshot, path: str, importer: str) -> str:
    """Return ``the module `nn` of the standard library``."""
    of_library = " of the standard library" if is_library(path) else ""
    return f"the module {code(module_name(snapshot, path, importer))}{of_library}"


def module_text(snapshot: Snapshot, path: str, name: str) -> str:
    """Return the explanation of a module: its documentation and its definitions."""
    kinds: dict[str, list[str]] = {}
    definitions = snapshot.definitions(path)
    for each in definitions:
        kind = "operator" if is_library(path) else definitions[each].definition.kind
        if not each.startswith("_"):
            kinds.setdefault(kind, []).append(each)
    lists = [
        f"{kind}s: {', '.join(map(code, names[:MOST_NAMES]))}{', …' if len(names) > MOST_NAMES else ''}"
        for kind, names in kinds.items()
    ]
    origin = "module of the standard library" if is_library(path) else f"module {code(path)}"
    return paragraphs(
        [code_block(f"import {name};"), origin, documentation_text(module_comment(snapshot, path)), *lists]
    )


def attribute_text(snapshot: Snapshot, operator: OperatorName, name: str, given: str, path: str) -> str:
    """Return the explanation of an attribute of an invoked operator, with its ``given`` value, if known."""
    entry = next((each for each in declared(snapshot, operator, (BlockKind.ATTRIB,)) if each.name == name), None)
    if entry is None:
        return ""
    return paragraphs(
        [
            code_block(entry.text),
            f"attribute of {code(operator.name)} in {module_phrase(snapshot, operator.path, path)}",
            parameter_comment(snapshot, operator, name),
            given,
        ]
    )
