"""The action that writes a sample: what it writes checks, and is what comes out."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.limits import Limits
from snd_runtime.samples import (
    NoProposal,
    ProposalRequest,
    SampleProposal,
    SampleRequest,
    Status,
    evaluate_samples,
    evaluator,
    proposal,
)
from snd_runtime.samples.proposal import propose_sample
from snd_server.lsp.values.sample_writing import comment_text
from support.lsp.clients import PULLING, SERVER, Editor, begin, change_text, codes, open_text, position, rest
from support.lsp.gate import Gate
from support.memory import snapshot_of
from support.sampling import sample
from support.waiting import eventually, until

ROOT = Path(__file__).parents[3]
LIBRARY = sorted((ROOT / "analysis" / "snd_analysis" / "libraries" / "std").glob("*.sknd"))
URI = "untitled:writing"
TEXT = """# Keeps every so many elements.
operator thin {
    @attrib { step: int; }
    @input { x: real[n]; }
    @using { m = n / step; }
    @assert { step > 1: "it keeps too many"; n >= 4: "there are too few"; }
    @output { y: real[m]; }
    @lower { y[i,] = x[i * step,], i < m; }
}
"""
MYSTERY = "operator mystery { @input { x: real[n]; } @output { y: real[n]; } }\n"
ENDLESS = """import math;

graph endless {
    @input { x: real[]; }
    @output { y: real[]; }
    @compose { y = with a = x do..(9000000) math.add(a, x); }
}
"""
CAN_NOT_RUN = (
    (MYSTERY, "mystery {", "there is no intrinsic for it"),
    (ENDLESS, "endless {", "longer than the 0.3 seconds that are allowed"),
    (TEXT.replace("n >= 4", "n < 0"), "thin {", "no attributes and inputs were found"),
)


@pytest_lsp.fixture(config=SERVER, params=PULLING)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    await begin(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


async def chosen(client: LanguageClient, text: str, at: str) -> None:
    """Let the action be done."""
    here = position(text, at)
    document = types.TextDocumentIdentifier(URI)
    found = await client.text_document_code_action_async(
        types.CodeActionParams(document, types.Range(here, here), types.CodeActionContext([]))
    )
    (action,) = [each for each in found or () if "write a sample" in each.title]
    command: Any = action.command
    if isinstance(command, str):  # lsprotocol takes such an action for a command
        command = types.Command(**ast.literal_eval(command))
    assert command.arguments
    assert command.arguments[0] == URI
    await client.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))


def new_text(params: types.ApplyWorkspaceEditParams) -> str:
    """Return the text that an edit inserts."""
    changes = params.edit.document_changes
    edits = changes[0].edits if changes is not None else params.edit.changes[URI]
    assert len(edits) == 1
    return edits[0].new_text


async def test_a_sample_is_written_with_its_result(client: Editor):
    for version, line_break in enumerate(("\n", "\r\n"), 2):
        client.applied.clear()
        text = TEXT.replace("\n", line_break)
        open_text(client, URI, text) if version == 2 else change_text(client, URI, text, version)
        await chosen(client, TEXT, "thin {")
        (params,) = await eventually(lambda: _given(client.applied), bool)
        changes = params.edit.document_changes
        (edit,) = changes[0].edits if changes is not None else params.edit.changes[URI]
        assert edit.range.start == edit.range.end == types.Position(1, 0)
        lines = edit.new_text.split(line_break)
        assert lines[0].startswith("# >>> thin{step=2}(")
        assert lines[1].startswith("# y: real[")
        written = text.replace("operator thin", f"{edit.new_text}operator thin")
        assert not snapshot_of({"thin.sknd": written}).diagnostics("thin.sknd")
        (outcome,) = evaluate_samples(SampleRequest("thin.sknd", {"thin.sknd": written}))
        assert outcome.status is Status.OK


async def test_what_can_not_be_evaluated_is_said(client: Editor):
    text = TEXT.replace("n >= 4", "n < 0")
    open_text(client, URI, text)
    await chosen(client, text, "thin {")
    await eventually(lambda: _given(client.messages), lambda found: "no attributes and inputs were found" in str(found))
    assert not client.applied


async def test_what_does_not_run_or_not_in_time_is_said_and_no_sample_is_written(client: Editor):
    client.set_configuration({"snd": {"evaluation": {"timeout": 0.3}}})
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    for version, (text, at, reason) in enumerate(CAN_NOT_RUN, 1):
        open_text(client, URI, text) if version == 1 else change_text(client, URI, text, version)
        await chosen(client, text, at)
        told = await eventually(lambda: _given(client.messages), lambda found: len(found) == version)  # noqa: B023
        assert f"no sample of '{at.split()[0]}' was written: " in told[-1].message
        assert reason in told[-1].message
    assert not client.applied
    assert not [each for each in client.log_messages if each.type is types.MessageType.Error]


async def test_a_sample_is_of_the_text_that_it_is_written_into(client: Editor, gate: Gate):
    open_text(client, URI, TEXT)
    gate.close()
    await chosen(client, TEXT, "thin {")
    await until(lambda: bool(gate.jobs))
    change_text(client, URI, TEXT.replace("step > 1", "step > 2"), 2)
    assert await codes(client, URI) == []
    gate.open()
    await eventually(lambda: _given(client.applied), bool)
    assert [new_text(each).partition("(")[0] for each in client.applied] == ["# >>> thin{step=3}"]


async def test_a_sample_is_written_once(client: Editor, gate: Gate):
    open_text(client, URI, TEXT)
    gate.close()
    await chosen(client, TEXT, "thin {")
    await chosen(client, TEXT, "thin {")
    gate.open()
    await eventually(lambda: _given(client.applied), bool)
    await rest(client)
    (params,) = client.applied
    written = TEXT.replace("operator thin", f"{new_text(params)}operator thin")
    change_text(client, URI, written, 2)
    order = types.ExecuteCommandParams("snd.writeSample", [URI, "thin"])
    await client.workspace_execute_command_async(order)  # of an editor that shows the action of some time ago
    await rest(client)
    assert len(client.applied) == 1
    assert "there is a sample of 'thin' already" in client.log_messages[-1].message


def test_a_process_that_is_killed_says_why(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(evaluator, "_GRACE_SECONDS", -proposal.SEARCH_SECONDS)
    around = SampleRequest("m.sknd", {"m.sknd": TEXT}, limits=Limits(seconds=0.0001))
    with evaluator.SampleEvaluator() as process:
        found = process.propose(ProposalRequest(around, OperatorName("m.sknd", "thin")))
    assert found == NoProposal("it takes longer than the 0.0001 seconds that are allowed")


@pytest.mark.parametrize("path", sample(LIBRARY, 2), ids=lambda path: path.stem)
def test_samples_of_all_operators_of_the_library_check_and_are_right(path: Path):
    text = path.read_text()
    snapshot = snapshot_of({path.name: text})
    before = len(snapshot.diagnostics(path.name))
    proposals: dict[str, SampleProposal] = {}
    for name, found in snapshot.definitions(path.name).items():
        around = SampleRequest(path.name, {})
        proposed = propose_sample(snapshot, ProposalRequest(around, OperatorName(path.name, name)))
        if isinstance(proposed, NoProposal):  # of a copy nothing is known but its formulas
            assert "there is no intrinsic for it" in proposed.reason, (name, proposed)
            body = text[found.start + found.definition.start : found.start + found.definition.end]
            assert "@lower" not in body, name
            assert "@compose" not in body, name
            continue
        proposals[name] = proposed
    for name in reversed(proposals):
        found = snapshot.definitions(path.name)[name]
        at = found.start + found.definition.start
        text = f"{text[:at]}{comment_text(text, at, proposals[name])}{text[at:]}"
    changed = snapshot_of({path.name: text})
    assert len(changed.diagnostics(path.name)) <= before
    assert len(changed.samples(path.name)) == len(snapshot.samples(path.name)) + len(proposals)
    outcomes = evaluate_samples(SampleRequest(path.name, {path.name: text}))
    for placed, outcome in zip(changed.samples(path.name), outcomes, strict=True):
        assert outcome.status in (Status.OK, Status.AS_EXPECTED), (outcome, text[placed.start :][:200])


def test_a_sample_goes_where_a_line_begins():
    example = SampleProposal(("f(1.0,", "  2.0)"), snapshot_outcome())
    assert comment_text("graph g {}", 0, example) == "# >>> f(1.0,\n# ...   2.0)\n"
    assert comment_text("  graph g {}", 2, example) == "# >>> f(1.0,\n  # ...   2.0)\n  "
    assert comment_text("graph f {} graph g {}", 11, example) == "\n# >>> f(1.0,\n# ...   2.0)\n"


def snapshot_outcome() -> Any:
    (outcome,) = evaluate_samples(SampleRequest("m.sknd", {"m.sknd": "# >>> nothing()\n"}))
    return outcome


async def _given(value: Any) -> Any:
    return value
