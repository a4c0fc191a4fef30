"""Modules that a server has loaded at its first answer, which users wait for (invariant 19)."""

from __future__ import annotations

import sys

from support.lsp.raw_client import goodbye, running

MISTAKE = """operator f {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = z[i,], i < n; }
}
"""
SAMPLE = "# >>> f([1.0])\n# y: real[1] = [1.0]\n"

# Ends a server with the names of its modules, and gives it no pause in which it could load more.
TELLTALE = """
import os, sys
import snd_server.lsp.values.evaluation
snd_server.lsp.values.evaluation._PAUSE_SECONDS = 3600

def end(status, _exit=os._exit):
    print(*sys.modules, file=sys.stderr, flush=True)
    _exit(status)

os._exit = end
sys.argv = ["snd", "lsp"]
from snd_server.cli import main
main()
"""

# Most take more than a tenth of the time there is: values are computed later, and grammars are tables by then.
LATE = (
    "numpy",
    "snd_runtime.samples",
    "snd_runtime.evaluation",
    "lark",
    "ctypes",
    "watchfiles",
    "rich",
    "snd_analysis.nnef1",
    "z3",
)


async def test_until_the_first_diagnostics_nothing_is_loaded_that_they_do_not_need() -> None:
    async with running(sys.executable, "-c", TELLTALE) as (process, client):
        answer = await client.initialize(capabilities={"textDocument": {"diagnostic": {}}})
        assert answer["result"]["capabilities"]["diagnosticProvider"]
        client.open("untitled:a.sknd", SAMPLE + MISTAKE)
        document = {"textDocument": {"uri": "untitled:a.sknd"}}
        report = await client.request("textDocument/diagnostic", document)
        assert [each["code"] for each in report["result"]["items"]] == ["undefined-name"]
        assert await goodbye(process, client) == 0
        assert process.stderr
        loaded = (await process.stderr.read()).decode().split()
    assert "snd_analysis.workspace" in loaded
    assert [name for name in LATE if name in loaded] == []
