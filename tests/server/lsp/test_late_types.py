"""Late types of the protocol are its types, also where attrs or lsprotocol are not as they are today."""

from __future__ import annotations

import sys

import pytest

from support.lsp.raw_client import goodbye, running

# Serves with modules whose source is changed as they are imported, and ends with how many classes were not needed.
SERVER = """
import os, sys
from importlib.machinery import PathFinder, SourceFileLoader

CHANGES = {changes!r}

class Changed(SourceFileLoader):
    def get_code(self, fullname):
        source = self.get_source(fullname)
        for before, after in CHANGES[fullname]:
            assert before in source
            source = source.replace(before, after)
        return compile(source, self.path, "exec")

class Finder:
    @staticmethod
    def find_spec(name, path, target=None):
        spec = PathFinder.find_spec(name, path, target) if name in CHANGES else None
        if spec is not None:
            spec.loader = Changed(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)
{before}
from snd_server.lsp import late_types

def end(status, _exit=os._exit):
    print("left:", len(late_types._declared), file=sys.stderr, flush=True)
    _exit(status)

os._exit = end
sys.argv = ["snd", "lsp"]
from snd_server.cli import main
main()
"""

TYPES, HOOKS = "lsprotocol.types", "lsprotocol._hooks"

OTHER_ATTRS = """
import attrs
define = attrs.define

def other_define(cls=None, **options):
    if "field_transformer" in options:
        raise TypeError("field_transformer is no more")
    return define(cls, **options)

attrs.define = other_define
"""

WITH_MISTAKE = """operator f {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = z[i,], i < n; }
}
"""

Changes = dict[str, list[tuple[str, str]]]


async def unneeded(changes: Changes, before: str = "") -> int:
    """How many classes a session has not made, in which the server was asked some questions."""
    code = SERVER.format(changes=changes, before=before)
    async with running(sys.executable, "-c", code) as (process, client):
        answer = await client.initialize(capabilities={"textDocument": {"diagnostic": {}, "hover": {}}})
        assert answer["result"]["capabilities"]["completionProvider"]["resolveProvider"] is True
        client.open("untitled:a.sknd", WITH_MISTAKE)
        document = {"textDocument": {"uri": "untitled:a.sknd"}}
        report = await client.request("textDocument/diagnostic", document)
        assert [each["code"] for each in report["result"]["items"]] == ["undefined-name"]
        assert report["result"]["items"][0]["range"]["start"] == {"line": 3, "character": 21}
        hover = await client.request("textDocument/hover", {**document, "position": {"line": 0, "character": 9}})
        assert "operator" in hover["result"]["contents"]["value"]
        wrong = await client.request("textDocument/hover", {**document, "position": {"line": -1, "character": 9}})
        assert "error" in wrong
        assert await goodbye(process, client) == 0
        assert process.stderr
        lines = (await process.stderr.read()).decode().splitlines()
    return next(int(line.removeprefix("left: ")) for line in lines if line.startswith("left: "))


async def test_most_types_are_never_made() -> None:
    assert await unneeded({}) > 300


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({each: [("ALL_TYPES_MAP", "TYPES")] for each in (TYPES, HOOKS, "pygls.lsp")}, id="other names"),
        pytest.param({TYPES: [("\nALL_TYPES_MAP", "\nORIGIN = Position(0, 0)\nALL_TYPES_MAP")]}, id="used at once"),
        pytest.param({TYPES: [("@attrs.define", "@attrs.mutable")]}, id="declared otherwise"),
    ],
)
async def test_types_that_are_not_as_expected_are_imported_as_everybody_does(changes: Changes) -> None:
    assert await unneeded(changes) == 0


async def test_without_the_options_that_late_types_need_they_are_imported_as_everybody_does() -> None:
    assert await unneeded({}, OTHER_ATTRS) == 0


async def test_without_the_flag_of_lsprotocol_all_types_are_made() -> None:
    assert await unneeded({HOOKS: [("_resolved_forward_references", "_were_resolved")]}) == 0
