"""Ways to install and run snd: sdist, wheel, pre-commit, the action, the template, the problem matcher."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import click
import jsonschema
import pytest

from snd_analysis.skriptnd.names import format_modules, library_modules
from support.editors.downloads import UnavailableError
from support.interpreters import NEWEST, OLDEST, interpreter

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WRONG = "graph main {\n    @input { x: reel[2]; }\n}\n"


def commands_in(text: str) -> list[str]:
    return re.findall(r"\bsnd ((?:check|fmt|test)\b[^\n\"`]*)", text)


@pytest.mark.parametrize("name", [".pre-commit-hooks.yaml", "action.yml", "templates/snd-check.yml", "docs/ci.md"])
def test_commands_exist_with_their_options(name):
    from snd_server.cli.root import snd

    context = click.Context(snd)
    found = commands_in((ROOT / name).read_text(encoding="utf-8"))
    assert found
    for command in found:
        subcommand, *words = command.split()
        known = {
            option
            for each in snd.get_command(context, subcommand).params
            for option in (*each.opts, *each.secondary_opts)
        }
        assert {word for word in words if word.startswith("--")} <= known, command


def test_problem_matcher_reads_every_concise_line(real, project):
    """The matches in the broken examples equal the JSON."""
    package = json.loads((ROOT / "vscode-extension" / "package.json").read_text(encoding="utf-8"))
    (matcher,) = package["contributes"]["problemMatchers"]
    groups = {name: number for name, number in matcher["pattern"].items() if name != "regexp"}
    (project / "warned.sknd").write_text("# snd: ignore[unused-import] there once was an import here\n")
    paths = [str(ROOT / "examples" / "broken"), "warned.sknd"]
    *lines, summary = real("check", "--format", "concise", *paths).stdout.splitlines()
    found = [re.match(matcher["pattern"]["regexp"], line) for line in lines if line and line != summary]
    assert all(found), lines
    read = [{name: each[number] for name, number in groups.items()} for each in found]
    known = json.loads(real("check", "--format", "json", *paths).stdout)["diagnostics"]
    said = [
        {
            "file": each["path"],
            "line": str(each["range"]["start"]["line"]),
            "column": str(each["range"]["start"]["column"]),
            "severity": each["severity"],
            "code": each["rule"],
            "message": each["message"],
        }
        for each in known
        if each["severity"] != "hint"
    ]
    assert len(read) > 5
    assert {"error", "warning"} <= {each["severity"] for each in read}
    assert read == said
    assert (
        re.match(matcher["pattern"]["regexp"], r"C:\models\a.sknd:3:5: error[type-mismatch] …")[1]
        == r"C:\models\a.sknd"
    )


_CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32,64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path"],
                "oneOf": [{"required": ["lines"]}, {"required": ["positions"]}],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/.]"},
                    "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer"}}},
                    "positions": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "object", "required": ["line"]}},
                    },
                },
            },
        },
    },
}
"""Demands of GitLab on a report of Code Quality."""


def _check_code_quality(path: Path) -> None:
    issues = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(issues, _CODE_QUALITY)
    assert issues
    assert len({each["fingerprint"] for each in issues}) == len(issues)


def test_code_quality_report_is_valid(real, project):
    shutil.copytree(ROOT / "examples" / "broken", project / "broken")
    assert real("check", "--format", "gitlab", "--output-file", "report.json", "broken").status == 1
    _check_code_quality(project / "report.json")


def test_versions_of_python_and_licences_are_declared():
    assert PROJECT["requires-python"] == f">={OLDEST}"
    declared = re.findall(r"Python :: (3\.\d+)", "".join(PROJECT["classifiers"]))
    assert [declared[0], declared[-1]] == [OLDEST, NEWEST]
    # The packages bundled into graph-engine.js, as notices.mjs found them.
    (package,) = re.findall(r"^(\S+) \S+ \((.+)\)$", (ROOT / PROJECT["license-files"][1]).read_text(), re.MULTILINE)
    assert package == ("elkjs", "EPL-2.0")
    assert PROJECT["license"] == f"Apache-2.0 AND {package[1]}"


# ---- what takes builds and package indices ---------------------------------------------------------------------------


def _needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"the package {module} is not installed (dependency group `distribution`)")


def _run(*command: str | Path, **options: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    _needs("build")
    folder = tmp_path_factory.mktemp("sdist")
    _run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="session")
def wheel(sdist: Path) -> Path:
    """Built from the sdist, as an index's users build it."""
    _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", sdist.parent / "wheels", sdist)
    (made,) = (sdist.parent / "wheels").iterdir()
    return made


def _environment(folder: Path, wheel: str, version: str = OLDEST) -> Path:
    """Return the folder of programs of a new environment with snd."""
    try:
        python = interpreter(version)
    except UnavailableError as reason:
        pytest.skip(f"no Python {version}: {reason}")
    _run(python, "-m", "venv", "--without-pip", folder)
    programs = folder / "bin"
    _run(sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet", wheel)
    return programs


@pytest.mark.exhaustive
def test_sdist_has_the_sources_and_nothing_else(sdist):
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"PKG-INFO", "LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml"} <= set(names)
    folders = {name.partition("/")[0] for name in names if "/" in name}
    assert folders == {"analysis", "runtime", "server"}
    assert not any(name.endswith((".pyc", ".so")) for name in names)


@pytest.mark.exhaustive
def test_wheel_has_all_that_is_needed(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    for package in ("snd", "snd_analysis", "snd_runtime", "snd_server"):
        assert f"{package}/py.typed" in names
    for module in (*library_modules(), *format_modules()):
        assert any(name.endswith(f"/{module}.sknd") for name in names), module
    tops = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"snd", "snd_analysis", "snd_runtime", "snd_server"}
    assert not any(name.endswith((".pyc", ".ts")) or "/tests/" in name for name in names)
    tracked = subprocess.run(
        ["git", "ls-files", "analysis", "runtime", "server"], cwd=ROOT, capture_output=True, text=True
    )
    if tracked.returncode == 0:
        assert {path.partition("/")[2] for path in tracked.stdout.split()} <= set(names)
    assert "License-Expression: Apache-2.0 AND EPL-2.0" in metadata
    assert sum(name.endswith(("/licenses/LICENSE", "/drawing/licences.txt")) for name in names) >= 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_everything_installs_and_runs_in_a_clean_environment(version, wheel, tmp_path):
    programs = _environment(tmp_path / "venv", f"{wheel}[all]", version)
    snd, net = programs / "snd", tmp_path / "net"
    environment = {"PATH": str(programs), "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    _run(snd, "init", net, env=environment)
    for command in ("check", "test", "run", "shapes"):
        _run(snd, command, net, env=environment)
    _run(snd, "check", "--proofs", net, env=environment)
    _run(snd, "graph", net, "-o", tmp_path / "net.png", env=environment)
    assert "computes the same" in _run(snd, "export", net, "-o", tmp_path / "net.onnx", "--verify", env=environment)
    assert "equal" in _run(snd, "convert", tmp_path / "net.onnx", "-o", tmp_path / "again", "--verify", env=environment)
    tools = "from snd_server.mcp.server import make_server; make_server()"
    _run(programs / "python", "-c", tools, env=environment)
    version_said = _run(programs / "python", "-c", "import snd, sys; print('%d.%d' % sys.version_info[:2])")
    assert version_said.strip() == version


@pytest.mark.exhaustive
def test_wheel_is_typed(wheel, tmp_path):
    programs = _environment(tmp_path / "venv", str(wheel))
    (tmp_path / "client.py").write_text("import snd\n\nshapes: int = snd.load('net').shapes\n")
    command = [sys.executable, "-m", "mypy", "--python-executable", str(programs / "python"), "client.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "Incompatible types in assignment" in done.stdout, done.stdout
    assert "import-untyped" not in done.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize("runner", ["pipx", "uv"])
def test_runs_without_being_installed(runner, wheel, tmp_path):
    _needs(runner)
    runs = {"pipx": ["run", "--spec"], "uv": ["tool", "run", "--from"]}
    environment = os.environ | {"PIPX_HOME": str(tmp_path / "pipx"), "UV_CACHE_DIR": str(tmp_path / "uv")}
    command = [sys.executable, "-m", runner, *runs[runner], str(wheel), "snd"]
    assert _run(*command, "--version", env=environment).startswith("snd, version ")
    _run(*command, "init", tmp_path / "net", env=environment)
    _run(*command, "check", tmp_path / "net", env=environment)


@pytest.mark.exhaustive
def test_hooks_of_pre_commit(tmp_path):
    _needs("pre_commit")
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y.z"]
    _run(*git, "init", "--quiet", tmp_path / "models")
    models = tmp_path / "models"
    (models / "wrong.sknd").write_text(WRONG)
    (models / "unformatted.sknd").write_text("import   math;   # snd: ignore[unused-import] an example\n")
    _run(*git, "add", ".", cwd=models)
    environment = os.environ | {"PRE_COMMIT_HOME": str(tmp_path / "cache")}

    def hook(name: str, file: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), name, "--files", file]
        done = subprocess.run(command, cwd=models, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    status, said = hook("snd-check", "wrong.sknd")
    assert status == 1, said
    assert "there is no type 'reel' here; did you mean 'real'?" in said
    status, said = hook("snd-fmt", "unformatted.sknd")
    assert "files were modified by this hook" in said
    assert hook("snd-fmt", "unformatted.sknd")[0] == 0
    assert hook("snd-check", "unformatted.sknd")[0] == 0
    status, said = hook("snd-test", "unformatted.sknd")
    assert status == 0, said


def _yaml_of_page(heading: str) -> list[str]:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


@pytest.mark.exhaustive
def test_files_for_servers_keep_their_schemas(tmp_path):
    _needs("check_jsonschema")
    (workflow,) = _yaml_of_page("GitHub")
    component, job = _yaml_of_page("GitLab")
    header, _, template = (ROOT / "templates" / "snd-check.yml").read_text(encoding="utf-8").partition("\n---\n")
    texts = {
        "action.yml": ("github-actions", (ROOT / "action.yml").read_text(encoding="utf-8")),
        "workflow.yml": ("github-workflows", workflow),
        "component.yml": ("gitlab-ci", component),
        "job.yml": ("gitlab-ci", job),
        "template.yml": ("gitlab-ci", template),
    }
    assert "spec:" in header
    for name, (schema, text) in texts.items():
        (tmp_path / name).write_text(text)
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", tmp_path / name]
        _run(*command, *(["--data-transform", "gitlab-ci"] if schema == "gitlab-ci" else []))


@pytest.mark.exhaustive
def test_steps_of_the_action_and_the_template_run(tmp_path):
    """Their scripts, with the variables that GitHub and GitLab set, in a clean environment."""
    yaml = pytest.importorskip("yaml")
    python = interpreter(OLDEST)
    _run(python, "-m", "venv", tmp_path / "venv")
    environment = os.environ | {"PATH": f"{tmp_path / 'venv' / 'bin'}:{os.environ['PATH']}"}
    models = tmp_path / "models"
    models.mkdir()
    (models / "wrong.sknd").write_text(WRONG)
    values = {"github.action_path": str(ROOT), "inputs.paths": "models", "inputs.sarif-file": "snd.sarif"}
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    said = []
    for step in action["runs"]["steps"]:
        given = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda m: values[m[1]], value) for name, value in step["env"].items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=tmp_path, env=environment | given, capture_output=True, text=True)
        said.append((done.returncode, done.stdout))
    assert [status for status, _ in said] == [0, 0, 1], said
    assert "::error title=snd (undefined-name),file=models/wrong.sknd,line=2," in said[2][1]
    assert json.loads((tmp_path / "snd.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    header, template = yaml.safe_load_all((ROOT / "templates" / "snd-check.yml").read_text(encoding="utf-8"))
    inputs = {name: each["default"] for name, each in header["spec"]["inputs"].items()}
    inputs |= {"paths": "models", "requirement": str(ROOT)}
    job = template["snd-check"]
    script = "\n".join(re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda m: inputs[m[1]], line) for line in job["script"])
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 1, done.stderr
    _check_code_quality(tmp_path / job["artifacts"]["reports"]["codequality"])
