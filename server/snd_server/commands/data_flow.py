"""``snd graph --cell``: which cells a cell of a tensor reads, or is read for, with sizes that are given."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from snd_analysis.base import Severity
from snd_analysis.compose import Specialization, Template
from snd_analysis.ide import run_of
from snd_analysis.ide.data_flow import DataFlow
from snd_analysis.workspace import Snapshot
from snd_server.checking.checker import Checker
from snd_server.running.arguments import ArgumentError, parse_arguments
from snd_server.running.data_flow import flow_in, sampled
from snd_server.running.definitions import chosen_definition
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.model_folder import no_file


class FlowRequest(Struct, frozen=True):
    """The request; sizes are the given ones, or those of the first sample."""

    path: str
    cell: str
    graph: str | None = None
    operator: str | None = None
    attributes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    config: str | None = None


def data_flow(request: FlowRequest) -> DataFlow:
    """Return the cells that a cell reads, or is read for. Raise ArgumentError and ConfigError."""
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot = checker.snapshot(request.path)
    if snapshot.file(request.path) is None:
        raise ArgumentError(no_file(request.path))
    template = chosen_definition(snapshot, request.path, request.graph, request.operator)
    if any(each.severity is Severity.ERROR for each in snapshot.diagnostics(template.name.path)):
        raise ArgumentError(f"there are mistakes in {template.name.path}: 'snd check' shows them")
    try:
        return flow_in(_specialization(snapshot, template, request), request.cell)
    except ArgumentError as problem:
        raise ArgumentError(f"--cell {request.cell}: {problem}") from None


def _specialization(snapshot: Snapshot, template: Template, request: FlowRequest) -> Specialization:
    if request.attributes or request.types or request.inputs:
        given = parse_arguments(template, request.attributes, request.inputs, request.types)
        dtypes = {each.name.text: given.dtypes.get(each.name.text, "real") for each in template.generics}
        missing = [each.name for each in template.inputs if each.name not in given.inputs and not each.node.optional]
        if missing:
            raise ArgumentError(f"give the shape of '{missing[0]}', as in --input {missing[0]}=1,5")
        shapes: Any = given.inputs
        found = run_of(snapshot, template.name, given.attributes, dtypes, shapes)
        if found is None:
            raise ArgumentError(f"'{template.shown}' can't be invoked with these attributes and shapes")
        return found.specialization
    known = sampled(snapshot, template)
    if known is None:
        raise ArgumentError(f"'{template.shown}' has no sample: give the shapes of its inputs, as in --input x=1,5")
    return known.specialization
