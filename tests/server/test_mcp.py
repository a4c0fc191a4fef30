"""``snd mcp``, by a client of the official SDK."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
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


async def answers(mcp: Any, root: Path, *calls: tuple[str, dict[str, Any]]) -> list[tuple[str, bool]]:
    """The text of each answer, and whether it is a failure."""
    arguments = ["-m", "snd_server", "mcp", "--root", str(root)]
    parameters = mcp.StdioServerParameters(command=sys.executable, args=arguments)
    async with mcp.stdio_client(parameters) as (read, write), mcp.ClientSession(read, write) as session:
        await session.initialize()
        tools = await session.list_tools()
        assert {tool.name for tool in tools.tools} == {
            "check", "shapes", "run", "explain_rule", "explain_operator", "convert",
        }  # fmt: skip
        found = [await session.call_tool(name, arguments) for name, arguments in calls]
        return [(each.content[0].text, each.is_error) for each in found]


async def test_tools_answer_as_the_commands_do(mcp, tmp_path):
    (tmp_path / "wrong.sknd").write_text(WRONG)
    shutil.copytree(ROOT / "examples" / "lenet", tmp_path / "lenet")
    before = sorted(tmp_path.iterdir())
    found = await answers(
        mcp, tmp_path,
        ("check", {"path": str(tmp_path / "wrong.sknd")}),
        ("shapes", {"path": "lenet"}),
        ("run", {"path": "lenet", "operator": "nn.relu", "inputs": ["x=[-1.0, 2.0]"]}),
        ("explain_rule", {"name": "unused-import"}),
        ("explain_operator", {"name": "nn.relu"}),
        ("check", {"path": "--fix"}),
    )  # fmt: skip
    (checked, shown, ran, rule, operator, option), failures = zip(*found, strict=True)
    assert failures == (False, False, False, False, False, True)
    assert json.loads(checked)["diagnostics"]
    assert "probabilities" in shown
    assert json.loads(ran)
    assert rule.startswith("## unused-import")
    assert operator.startswith("## nn.relu")
    assert "--fix" in option
    assert sorted(tmp_path.iterdir()) == before


async def test_nothing_outside_of_the_root_is_read(mcp, tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    shutil.copytree(ROOT / "examples" / "lenet", root)
    outside.mkdir()
    np.save(outside / "x.npy", np.zeros(2, np.float32))
    (outside / "secret.sknd").write_text(WRONG)
    (tmp_path / "snd.toml").write_text("unknown = 1\n")
    (root / "link.sknd").symlink_to(outside / "secret.sknd")
    (root / "folder").mkdir()
    (root / "folder" / "link.sknd").symlink_to(outside / "secret.sknd")
    by_path, by_parent, by_link, below, by_value, own = await answers(
        mcp, root,
        ("check", {"path": str(outside)}),
        ("check", {"path": "../outside/secret.sknd"}),
        ("check", {"path": "link.sknd"}),
        ("check", {"path": "folder"}),
        ("run", {"path": ".", "operator": "nn.relu", "inputs": [f"x=@{outside}/x.npy"]}),
        ("run", {"path": ".", "operator": "nn.relu", "inputs": ["x=[1.0]"]}),
    )  # fmt: skip
    for text, failed in (by_path, by_parent, by_link, by_value):
        assert failed
        assert "outside of" in text
    assert "reel" not in below[0]
    assert not own[1], own[0]


async def test_arguments_that_no_process_takes_are_failures(mcp, tmp_path):
    null, long, missing, unknown = await answers(
        mcp, tmp_path,
        ("check", {"path": "a\0b"}),
        ("run", {"path": ".", "inputs": [f"x={'1,' * 300_000}"]}),
        ("shapes", {"path": "missing.sknd"}),
        ("explain_rule", {"name": "no-such-rule"}),
    )  # fmt: skip
    assert all(failed for _, failed in (null, long, missing, unknown))
    assert "null character" in null[0]
    assert "@FILE.npy" in long[0]
    assert "there is no file missing.sknd" in missing[0]


async def test_a_line_with_half_of_a_surrogate_pair_is_answered(mcp_server):
    lines = io.BytesIO(rb'{"path": "a\ud800\\ud800"}' + b"\n{}\n")
    read = io.BufferedReader(mcp_server._Readable(lines)).read()
    assert read == b'{"path": "a?\\\\ud800"}\n{}\n'


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
    asking = asyncio.create_task(mcp_server._snd("/", "check"))
    await until(lambda: bool(made))
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert made[0].returncode is not None
