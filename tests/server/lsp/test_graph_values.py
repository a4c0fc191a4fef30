"""Values beside the statements of graphs: what they are run with, freshness, failures, control flow, lenses and hovers.

Invariant 17 of ARCHITECTURE.md.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import PULLING, SERVER, Editor, begin, change_text, open_text, position, rest
from support.lsp.shown_values import lenses
from support.waiting import FAR_SECONDS, eventually

URI = "untitled:graphs"

TEXT = """import math;

# >>> net([1.0, 2.0])
# >>> net([5.0, 6.0, 7.0])
graph net {
    @input { x: real[n|9]; }
    @output { y: real[n|9]; }
    @compose {
        a = math.add(x, 1.0);
        b = math.mul(a, 2.0);
        y = math.neg(b);
    }
}
"""
FLOW = """import math;
import layout;

# >>> net([1.0, 2.0], true)
graph net {
    @input { x: real[2]; c: bool[]; }
    @output { y: real[2]; }
    @compose {
        a = if c then {
            s = math.add(x, 1.0);
            yield s;
        } else {
            t = math.add(x, 2.0);
            yield t;
        };
        y = with u = a do..(3) {
            v = math.mul(u, 2.0);
            yield v;
        };
    }
}
"""
FAILING = """import math;

operator pick {
    @input { x: real[n]; at: int[m]; }
    @output { y: real[m]; }
    @lower { y[i,] = x[at[i,],], i < m; }
}
# >>> net([1.0, 2.0], [5])
graph net {
    @input { x: real[2]; at: int[1]; }
    @output { y: real[1]; }
    @compose {
        a = math.add(x, 1.0);
        b = pick(a, at);
        y = math.neg(b);
    }
}
"""


LOOP = "y, ~ = with u = x, k = 0.0 while math.lt(k, 1.0) do { v = math.neg(u); i = math.mul(k, 1.0); yield v, i; };"


@pytest_lsp.fixture(config=SERVER, params=PULLING)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    options = {"snd": {"evaluation": {"timeout": 2}}}
    lsp_client.set_configuration(options)
    await begin(lsp_client, request.param, options=options)
    yield
    await lsp_client.shutdown_session()


async def shown(client: LanguageClient, text: str) -> dict[str, str]:
    """The hints at the ends of statements; two at one place with a bar between them."""
    whole = types.Range(types.Position(0, 0), types.Position(len(text), 0))
    found = await client.text_document_inlay_hint_async(types.InlayHintParams(types.TextDocumentIdentifier(URI), whole))
    lines, known = text.split("\n"), dict[str, str]()
    for hint in found or ():
        line = lines[hint.position.line]
        assert not isinstance(hint.label, str)
        if hint.position.character == len(line) and line.endswith((";", "{")):
            label = "".join(part.value for part in hint.label)
            known[line.strip()] = f"{known[line.strip()]} | {label}" if line.strip() in known else label
    return known


async def run(client: LanguageClient, command: str, *arguments: Any) -> None:
    await client.workspace_execute_command_async(types.ExecuteCommandParams(command, [URI, *arguments]))


async def hover(client: LanguageClient, text: str, snippet: str, behind: str = "") -> str:
    document = types.TextDocumentIdentifier(URI)
    found = await client.text_document_hover_async(types.HoverParams(document, position(text, snippet, behind)))
    assert found
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


# ---- values and their freshness --------------------------------------------------------------------------------------
async def test_values_stand_beside_statements_and_follow_edits(client: Editor):
    open_text(client, URI, TEXT)
    found = await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " in str(found))
    assert found == {
        "a = math.add(x, 1.0);": "real[n] | real[2] = [2.0, 3.0]",
        "b = math.mul(a, 2.0);": "real[n] | real[2] = [4.0, 6.0]",
        "y = math.neg(b);": "real[n] | real[2] = [-4.0, -6.0]",
    }, "the first sample is what it is run by"
    changed = TEXT.replace("math.mul(a, 2.0)", "math.mul(a, 3.0)").replace("graph net", "# More.\n\ngraph net")
    change_text(client, URI, changed, 2)
    at_once = await shown(client, changed)
    assert at_once["a = math.add(x, 1.0);"].endswith("stale: real[2] = [2.0, 3.0]")
    assert "stale" not in at_once["b = math.mul(a, 3.0);"] or "[4.0, 6.0]" in at_once["b = math.mul(a, 3.0);"]
    found = await eventually(lambda: shown(client, changed), lambda found: "[6.0, 9.0]" in str(found))
    assert found["y = math.neg(b);"] == "real[n] | real[2] = [-6.0, -9.0]"
    change_text(client, URI, changed.replace("# More.", "# Comments change no value."), 3)
    found = await shown(client, changed.replace("# More.", "# Comments change no value."))
    assert found["y = math.neg(b);"] == "real[n] | real[2] = [-6.0, -9.0]"
    spaced = changed.replace("math.mul(a, 3.0)", "math.mul( a,3.0 )  # nor do blanks\n           ")
    change_text(client, URI, spaced, 4)
    assert (await shown(client, spaced))["y = math.neg(b);"] == "real[n] | real[2] = [-6.0, -9.0]"


async def test_a_value_is_never_fresh_for_another_text(client: Editor):
    open_text(client, URI, TEXT)
    await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " in str(found))
    for version in range(2, 12):
        text = TEXT.replace("add(x, 1.0)", f"add(x, {version}.0)")
        change_text(client, URI, text, version)
        for line, hint in (await shown(client, text)).items():
            if line.startswith("a ="):
                assert "stale" in hint or "=" not in hint or f"[{version + 1}.0" in hint, (line, hint)


async def test_without_a_sample_inputs_are_made(client: Editor):
    text = re.sub(r"# >>>.*\n", "", TEXT)
    open_text(client, URI, text)
    found = await eventually(lambda: shown(client, text), lambda found: "| real[2]" in str(found))
    assert re.fullmatch(r"real\[n\] \| real\[2\] = \[.*\]", found["y = math.neg(b);"]), found
    assert "made at random" in await hover(client, text, "x, 1.0")
    await run(client, "snd.evaluateGraph", "net", {"inputs": ["x=[10, 20, 30]"]})
    found = await eventually(lambda: shown(client, text), lambda found: "[11.0, 21.0, 31.0]" in str(found))
    await run(client, "snd.evaluateGraph", "net", {"inputs": ["x=@secret.npy"]})
    await eventually(_now(lambda: client.messages), lambda found: "no files" in str(found))


async def test_another_sample_is_chosen(client: Editor):
    open_text(client, URI, TEXT)
    await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " in str(found))
    (lens,) = [each.command for each in await lenses(client, URI) if each.command and "run 'net'" in each.command.title]
    await client.workspace_execute_command_async(types.ExecuteCommandParams(lens.command, lens.arguments))
    found = await eventually(lambda: shown(client, TEXT), lambda found: "real[3]" in str(found))
    assert found["a = math.add(x, 1.0);"] == "real[n] | real[3] = [6.0, 7.0, 8.0]"


async def test_values_can_be_hidden(client: Editor):
    open_text(client, URI, TEXT)
    await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " in str(found))
    await run(client, "snd.showGraphValues", "net", False)
    await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " not in str(found))
    titles = [each.command.title for each in await lenses(client, URI) if each.command]
    assert "evaluate the graph" in titles
    assert "fresh" not in await hover(client, TEXT, "a, 2.0")
    await run(client, "snd.evaluateGraph", "net")
    await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " in str(found))


# ---- control flow and failures ---------------------------------------------------------------------------------------
async def test_branches_that_ran_and_last_iterations(client: Editor):
    open_text(client, URI, FLOW)
    found = await eventually(lambda: shown(client, FLOW), lambda found: "[16.0, 24.0]" in str(found))
    assert found["s = math.add(x, 1.0);"] == "real[2] = [2.0, 3.0]"
    assert found["t = math.add(x, 2.0);"] == "real[2]", "the other branch was not taken: its shape is all there is"
    assert found["v = math.mul(u, 2.0);"] == "real[2] #2 = [16.0, 24.0]"
    assert "in the last iteration, #2" in await hover(client, FLOW, "v;")


async def test_a_failure_stands_at_its_statement(client: Editor):
    open_text(client, URI, FAILING)
    found = await eventually(lambda: shown(client, FAILING), lambda found: "✗" in str(found))
    assert found["a = math.add(x, 1.0);"] == "real[2] = [2.0, 3.0]", "what was computed before is shown"
    assert re.match(r"real\[1\] \| ✗ .*\b5\b", found["b = pick(a, at);"]), found
    assert "y = math.neg(b);" not in found, "it was not computed, and its shape is declared"
    assert "not computed" in await hover(client, FAILING, "b = pick")


async def test_what_takes_too_long_is_told_and_an_edit_gives_it_another_chance(client: Editor):
    text = TEXT.replace("y = math.neg(b);", LOOP)
    open_text(client, URI, text)
    await eventually(lambda: lenses(client, URI), lambda found: "evaluate the graph" in str(found))
    assert "=" not in str((await shown(client, text)).values()), "what may take long waits for its lens"
    await run(client, "snd.evaluateGraph", "net")
    found = await eventually(lambda: shown(client, text), lambda found: "over limit" in str(found))
    assert "over limit: " in found[LOOP], "at the statement that took the time"
    change_text(client, URI, TEXT, 2)
    await eventually(lambda: shown(client, TEXT), lambda found: "[-4.0, -6.0]" in str(found))


async def test_an_edit_cancels_what_it_outdates(client: Editor):
    await _configured(client, timeout=FAR_SECONDS)
    text = TEXT.replace("y = math.neg(b);", LOOP)
    open_text(client, URI, text)
    await eventually(lambda: lenses(client, URI), lambda found: "evaluate the graph" in str(found))
    await run(client, "snd.evaluateGraph", "net")
    await eventually(lambda: lenses(client, URI), lambda found: "running" in str(found))
    change_text(client, URI, TEXT, 2)
    await eventually(lambda: shown(client, TEXT), lambda found: "[-4.0, -6.0]" in str(found))


async def test_names_of_loops_and_extents_have_values_in_hovers(client: Editor):
    text = FLOW.replace("real[2]", "real[n|4]").replace("do..(3)", "do..(i -> 3)")
    open_text(client, URI, text)
    await eventually(lambda: shown(client, text), lambda found: "[16.0, 24.0]" in str(found))
    found = await hover(client, text, "u, 2.0")
    assert "in the last iteration, #2" in found
    assert "u: real[2] n=2 x∈[8, 12]" in found
    assert "i: int[] = 2`" in await hover(client, text, "i -> 3")
    assert "= `2` in the sample `net([1.0, 2.0], true)`" in await hover(client, text, "n|4")
    assert "not computed" in await hover(client, text, "t = math.add")
    await run(client, "snd.evaluateGraph", "net", {"inputs": ["x=[1, 2, 3]", "c=true"]})
    await eventually(lambda: shown(client, text), lambda found: "[16.0, 24.0, 32.0]" in str(found))
    assert "= `3` in this run" in await hover(client, text, "n|4")


async def test_values_of_matrices_packs_and_copies_stand_on_one_line(client: Editor):
    text = """import layout;

# >>> net([[1.0, 2.0], [3.0, 4.0]])
graph net {
    @input { x: real[2,2]; }
    @output { y: real[2,2]; }
    @compose {
        halves..(2) = layout.split{axis=1, count=2}(x);
        back = layout.concat{axis=1}(halves);
        same = back;
        y = same;
    }
}
"""
    open_text(client, URI, text)
    found = await eventually(lambda: shown(client, text), lambda found: "= [" in str(found))
    matrix = "[[1.0, 2.0], [3.0, 4.0]]"
    assert found == {
        "halves..(2) = layout.split{axis=1, count=2}(x);": "real[2,1]..(2)",
        "back = layout.concat{axis=1}(halves);": f"real[2,2] = {matrix}",
        "same = back;": f"real[2,2] = {matrix}",
        "y = same;": f"real[2,2] = {matrix}",
    }
    assert "same: real[2,2] n=4" in await hover(client, text, "same;"), "a copy has its own name"


async def test_hints_fit_into_the_limit_of_vs_code(client: Editor):
    """VS Code shows 43 characters of a hint: the shape stands first, then NaN, the range and the mean."""
    text = """import math;

# >>> net(random[1,6,32,32])
graph net {
    @input { x: real[1,6,32,32]; }
    @output { y: real[1,6,32,32]; }
    @compose {
        low, high = math.moments{axes=[1, 2, 3]}(x);
        y = math.log(x);
    }
}
"""
    open_text(client, URI, text)
    found = await eventually(lambda: shown(client, text), lambda found: "nan" in str(found))
    assert max(map(len, found.values())) <= 43
    assert re.fullmatch(r"real\[1,6,32,32\] nan=\d+ x∈\[.*\].*", found["y = math.log(x);"]), found


async def test_a_variable_and_its_update_have_values_of_their_own(client: Editor):
    text = TEXT.replace("@output { y: real[n|9]; }", "@output { y: real[n|9]; }\n    @variable { v: real[]; }")
    text = text.replace("math.mul(a, 2.0)", "math.mul(a, v)").replace(
        "math.neg(b);\n    }", "math.neg(b);\n    }\n    @update {\n        v = math.add(v, 1.0);\n    }"
    )
    open_text(client, URI, text)
    found = await eventually(lambda: shown(client, text), lambda found: "real[2] = " in str(found))
    after = found["v = math.add(v, 1.0);"].removeprefix("real[] = ")
    updated = await hover(client, text, "v = math.add(v, 1.0)")
    assert "from the next run on" in updated
    for place, value in (("v);", float(after) - 1.0), ("v: real[]", float(after) - 1.0)):
        before = re.search(r"v: real\[\] = (\S+)`", await hover(client, text, place))
        assert before
        assert float(before[1]) == pytest.approx(value, abs=1e-5)
    assert f"v: real[] = {after}`" in updated


# ---- hovers, parts, refresh ------------------------------------------------------------------------------------------
async def test_hovers_and_tooltips_show_values_in_full(client: Editor):
    open_text(client, URI, TEXT)
    await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " in str(found))
    found = await hover(client, TEXT, "a, 2.0")
    assert "**fresh**" in found
    assert "a: real[2] n=2 x∈[2, 3]" in found
    assert "net([1.0, 2.0])" in await hover(client, TEXT, "net {")
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    document = types.TextDocumentIdentifier(URI)
    all_hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    (hint,) = [each for each in all_hints or () if "[4.0, 6.0]" in str(each.label)]
    assert not isinstance(hint.label, str)
    (place,) = [part.location for part in hint.label if "[4.0" in part.value]
    assert place
    assert place.range.start.line == 2, "it leads to the sample"
    resolved = await client.inlay_hint_resolve_async(hint)
    assert "b: real[2] n=2" in str(resolved.tooltip)


async def test_what_is_stale_leads_to_an_evaluation(client: Editor):
    await _configured(client, automatic=False)
    open_text(client, URI, TEXT)
    await run(client, "snd.evaluateGraph", "net")
    await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " in str(found))
    changed = TEXT.replace("math.mul(a, 2.0)", "math.mul(a, 3.0)")
    change_text(client, URI, changed, 2)
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    document = types.TextDocumentIdentifier(URI)
    all_hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    (hint,) = [each for each in all_hints or () if "stale" in str(each.label) and "[4.0, 6.0]" in str(each.label)]
    assert not isinstance(hint.label, str)
    (command,) = [part.command for part in hint.label if part.command and "[4.0" in part.value]
    await client.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))
    await eventually(lambda: shown(client, changed), lambda found: "[6.0, 9.0]" in str(found))


async def _configured(client: Editor, **evaluation: Any) -> None:
    client.set_configuration({"snd": {"evaluation": evaluation}})
    client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"snd": {"evaluation": evaluation}})
    )  # fmt: skip
    await rest(client)


async def test_a_large_graph_is_bounded_and_says_so(client: Editor):
    await _configured(client, automatic=False, timeout=FAR_SECONDS)
    count = 2_100
    lines = [f"        t{at} = math.add(t{at - 1}, 1.0);" for at in range(1, count)]
    body = "\n".join(["        t0 = math.add(x, 1.0);", *lines, f"        y = math.neg(t{count - 1});"])
    text = "import math;\n\n# >>> net([1.0])\ngraph net {\n    @input { x: real[1]; }\n    @output { y: real[1]; }\n"
    text += f"    @compose {{\n{body}\n    }}\n}}\n"
    open_text(client, URI, text)
    await run(client, "snd.evaluateGraph", "net")
    found = await eventually(lambda: shown(client, text), lambda found: "] = [" in str(found))
    assert sum("= [" in hint for hint in found.values()) < 2_001
    assert any("first 2,000 tensors" in each.command.title for each in await lenses(client, URI) if each.command)
    assert "tensors too many" in await hover(client, text, f"t{count - 2}, 1.0")


async def _eventually_runs(client: Editor) -> None:
    await eventually(lambda: lenses(client, "untitled:endless"), lambda found: "running" in str(found))


async def test_a_long_evaluation_starves_nobody(client: Editor):
    endless = """import math;

# >>> endless(1.0)
graph endless {
    @input { x: real[]; }
    @output { y: real[]; }
    @compose { y = with a = x do..(9000000) math.mul(a, 1.0); }
}
"""
    open_text(client, "untitled:endless", endless)
    open_text(client, URI, TEXT)
    await eventually(lambda: shown(client, TEXT), lambda found: "real[2] = " in str(found))
    code = {"code": "# >>> endless(1.0)", "occurrence": 0}
    params = {"textDocument": {"uri": "untitled:endless"}, "sample": code, "timeout": 600}
    future = client.protocol.send_request("snd/evaluate", params)
    await _eventually_runs(client)
    changed = TEXT.replace("math.mul(a, 2.0)", "math.mul(a, 3.0)")
    change_text(client, URI, changed, 2)
    await eventually(lambda: shown(client, changed), lambda found: "[6.0, 9.0]" in str(found))
    assert not future.done(), "it was evaluated beside the other"
    (number,) = [key for key, each in client.protocol._request_futures.items() if each is future]
    client.cancel_request(types.CancelParams(number))


async def test_the_time_that_a_request_allows_counts_for_samples(client: Editor):
    text = TEXT.replace("y = math.neg(b);", LOOP)
    open_text(client, URI, text)
    params: dict[str, Any] = {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 6}, "timeout": 0.2}
    found = await client.protocol.send_request_async("snd/evaluate", params)
    assert found.age == "over limit"
    assert "0.2 seconds" in found.message


def _now(function: Any) -> Any:
    async def answer() -> Any:
        return function()

    return answer


async def test_the_values_of_what_was_chosen_can_be_asked_for(client: Editor):
    open_text(client, URI, TEXT)

    async def trace(**more: Any) -> dict[str, float]:
        params = {"textDocument": {"uri": URI}, "graph": "net", "chosen": True, "trace": True, **more}
        answer = await client.protocol.send_request_async("snd/evaluate", params)
        return {each.name: each.statistics.mean for each in answer.trace}

    assert (await trace())["b"] == 5.0
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams("snd.chooseSample", [URI, {"code": "# >>> net([5.0, 6.0, 7.0])", "occurrence": 0}])
    )
    assert await eventually(trace, lambda found: found["b"] == 14.0)
    given = {"types": [], "attributes": [], "inputs": ["x=[0.0, 10.0]"]}
    await client.workspace_execute_command_async(types.ExecuteCommandParams("snd.evaluateGraph", [URI, "net", given]))
    assert await eventually(trace, lambda found: found["b"] == 12.0)


QUANTIZED = """import math;

operator grid { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = round(x[i,]), i < n; } }
# >>> net([0.3, 0.6])
graph net {
    @input { x: real[n|9]; }
    @output { y: real[n|9]; }
    @compose {
        a = math.mul(x, 2.0);
        y = math.neg(a);
    }
    @quantize { a: grid; x: grid; }
}
"""


async def test_quantization_is_a_setting_and_hovers_say_whether_it_was_applied(client: Editor):
    open_text(client, URI, QUANTIZED)
    found = await eventually(lambda: shown(client, QUANTIZED), lambda found: "real[2] = " in str(found))
    assert found["y = math.neg(a);"].endswith("[-0.6, -1.2]")
    text = await hover(client, QUANTIZED, "a = math", "")
    assert "not quantized by `grid`: the setting `evaluation.quantize` is off" in text
    await _configured(client, quantize=True)
    found = await eventually(lambda: shown(client, QUANTIZED), lambda found: "[-0.0, -2.0]" in str(found))
    assert found["a = math.mul(x, 2.0);"].endswith("[0.0, 2.0]")
    text = await hover(client, QUANTIZED, "x: real[n|9]", "graph net")
    assert "quantized by `grid`: no element changes by more than 0.4" in text
    assert "| **0** | 0.0 | 1.0 |" in text
    request = {"textDocument": {"uri": URI}, "graph": "net", "inputs": ["x=[0.3, 0.6]"]}
    answer = await client.protocol.send_request_async("snd/evaluate", {**request, "quantize": False})
    assert [each.change for each in answer.quantized] == [None, None]
    answer = await client.protocol.send_request_async("snd/evaluate", request)
    assert [each.name for each in answer.quantized if each.change is not None] == ["a", "x"]
