"""Changes to choose from in a file in NNEF 1.0: fixes of rules, names for attributes, suppressions, and samples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from snd_analysis.base import Diagnostic, Location, Span, TextEdit
from snd_analysis.ide.actions.action import Action, ActionKind, Request, offered
from snd_analysis.ide.actions.attributes import sample_actions
from snd_analysis.ide.actions.fixes import fix_all, fixes, suppress
from snd_analysis.ide.nnef1.operations import signature_of
from snd_analysis.ide.nnef1.places import entry_at, nodes_around, tree_of
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.lints import apply_suppressions
from snd_analysis.workspace import Snapshot


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
