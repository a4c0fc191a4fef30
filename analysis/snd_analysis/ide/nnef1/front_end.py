"""NNEF 1.0 as editors ask for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from snd_analysis.base import Diagnostic, Edit, Location, Span, TextEdit
from snd_analysis.ide.actions.action import Action, ActionKind, Request, offered
from snd_analysis.ide.actions.attributes import sample_actions
from snd_analysis.ide.actions.fixes import fix_all, fixes, suppress
from snd_analysis.ide.language_features import FrontEnd
from snd_analysis.ide.nnef1.completion import completions
from snd_analysis.ide.nnef1.facts import stored_path
from snd_analysis.ide.nnef1.hints import inlay_hints, tensor_at, tensor_statements
from snd_analysis.ide.nnef1.hover import hover
from snd_analysis.ide.nnef1.navigation import (
    around,
    definition,
    foldable,
    implementation,
    links,
    occurrences,
    outline,
    prepare_rename,
    rename,
    type_definition,
)
from snd_analysis.ide.nnef1.operations import documentation, signature_of
from snd_analysis.ide.nnef1.places import entry_at, nodes_around, tree_of
from snd_analysis.ide.nnef1.signature_help import signature_help
from snd_analysis.ide.nnef1.tokens import token_groups
from snd_analysis.nnef1.format import format_edits, format_typed
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.lints import apply_suppressions
from snd_analysis.workspace import Snapshot


# Changes to choose from in a file in NNEF 1.0: fixes of rules, names for attributes, suppressions, and samples.
def actions(
    snapshot: Snapshot,
    path: str,
    span: Span,
    only: Sequence[str] = (),
    diagnostics: Sequence[Diagnostic] | None = None,
    files: Sequence[str] = (),
    commands: Collection[str] = (),
) -> list[Action]:
    """Return the code actions in a span of a file; see ``snd_analysis.ide.actions.actions``."""
    if diagnostics is None:
        diagnostics = apply_suppressions(snapshot.diagnostics(path), snapshot.source(path), snapshot.comments(path))
    request = Request(snapshot, path, span, tuple(diagnostics))
    found = [*fixes(request), *_name_attributes(request), *suppress(request), *sample_actions(request, commands)]
    if any(kind.startswith("source") for kind in only):
        found += fix_all(request)
    return offered(found, only)


def _name_attributes(request: Request) -> Iterator[Action]:
    """Write the names of attributes before arguments that are given by place."""
    snapshot, path = request.snapshot, request.path
    placed = entry_at(tree_of(snapshot, path), request.span.start)
    if placed is None:
        return
    calls = [each for each in nodes_around(placed.entry, request.span.start) if isinstance(each, nodes.Call)]
    for call in reversed(calls):
        signature = signature_of(snapshot, path, call.function.text)
        if signature is None:
            continue
        edits = []
        for parameter, argument in zip(signature.parameters, call.arguments, strict=False):
            if argument.name is not None:
                break
            if not parameter.is_tensor:
                at = argument.start + placed.entry.start
                edits.append(TextEdit(Location(path, Span(at, at)), f"{parameter.name} = "))
        if edits:
            yield Action(f"name the attributes of '{call.function.text}'", ActionKind.REWRITE, tuple(edits))
            return


# ---- NNEF 1.0 as editors ask for it ----------------------------------------------------------------------------------
def _format(snapshot: Snapshot, path: str, width: int, span: Span | None) -> Sequence[Edit]:
    return format_edits(tree_of(snapshot, path), width, span)


def _format_typed(snapshot: Snapshot, path: str, width: int, offset: int) -> Sequence[Edit]:
    return format_typed(tree_of(snapshot, path), offset, width)


FRONT_END = FrontEnd(
    comments=Snapshot.comments,
    foldable=foldable,
    around=around,
    outline=outline,
    tokens=token_groups,
    format=_format,
    format_typed=_format_typed,
    links=links,
    definition=definition,
    type_definition=type_definition,
    implementation=implementation,
    occurrences=occurrences,
    prepare_rename=prepare_rename,
    rename=rename,
    hover=hover,
    signature_help=signature_help,
    completions=completions,
    documentation=documentation,
    inlay_hints=inlay_hints,
    actions=actions,
    tensor_at=tensor_at,
    tensor_statements=tensor_statements,
    stored_path=stored_path,
)
