"""Features over several files: renaming there and back, and signatures that others rely on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from support.lsp.editing import offset_of, place, replaced, replacements
from support.lsp.raw_client import RawClient, goodbye, running

EXAMPLES = Path(__file__).parents[3] / "examples"
CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-8"]},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "textDocument": {"diagnostic": {}, "rename": {"prepareSupport": True}},
}
NAMES = [
    ("encoder.sknd", "operator dense", "dense", "fully_connected"),
    ("encoder.sknd", "operator layer {\n    @attrib {\n        heads", "heads", "attention_heads"),
    ("encoder.sknd", "operator split_heads {\n    @attrib {\n        heads", "heads", "parts"),
    ("embedding.sknd", "operator pool", "pool", "summarize"),
]


def texts(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*.sknd"))}


async def rename(client: RawClient, path: Path, offset: int, name: str) -> None:
    """Rename on disk, as an editor does with files that are not open."""
    text = path.read_bytes().decode()
    params = {"textDocument": {"uri": path.as_uri()}, "position": place(text, offset, "utf-8"), "newName": name}
    answer = await client.request("textDocument/rename", params)
    assert "error" not in answer, answer
    changed = []
    for change in answer["result"]["documentChanges"]:
        file = Path(change["textDocument"]["uri"].removeprefix("file://"))
        before = file.read_bytes().decode()
        file.write_bytes(replaced(before, replacements(before, change["edits"], "utf-8")).encode())
        changed.append({"uri": file.as_uri(), "type": 2})
    client.send("workspace/didChangeWatchedFiles", {"changes": changed})


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
async def test_renaming_there_and_back_leaves_the_same_bytes(tmp_path: Path, line_break: str):
    folder = tmp_path / "transformer"
    shutil.copytree(EXAMPLES / "transformer", folder)
    for path in folder.glob("*.sknd"):
        text = path.read_text(encoding="utf-8").replace("# ", "# é𝄞 ", 1)
        path.write_bytes(text.replace("\n", line_break).encode())
    before = texts(folder)
    async with running() as (process, client):
        folders = [{"uri": folder.as_uri(), "name": "here"}]
        await client.initialize(capabilities=CAPABILITIES, workspaceFolders=folders)
        for file, declared, old, new in NAMES:
            before_name = declared.replace("\n", line_break).removesuffix(old)

            def at(name: str, file: str = file, before_name: str = before_name) -> int:
                return (folder / file).read_bytes().decode().index(before_name + name) + len(before_name)

            await rename(client, folder / file, at(old), new)
            there = texts(folder)
            assert there != before
            for path in there:
                answer = await client.request("textDocument/diagnostic", {"textDocument": {"uri": path.as_uri()}})
                assert answer["result"]["items"] == [], (new, path)
            await rename(client, folder / file, at(new), old)
            assert texts(folder) == before, (old, new)
        assert await goodbye(process, client) == 0


async def test_a_signature_matters_in_all_files_open_or_not(tmp_path: Path):
    folder = tmp_path / "transformer"
    shutil.copytree(EXAMPLES / "transformer", folder)
    files = {path.name: path for path in folder.glob("*.sknd")}

    async def wrong(client: RawClient) -> dict[str, list[str]]:
        report = await client.request("workspace/diagnostic", {"previousResultIds": []})
        return {
            each["uri"].rpartition("/")[2]: [item["code"] for item in each["items"]]
            for each in report["result"]["items"]
            if each["items"]
        }

    async with running() as (process, client):
        folders = [{"uri": folder.as_uri(), "name": "here"}]
        await client.initialize(capabilities=CAPABILITIES, workspaceFolders=folders)
        uri, text = files["encoder.sknd"].as_uri(), files["encoder.sknd"].read_text(encoding="utf-8")
        client.open(uri, text)
        main = files["main.sknd"].as_uri()
        client.open(main, files["main.sknd"].read_text(encoding="utf-8"))
        assert await wrong(client) == {}
        start = text.index("        hidden: int;", text.index("operator layer {")) + 8
        ends = [place(text, start, "utf-8"), place(text, start + len("hidden"), "utf-8")]
        assert offset_of(text, ends[0], "utf-8") == start
        client.change(uri, 2, {"range": {"start": ends[0], "end": ends[1]}, "text": "inner"})
        found = await wrong(client)
        assert found["main.sknd"] == ["unknown-attribute"] * 12, "one for each layer"
        assert "embedding.sknd" not in found
        back = {"start": ends[0], "end": {**ends[0], "character": ends[0]["character"] + len("inner")}}
        client.change(uri, 3, {"range": back, "text": "hidden"})
        assert await wrong(client) == {}
        assert await goodbye(process, client) == 0
