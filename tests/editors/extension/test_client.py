"""The client of the extension: its types, what of it knows no VS Code, and that its contributions fit the server.

Invariant 20 of ARCHITECTURE.md.
"""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from snd_server.lsp.features.proofs import DEFAULT
from snd_server.lsp.server import SndServer
from snd_server.lsp.session.client_settings import _KEYS
from snd_server.lsp.session.switches import _CHOICES, _SWITCHES, spelled
from snd_server.lsp.values.evaluation_options import EvaluationOptions
from support.editors.downloads import UnavailableError, skip
from support.editors.packaged_extension import SOURCES, packaged
from support.waiting import FAR_SECONDS

PACKAGE: Mapping[str, Any] = json.loads((SOURCES / "package.json").read_text("utf-8"))
CONTRIBUTED: Mapping[str, Any] = PACKAGE["contributes"]
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    key.removeprefix("snd."): value
    for part in CONTRIBUTED["configuration"]
    for key, value in part["properties"].items()
}
# Settings of the extension alone, and the switches that it turns into `FEATURE: false`.
OWN = {"server.path", "server.arguments", "trace.server"}
ENABLED = {f"{feature}.enabled" for feature in ("evaluation", "inlayHints", "codeLenses")}
MOST_BYTES = 3_000_000


def test_types(extension: Path):
    done = subprocess.run(
        ["node", "node_modules/typescript/bin/tsc"], cwd=extension, capture_output=True, text=True, timeout=FAR_SECONDS
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.exhaustive
def test_style(extension: Path):
    done = subprocess.run(["npx", "eslint", "src"], cwd=extension, capture_output=True, text=True, timeout=FAR_SECONDS)
    assert done.returncode == 0, done.stdout


def test_units(extension: Path):
    """The tests of `test/unit`, run by node."""
    done = subprocess.run(
        ["node", "test/unit/run.mjs"], cwd=extension, capture_output=True, text=True, timeout=FAR_SECONDS
    )
    assert done.returncode == 0, re.sub(r"(?m)^(ok |# Subtest|  duration).*\n", "", done.stdout) + done.stderr
    assert len(re.findall(r"(?m)^ok ", done.stdout)) > 20


# ---- settings --------------------------------------------------------------------------------------------------------
def test_settings_are_those_of_the_server():
    ours = {".".join(map(spelled, key.split("."))) for key in SETTINGS if key not in OWN | ENABLED}
    theirs = {*_KEYS, *_CHOICES, *(f"{feature}.{key}" for feature, switches in _SWITCHES.items() for key in switches)}
    assert ours == theirs
    assert set(SETTINGS) >= OWN | ENABLED


@pytest.mark.parametrize("key", SETTINGS)
def test_each_setting_says_what_it_is(key: str):
    setting = SETTINGS[key]
    assert setting["markdownDescription"].strip().endswith(".")
    assert "default" in setting
    assert setting["scope"] == ("machine-overridable" if key.startswith("server.") else setting["scope"])
    assert setting["scope"] in ("window" if key in OWN else "resource", "machine-overridable")
    types = setting["type"] if isinstance(setting["type"], list) else [setting["type"]]
    kind = {bool: "boolean", str: "string", list: "array", type(None): "null", int: "integer", float: "number"}
    assert kind[type(setting["default"])] in (*types, "integer" if "number" in types else None)
    if "enum" in setting:
        assert len(setting["enum"]) == len(setting["enumDescriptions"])


def test_defaults_are_those_of_the_server():
    default = EvaluationOptions()
    for key, setting in SETTINGS.items():
        feature, _, switch = key.partition(".")
        if feature in ("inlayHints", "codeLenses") or key in ENABLED:
            assert setting["default"] is True, key
        elif feature == "evaluation" and switch != "pictures":  # which this client shows, and others may not
            assert setting["default"] == getattr(default, spelled(switch).replace("-", "_")), key


def test_choices_are_those_of_the_server():
    assert {key: tuple(SETTINGS[key]["enum"]) for key in _CHOICES} == _CHOICES
    assert SETTINGS["proofs"]["default"] == DEFAULT


def test_programs_are_not_taken_from_a_workspace_that_is_not_trusted():
    trust = PACKAGE["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert set(trust["restrictedConfigurations"]) == {"snd.server.path", "snd.server.arguments"}
    assert all(SETTINGS[key]["scope"] == "machine-overridable" for key in ("server.path", "server.arguments"))


# ---- commands --------------------------------------------------------------------------------------------------------
def _commands() -> dict[str, Mapping[str, Any]]:
    return {each["command"]: each for each in CONTRIBUTED["commands"]}


def _source() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted((SOURCES / "src").rglob("*.ts")))


@pytest.mark.parametrize("command", _commands())
def test_each_command_has_a_title_and_is_registered(command: str):
    declared = _commands()[command]
    assert declared["category"] == "SkriptND"
    assert declared["title"]
    assert f'"{command}"' in _source()


def test_commands_of_the_server_have_other_names():
    """The client registers those of the server: one of ours by the same name would keep it from starting."""
    server = SndServer()
    assert not set(server.protocol.fm.commands) & {*_commands(), "snd.showReferences"}


def test_menus_name_commands():
    for menu, items in CONTRIBUTED["menus"].items():
        for item in items:
            assert item.get("command", next(iter(_commands()))) in _commands(), menu


# ---- the package -----------------------------------------------------------------------------------------------------
@pytest.mark.exhaustive
def test_nothing_is_packaged_that_is_not_needed():
    try:
        vsix = packaged()
    except UnavailableError as reason:
        skip(reason)
    with zipfile.ZipFile(vsix) as archive:
        names = {name.removeprefix("extension/") for name in archive.namelist()}
    wanted = re.compile(
        r"\[Content_Types\]\.xml|extension\.vsixmanifest|package\.json|readme\.md|changelog\.md|LICENSE\.txt"
        r"|(nnef-)?language-configuration\.json|(syntaxes|schemas)/[\w.]+\.json|images/[\w-]+\.(png|svg)"
        r"|dist/[\w-]+\.(js|css)|dist/licences\.txt|dist/wheel/snd-[\w.]+-py3-none-any\.whl",
        re.IGNORECASE,
    )
    assert {name for name in names if not wanted.fullmatch(name)} == set()
    assert len([name for name in names if name.endswith(".whl")]) == 1
    assert not [name for name in names if name.startswith("dist/graph-")], "the drawing is in the wheel"
    assert {
        "dist/extension.js",
        "dist/shapes.js",
        "dist/shapes.css",
        "dist/flow.js",
        "dist/flow.css",
        "dist/licences.txt",
        "readme.md",
        "changelog.md",
    } <= names
    assert vsix.stat().st_size < MOST_BYTES
