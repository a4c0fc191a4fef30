"""The drawing of graphs that is committed for the command line is what its sources give (invariant 21)."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from support.editors.downloads import UnavailableError, skip
from support.editors.packaged_extension import SOURCES, packaged
from support.waiting import FAR_SECONDS

COMMITTED = SOURCES.parent / "server" / "snd_server" / "drawing"
_MADE_OF = re.compile(r"sources (\w+)\) by .* with esbuild ([\d.]+), elkjs (\d+\.\d+\.\d+)")


@pytest.mark.parametrize("name", ["graph-engine.js", "graph-page.js"])
def test_the_drawing_is_that_of_its_sources(extension: Path, tmp_path: Path, name: str):
    subprocess.run(["node", "graph.mjs", str(tmp_path)], cwd=extension, check=True, timeout=FAR_SECONDS)
    built, committed = (folder / name for folder in (tmp_path, COMMITTED))
    sources, *versions = made_of(built)
    committed_sources, *committed_versions = made_of(committed)
    assert committed_sources == sources, "run `node graph.mjs` in vscode-extension and commit server/snd_server/drawing"
    # Other versions of what bundles write the same otherwise.
    if versions == committed_versions:
        assert built.read_bytes() == committed.read_bytes()


def test_the_licence_of_the_library_in_the_drawing_goes_with_it(extension: Path, tmp_path: Path):
    subprocess.run(["node", "graph.mjs", str(tmp_path)], cwd=extension, check=True, timeout=FAR_SECONDS)
    committed = (COMMITTED / "licences.txt").read_text(encoding="utf-8")
    version = made_of(COMMITTED / "graph-engine.js")[2]
    assert committed.startswith(f"elkjs {version} (EPL-2.0)\nSource code: https://github.com/kieler/elkjs\n")
    assert "Eclipse Public License - v 2.0" in committed
    if made_of(tmp_path / "graph-engine.js")[2] == version:
        assert (tmp_path / "licences.txt").read_text(encoding="utf-8") == committed


def test_the_licence_is_in_the_wheel():
    try:
        package = packaged()
    except UnavailableError as reason:
        skip(reason)
    with zipfile.ZipFile(package) as vsix:
        name = next(each for each in vsix.namelist() if each.endswith(".whl"))
        with zipfile.ZipFile(BytesIO(vsix.read(name))) as wheel:
            carried = wheel.read("snd_server/drawing/licences.txt")
    assert carried == (COMMITTED / "licences.txt").read_bytes()


def made_of(file: Path) -> tuple[str, ...]:
    found = _MADE_OF.search(file.read_text(encoding="utf-8")[:500])
    assert found is not None, file
    return found.groups()


def test_the_panel_may_run_its_own_script_alone(extension: Path, tmp_path: Path):
    subprocess.run(
        ["npx", "esbuild", "src/views/graphPage.ts", "--bundle", "--platform=node", f"--outfile={tmp_path}/page.cjs"],
        cwd=extension, check=True, timeout=FAR_SECONDS, capture_output=True,
    )  # fmt: skip
    write = f"process.stdout.write(require({json.dumps(str(tmp_path / 'page.cjs'))}).graphPage('1', '</script>2'))"
    first, second = (
        subprocess.run(["node", "-e", write], check=True, timeout=FAR_SECONDS, capture_output=True, text=True).stdout
        for _ in range(2)
    )
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', first)
    directives = dict(each.strip().partition(" ")[::2] for each in policy.split(";"))
    assert directives.pop("default-src") == "'none'"
    nonce = re.fullmatch(r"'nonce-([\w+/=]{20,})' blob:", directives.pop("script-src"))
    assert nonce is not None
    assert directives == {"worker-src": "blob:", "img-src": "blob:"}
    assert "unsafe" not in policy
    assert first.count(f'<script nonce="{nonce[1]}">') == 1
    assert first.count("</script") == 2, "nothing ends a script from within"
    assert nonce[1] not in second, "each page has its own"
