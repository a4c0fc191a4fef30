"""The action that writes a sample: what it writes checks, and is what comes out."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from clients import SERVER, Editor, begin, change_text, open_text, position
from lsprotocol import types
from pytest_lsp import LanguageClient
from shown_values import eventually

from memory import snapshot_of
from snd_analysis.names.symbols import OperatorName
from snd_runtime.samples import ProposalRequest, SampleProposal, SampleRequest, Status, evaluate_samples
from snd_runtime.samples.proposal import propose_sample
from snd_server.lsp.sample_writing import comment_text

ROOT = Path(__file__).parents[3]
LIBRARY = sorted((ROOT / "analysis" / "snd_analysis" / "stdlib").glob("*.sknd"))
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


@pytest_lsp.fixture(config=SERVER, params=["visual-studio-code", "neovim@v0.10"])
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    await begin(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


async def chosen(client: LanguageClient, text: str, at: str) -> None:
    """Lets the action be done."""
    here = position(text, at)
    document = types.TextDocumentIdentifier(URI)
    found = await client.text_document_code_action_async(
        types.CodeActionParams(document, types.Range(here, here), types.CodeActionContext([]))
    )
    (action,) = [each for each in found or () if "write a sample" in each.title]
    command: Any = action.command
    if isinstance(command, str):  # lsprotocol takes such an action for a command
        command = types.Command(**ast.literal_eval(command))
    await client.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))


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


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_samples_of_all_operators_of_the_library_check_and_are_right(path: Path):
    text = path.read_text()
    snapshot = snapshot_of({path.name: text})
    before = len(snapshot.diagnostics(path.name))
    names = [*snapshot.definitions(path.name)][:: 5 if path.stem == "math" else 2]
    proposals: dict[str, SampleProposal] = {}
    for name in names:
        around = SampleRequest(path.name, {})
        proposal = propose_sample(snapshot, ProposalRequest(around, OperatorName(path.name, name)))
        assert proposal is not None, name
        assert proposal.outcome.status is Status.UNRECORDED, (name, proposal.outcome)
        proposals[name] = proposal
    for name in reversed(names):
        found = snapshot.definitions(path.name)[name]
        at = found.start + found.definition.start
        text = f"{text[:at]}{comment_text(text, at, proposals[name])}{text[at:]}"
    changed = snapshot_of({path.name: text})
    assert len(changed.diagnostics(path.name)) <= before
    assert len(changed.samples(path.name)) == len(snapshot.samples(path.name)) + len(names)


def test_a_sample_goes_where_a_line_begins():
    proposal = SampleProposal(("f(1.0,", "  2.0)"), snapshot_outcome())
    assert comment_text("graph g {}", 0, proposal) == "# >>> f(1.0,\n# ...   2.0)\n"
    assert comment_text("  graph g {}", 2, proposal) == "# >>> f(1.0,\n  # ...   2.0)\n  "
    assert comment_text("graph f {} graph g {}", 11, proposal) == "\n# >>> f(1.0,\n# ...   2.0)\n"


def snapshot_outcome() -> Any:
    (outcome,) = evaluate_samples(SampleRequest("m.sknd", {"m.sknd": "# >>> nothing()\n"}))
    return outcome


async def _given(value: Any) -> Any:
    return value
