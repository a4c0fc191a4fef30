"""Search order of imports: beside the file, in the model's root, in the configured folders, in the library (2.15)."""

from __future__ import annotations

from pathlib import Path

import pytest

import snd_analysis
from snd_analysis.base import ProjectSettings
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, format_modules, library_file, library_modules
from snd_analysis.workspace import Snapshot, Workspace
from support.memory import MemoryReader, check, snapshot_of


def operator(name: str, body: str = "") -> str:
    return f"operator {name} {{\n    @input {{ x: real[n]; }}\n    @output {{ y: real[n]; }}\n{body}}}\n\n"


def composed(name: str, statements: str) -> str:
    return operator(name, f"    @compose {{ {statements} }}\n")


def model(imports: str, call: str) -> str:
    head = f"import {imports};\n\ngraph net {{\n    @input {{ x: real[4]; }}\n    @output {{ y: real[4]; }}\n"
    return f"{head}    @compose {{ y = {call}; }}\n}}\n"


def found(snapshot: Snapshot, path: str) -> dict[str, str | None]:
    return {item.node.text: item.path for item in snapshot.imports(path)}


PLACES = ["models/net/parts/a.sknd", "models/net/a.sknd", "lib/a.sknd", "other/a.sknd"]


@pytest.mark.parametrize("missing", range(len(PLACES) + 1))
def test_order(missing: int):
    files = {place: operator("same") for place in PLACES[missing:]}
    files["models/net/main.sknd"] = model("parts.b", "parts.b.f(x)")
    files["models/net/parts/b.sknd"] = "import a;\n\n" + operator("f")
    snapshot = snapshot_of(files, ProjectSettings(("lib", "other")))
    expected = PLACES[missing] if missing < len(PLACES) else None
    assert found(snapshot, "models/net/parts/b.sknd") == {"a": expected}


def test_the_library_comes_last_and_is_hidden_by_any_file():
    main = model("math", "math.exp(x)")
    assert found(snapshot_of({"main.sknd": main}), "main.sknd") == {"math": "snd:math"}
    for place in ("math.sknd", "lib/math.sknd"):
        files = {"main.sknd": main, place: operator("exp")}
        snapshot = snapshot_of(files, ProjectSettings(("lib",)))
        assert found(snapshot, "main.sknd") == {"math": place}
        assert [item.rule.name for item in snapshot.diagnostics("main.sknd")] == ["shadowed-module"]


def test_the_library_never_imports_what_lies_beside_a_model():
    files = {"main.sknd": model("layer", "layer.linear{channels = 4}(x)"), "nn.sknd": operator("f")}
    snapshot = snapshot_of(files)
    assert found(snapshot, "main.sknd") == {"layer": "snd:layer"}
    assert found(snapshot, "snd:layer")["nn"] == "snd:nn"


@pytest.mark.parametrize("folder", ["", "m/", "/m/", "../m/", "a/b/c/"])
def test_folders_of_every_form(folder: str):
    files = {f"{folder}main.sknd": model("parts.deep.a", "parts.deep.a.f(x)")}
    files[f"{folder}parts/deep/a.sknd"] = "import base;\n\n" + composed("f", "y = base.g(x);")
    files[f"{folder}base.sknd"] = operator("g")
    assert not any(check(files).values())


def test_the_root_of_a_model_is_the_nearest_folder_with_a_main_module():
    files = {
        "main.sknd": model("a", "a.f(x)"),
        "a.sknd": operator("f"),
        "inner/main.sknd": model("parts.b", "parts.b.f(x)"),
        "inner/a.sknd": operator("f"),
        "inner/parts/b.sknd": "import a;\n\n" + operator("f"),
    }
    assert found(snapshot_of(files), "inner/parts/b.sknd") == {"a": "inner/a.sknd"}


def test_a_cycle_of_imports_is_legal_and_ends():
    files = {
        "main.sknd": model("a", "a.f(x)"),
        "a.sknd": "import b;\n\n" + composed("f", "y = b.g(x);") + operator("h"),
        "b.sknd": "import a, b;\n\n" + composed("g", "t = b.g2(x); y = a.h(t);") + operator("g2"),
    }
    assert not any(check(files).values())
    snapshot = snapshot_of(files)
    assert set(snapshot.dependencies("main.sknd")) == {"a.sknd", "b.sknd"}
    assert set(snapshot.dependencies("a.sknd")) == {"b.sknd"}


def test_dependencies_reach_through_imports():
    files = {
        "main.sknd": model("a", "a.f(x)"),
        "a.sknd": "import b;\n\n" + operator("f"),
        "b.sknd": "import math;\n\n" + operator("g"),
        "c.sknd": operator("h"),
    }
    assert set(snapshot_of(files).dependencies("main.sknd")) >= {"a.sknd", "b.sknd", "snd:math"}
    assert "c.sknd" not in snapshot_of(files).dependencies("main.sknd")


def test_a_file_that_appears_or_vanishes_changes_what_is_found():
    reader = MemoryReader({"main.sknd": model("a", "a.f(x)")})
    workspace = Workspace(reader)
    before = workspace.snapshot()
    assert before.diagnostics("main.sknd")[0].rule.name == "module-not-found"
    reader.files["a.sknd"] = operator("f")
    workspace.refresh("a.sknd")
    assert workspace.snapshot().diagnostics("main.sknd") == ()
    workspace.open("a.sknd", operator("g"))
    assert [item.rule.name for item in workspace.snapshot().diagnostics("main.sknd")] == ["unknown-operator"]
    workspace.close("a.sknd")
    assert workspace.snapshot().diagnostics("main.sknd") == ()
    del reader.files["a.sknd"]
    workspace.refresh("a.sknd")
    assert workspace.snapshot().diagnostics("main.sknd")[0].rule.name == "module-not-found"


def test_a_file_that_only_a_client_holds_is_found():
    workspace = Workspace(MemoryReader({"main.sknd": model("a", "a.f(x)")}))
    workspace.open("a.sknd", operator("f"))
    assert workspace.snapshot().diagnostics("main.sknd") == ()


def test_every_file_of_the_libraries_is_listed_as_a_module_of_its_folder() -> None:
    folder = Path(snd_analysis.__file__).parent / "libraries"
    files = {path.relative_to(folder).as_posix() for path in folder.glob("*/*.sknd")}
    assert files == {library_file(LIBRARY_PREFIX + module) for module in (*library_modules(), *format_modules())}
    assert [*library_modules()] == sorted(path.stem for path in folder.glob("std/*.sknd"))
