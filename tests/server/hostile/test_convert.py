"""``snd convert`` writes in the folder that the user names, and nowhere else, whatever a model calls its tensors."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from snd_runtime.files import write_tensor
from snd_server.lsp.values.stored_tensors import stored_markdown
from snd_server.running import weights
from support.sampling import tries

HEAD = "version 1.0;\nextension KHR_enable_fragment_definitions;\n"
GRAPH = "graph net(x) -> (y) {{ x = external<scalar>(shape = [2]); {} }}\n"
VARIABLE = "{0} = variable<scalar>(shape = [2], label = '{1}'); "
PRECIOUS = "precious\n"


def _model(folder: Path, variables: dict[str, str]) -> Path:
    """A model that adds its variables, by names with their labels."""
    folder.mkdir(parents=True)
    declared = "".join(VARIABLE.format(name, label) for name, label in variables.items())
    total = f"{declared}s = add_n([x, {', '.join(variables)}]); y = relu(s);"
    (folder / "graph.nnef").write_text(HEAD + GRAPH.format(total))
    for label in variables.values():
        file = folder / f"{label}.dat"
        if "\0" not in label and len(label) < 200 and folder in file.resolve().parents:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(write_tensor(np.ones(2, np.float32)))
    return folder


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("link", "form"),
    [("main.sknd", "dat"), ("weights", "dat"), ("weights/w.dat", "dat"), ("weights.npz", "npz")],
)
def test_links_in_the_folder_lead_nowhere(project: Path, real, link: str, form: str):
    """A repository that is cloned brings its folder for converted models."""
    _model(project / "model", {"w": "w"})
    (project / "precious").mkdir()
    (project / "precious" / "file").write_text(PRECIOUS)
    (project / "out" / link).parent.mkdir(parents=True)
    (project / "out" / link).symlink_to(project / ("precious" if link == "weights" else "precious/file"))
    outcome = real("convert", "model", "-o", "out", "--force", "--weights", form)
    assert outcome.status == 2
    assert "a link leads out of out" in outcome.stderr
    assert _files(project / "precious") == {"file"}
    assert (project / "precious" / "file").read_text() == PRECIOUS


def test_a_folder_that_is_a_link_to_nowhere(project: Path, real):
    _model(project / "model", {"w": "w"})
    (project / "out").symlink_to(project / "elsewhere")
    assert real("convert", "model", "-o", "out").status == 2
    assert not (project / "elsewhere").exists()


@pytest.mark.parametrize(
    "label",
    [
        "../w",
        "../../w",
        "/w",
        "//w",
        "a/../../w",
        "a\\..\\..\\w",
        ".",
        "..",
        "",
        "w\0",
        "w" * 5_000,
        "a/" * 2_000,
        "CON",
        "\n",
    ],
)
def test_labels_decide_no_place(project: Path, real, label: str):
    _model(project / "model", {"w": label})
    before = _files(project)
    assert real("convert", "model", "-o", "out").status in (0, 1, 2)
    assert {name for name in _files(project) - before if not name.startswith("out/")} == set()
    assert _files(project) - before <= {"out/main.sknd", "out/weights/w.dat"}


@pytest.mark.parametrize("form", ["dat", "npz", "safetensors"])
def test_names_that_are_long_or_differ_in_case(project: Path, real, form: str):
    names = ["w", "W", "v" * 300, "v" * 300 + "1", "operator", "_", "con", "nul"]
    _model(project / "model", {name: f"l{at}" for at, name in enumerate(names)})
    outcome = real("convert", "model", "-o", "out", "--weights", form, "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert real("run", "out").status == 0
    if form == "dat":
        assert len(_files(project / "out" / "weights")) == len(names)
        assert len({name.casefold() for name in _files(project / "out" / "weights")}) == len(names)


def test_a_path_writes_no_program(project: Path, real):
    model = _model(project / "x\ngraph evil { }\n# >>> evil()", {"w": "w"})
    assert real("convert", str(model), "-o", "out").status == 0
    text = (project / "out" / "main.sknd").read_text()
    assert "\ngraph evil" not in text
    assert ">>> evil" not in text.replace("'>>>' evil", "")


def test_comments_write_no_program(project: Path, real):
    model = _model(project / "model", {"w": "w"})
    graph = model / "graph.nnef"
    hidden = "#snd: ignore\n# \x0bgraph evil { }\n# \u2028graph evil { }\n# \x85operator evil { }\n"
    graph.write_text(graph.read_text().replace("graph net", f"{hidden}graph net"))
    assert real("convert", "model", "-o", "out").status == 0
    text = (project / "out" / "main.sknd").read_text()
    assert "No samples" in real("test", "out").stdout
    assert all(line.startswith("#") for line in text.splitlines() if "evil" in line)


def test_names_and_comments_in_linear_time(project: Path, real):
    count = tries(300, 5_000)
    lines = "".join(f"{'t' * 200}{at + 1} = relu({'t' * 200}{at}); # {at}\n" for at in range(count))
    text = GRAPH.replace("x = external", "{0}0 = external").replace("(x)", "({0}0)").replace("{}", "{1}")
    graph = text.format("t" * 200, f"{lines}y = relu({'t' * 200}{count});")
    (project / "graph.nnef").write_text(HEAD + graph)
    assert real("convert", "graph.nnef", "-o", "out").status == 0
    assert (project / "out" / "main.sknd").read_text().count("nn.relu") == count + 1


def test_verifying_is_bounded(project: Path, real):
    (project / "graph.nnef").write_text(
        HEAD + GRAPH.format("y = tile(x, repeats = [1000000000]);").replace("shape = [2]", "shape = [4]")
    )
    outcome = real("convert", "graph.nnef", "-o", "out", "--verify", "--memory", "64")
    assert outcome.status == 2
    assert "--verify: graph.nnef can't be run" in outcome.stderr


def test_a_configuration_that_names_the_folder_of_everything(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(weights, "MOST_LISTED_PATHS", 1_000)
    (project / "main.sknd").write_text(
        "graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { y = x; } }\n"
    )
    (project / "snd.toml").write_text('weights = "/"\n')
    outcome = real("run", "main.sknd")
    assert outcome.status == 2
    assert "there are more than 1,000 paths in this folder" in outcome.stderr


@pytest.mark.parametrize("kind", ["pipe", "device", "link"])
def test_hovers_look_at_files_alone(tmp_path: Path, kind: str):
    path = tmp_path / "w.dat"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else "/nowhere")
    assert stored_markdown(str(path), tables=True) == ""


@pytest.mark.parametrize("name", ["main.sknd", "weights/w.dat", "weights"])
def test_pipes_in_the_folder_are_not_written_to(project: Path, real, name: str):
    _model(project / "model", {"w": "w"})
    (project / "out" / name).parent.mkdir(parents=True)
    os.mkfifo(project / "out" / name)
    outcome = real("convert", "model", "-o", "out", "--force")
    assert outcome.status == 2
    assert "main.sknd" in outcome.stdout + outcome.stderr or "weights" in outcome.stderr
