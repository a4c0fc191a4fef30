"""``snd mcp``, by a client of the official SDK."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from snd_server.limits import MOST_TOOL_CHARACTERS
from support.waiting import until

ROOT = Path(__file__).parents[2]
WRONG = "graph main {\n    @input { x: reel[2]; }\n}\n"


@pytest.fixture(scope="module")
def mcp() -> Any:
    """The SDK. It takes a second to load, so not every process that collects tests loads it."""
    return pytest.importorskip("mcp", reason="tools for agents need mcp, the extra snd[mcp]")


@pytest.fixture
def mcp_server(mcp: Any) -> Any:
    from snd_server.mcp import server as mcp_server

    return mcp_server


async def answers(mcp: Any, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    parameters = mcp.StdioServerParameters(command=sys.executable, args=["-m", "snd_server", "mcp"])
    async with mcp.stdio_client(parameters) as (read, write), mcp.ClientSession(read, write) as session:
        await session.initialize()
        tools = await session.list_tools()
        assert {tool.name for tool in tools.tools} == {
            "check", "shapes", "run", "explain_rule", "explain_operator", "convert",
        }  # fmt: skip
        found = [await session.call_tool(name, arguments) for name, arguments in calls]
        return [each.content[0].text for each in found]


async def test_tools_answer_as_the_commands_do(mcp, tmp_path):
    (tmp_path / "wrong.sknd").write_text(WRONG)
    before = sorted(tmp_path.iterdir())
    checked, shown, ran, rule, operator, option = await answers(
        mcp,
        ("check", {"path": str(tmp_path / "wrong.sknd")}),
        ("shapes", {"path": str(ROOT / "examples" / "lenet")}),
        ("run", {"path": str(ROOT / "examples" / "lenet"), "operator": "nn.relu", "inputs": ["x=[-1.0, 2.0]"]}),
        ("explain_rule", {"name": "unused-import"}),
        ("explain_operator", {"name": "nn.relu"}),
        ("check", {"path": "--fix"}),
    )
    assert json.loads(checked)["diagnostics"]
    assert "probabilities" in shown
    assert json.loads(ran)
    assert rule.startswith("## unused-import")
    assert operator.startswith("## nn.relu")
    assert "--fix" in option
    assert sorted(tmp_path.iterdir()) == before


async def test_what_a_tool_says_without_end_is_not_kept(mcp_server):
    stream = asyncio.StreamReader()
    stream.feed_data(b"x" * 3_000_000)
    stream.feed_eof()
    text, left = await mcp_server._start(stream)
    assert (len(text), left) == (4 * MOST_TOOL_CHARACTERS, 3_000_000 - 4 * MOST_TOOL_CHARACTERS)
    assert mcp_server._cut(text, left).endswith("… 2,900,000 characters more")


async def test_a_question_that_is_taken_back_ends_its_command(mcp_server, monkeypatch: pytest.MonkeyPatch):
    made: list[asyncio.subprocess.Process] = []
    original = asyncio.create_subprocess_exec

    async def make(*command: str, **more: Any) -> asyncio.subprocess.Process:
        made.append(await original(sys.executable, "-c", "import time; time.sleep(1000)", **more))
        return made[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", make)
    asking = asyncio.create_task(mcp_server._snd("check"))
    await until(lambda: bool(made))
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert made[0].returncode is not None
